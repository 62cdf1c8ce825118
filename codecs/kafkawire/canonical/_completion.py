"""A struct's value with every field present: what the canonical forms are written from."""

from collections.abc import Sequence
from typing import Final

from kafkawire.errors import EncodeError, Fault
from kafkawire.schema.layout import EMPTY, AbsentField, FieldLayout, StructLayout
from kafkawire.schema.model import ArrayType
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import describe, raw_bytes

HIGHEST_TAG: Final = 2**32 - 1
"""The highest number that a tag's varint can say. Codecs may write none above 2^31 - 2 (`wire.tags`), but
some read and keep any, Kafka's classes among them, and the canonical forms hold whatever was read."""


def may_be_null(field: FieldLayout) -> bool:
    """Null has a canonical form where the version allows it, and where it is the default.

    The second is for `records`, which Kafka leaves null in fields that are not nullable.
    """
    return field.nullable or field.default is None


def default_of(field: FieldLayout) -> Value:
    """Make the value of an absent key."""
    if field.default is not EMPTY:
        return field.default
    if field.struct is None or isinstance(field.type, ArrayType):
        return []
    return {inner.name: default_of(inner) for inner in field.struct.all_fields}


class Filling:
    """Fills up a struct's value; drops what other versions have, where it may be dropped."""

    def __init__(self, struct: StructLayout) -> None:
        self._defaults = {field.name: default_of(field) for field in struct.all_fields}
        self._absent = {field.name: field for field in struct.absent}
        self._defined = {field.tag for field in struct.tagged} | {field.tag for field in struct.absent}
        self._flexible = struct.flexible

    def __call__(self, value: Value) -> tuple[StructValue, Sequence[tuple[int, bytes]]]:
        """All fields by name, and the unknown tagged fields by ascending tag. The defaults are shared.

        Raises:
            EncodeError: TYPE, UNKNOWN_FIELD, NOT_IN_VERSION, TAG.
        """
        if type(value) is not dict:
            raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not a dict")
        filled = self._defaults | value
        if len(filled) == len(self._defaults):
            return filled, ()
        for name in value:
            if name not in self._defaults and name != TAGS:
                self._check_absent(name, value[name])
        return filled, self._unknown_tags(value.get(TAGS, {}))

    def _check_absent(self, name: object, value: Value) -> None:
        field = self._absent.get(name) if isinstance(name, str) else None
        if field is None:
            path = str(name) if isinstance(name, str) else ""
            raise EncodeError(Fault.UNKNOWN_FIELD, path, f"no version has the field {describe(name)}")
        if not field.ignorable and not _at_default(field, value):
            raise EncodeError(Fault.NOT_IN_VERSION, field.name, f"a field of versions {field.versions}")

    def _unknown_tags(self, tags: Value) -> list[tuple[int, bytes]]:
        if type(tags) is not dict or any(type(tag) is not int for tag in tags):
            raise EncodeError(Fault.TYPE, TAGS, f"{describe(tags)} is not a dict from tag to bytes")
        found = []
        for tag in sorted(tags):
            if tag in self._defined or not self._flexible or not 0 <= tag <= HIGHEST_TAG:
                raise EncodeError(Fault.TAG, f"{TAGS}[{describe(tag)}]", "no tag for an unknown field here")
            try:
                found.append((tag, raw_bytes(tags[tag])))
            except EncodeError as error:
                raise error.within(f"{TAGS}[{tag}]") from None
        return found


def _at_default(field: AbsentField | FieldLayout, value: Value) -> bool:
    if field.default is not EMPTY:
        return type(value) is type(field.default) and bool(value == field.default)
    if field.struct is None or isinstance(field.type, ArrayType):
        return type(value) is list and not value
    if type(value) is not dict:
        return False
    inner: dict[str, AbsentField | FieldLayout] = {known.name: known for known in field.struct.all_fields}
    inner |= {known.name: known for known in field.struct.absent}
    return all(name in inner and _at_default(inner[name], value[name]) for name in value)
