"""The values of absent keys, and the test if a field is at its default.

Kafka: `FieldSpec.fieldDefault` and `FieldSpec.generateNonDefaultValueCheck`.
"""

from typing import Any, TypeAlias
from uuid import UUID

from kafkawire.errors import EncodeError, Fault
from kafkawire.schema.layout import EMPTY, AbsentField, FieldLayout, StructLayout
from kafkawire.schema.model import ArrayType
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import MAX_UNKNOWN_TAG, as_bytes, describe, raw_bytes

Tags: TypeAlias = dict[int, bytes]


def default_value(field: FieldLayout | AbsentField) -> Value:
    """Make the field's default."""
    if field.default is not EMPTY:
        return field.default
    if field.struct is None or _is_array(field):
        return []
    return default_struct(field.struct)


def default_struct(struct: StructLayout) -> StructValue:
    """Make a struct with every field at its default."""
    return {field.name: default_value(field) for field in struct.all_fields}


def is_default(field: FieldLayout | AbsentField, value: Value) -> bool:
    """Test if a value is the default for Kafka. Floats are compared by ``==``: NaN never is, -0.0 is 0.0."""
    default = field.default
    if value is None or default is None:
        return value is default
    if default is not EMPTY:
        return _equals(default, value)
    if field.struct is None or _is_array(field):
        return type(value) is list and not value
    return _is_default_struct(field.struct, value)


class Completion:
    """Makes a struct's value complete: absent keys get their defaults, keys of other versions are removed.

    Attributes:
        count: the number of fields of the version; a dict with exactly these keys needs no
            completion.
    """

    __slots__ = ("_absent", "_defaults", "_flexible", "_reserved", "count")

    def __init__(self, struct: StructLayout) -> None:
        self._defaults = default_struct(struct)
        self._absent = {field.name: field for field in struct.absent}
        self._flexible = struct.flexible
        self._reserved = {field.tag: field.name for field in struct.tagged}
        self._reserved |= {field.tag: field.name for field in struct.absent if field.tag is not None}
        self._reserved |= {field.reserved_tag: field.name for field in struct.fields}  # None is no tag
        self.count = len(self._defaults)

    def __call__(self, value: StructValue) -> tuple[StructValue, Tags | None]:
        """All fields of the version, and the unknown tags; None if there are none.

        The defaults in the result are shared, so that it must not be changed.

        Raises:
            EncodeError: TYPE, UNKNOWN_FIELD, NOT_IN_VERSION, TAG.
        """
        if type(value) is not dict:
            raise EncodeError(Fault.TYPE, "", f"{describe(value)} is not a dict")
        full = {**self._defaults, **value}
        if len(full) == self.count:
            return full, None
        for name in value:
            if name not in self._defaults and name != TAGS:
                self._drop(name, value[name])
        return full, self._unknown_tags(value.get(TAGS, {}))

    def _drop(self, name: Any, value: Value) -> None:
        field = self._absent.get(name)
        if field is None:
            path = str(name) if isinstance(name, str) else ""
            raise EncodeError(Fault.UNKNOWN_FIELD, path, f"no version has the field {describe(name)}")
        if not field.ignorable and not is_default(field, value):
            detail = f"{describe(value)} in a field of versions {field.versions}"
            raise EncodeError(Fault.NOT_IN_VERSION, field.name, detail)

    def _unknown_tags(self, tags: Value) -> Tags | None:
        if type(tags) is not dict:
            raise EncodeError(Fault.TYPE, TAGS, f"{describe(tags)} is not a dict")
        checked: Tags = {}
        for tag, data in tags.items():
            self._check_tag(tag)
            try:
                checked[tag] = raw_bytes(data)
            except EncodeError as error:
                raise error.within(f"{TAGS}[{tag}]") from None
        return checked or None

    def _check_tag(self, tag: Any) -> None:
        if type(tag) is not int:
            raise EncodeError(Fault.TYPE, TAGS, f"{describe(tag)} is not a tag")
        if not 0 <= tag <= MAX_UNKNOWN_TAG:
            raise EncodeError(Fault.TAG, TAGS, f"tag {describe(tag)}; 0 to {MAX_UNKNOWN_TAG}")
        if not self._flexible:
            raise EncodeError(Fault.TAG, f"{TAGS}[{tag}]", "this version has no tagged fields")
        if tag in self._reserved:
            detail = f"the tag of the field {self._reserved[tag]}"
            raise EncodeError(Fault.TAG, f"{TAGS}[{tag}]", detail)


def _is_array(field: FieldLayout | AbsentField) -> bool:
    return isinstance(field.type, ArrayType)


def _equals(default: bool | int | float | str | bytes | UUID, value: Value) -> bool:
    if isinstance(default, bool):
        return value is default
    if isinstance(default, bytes):
        return _equal_bytes(default, value)
    kinds = (int, float) if isinstance(default, float) else type(default)
    return isinstance(value, kinds) and bool(value == default)


def _equal_bytes(default: bytes, value: Value) -> bool:
    try:
        return as_bytes(value) == default
    except (TypeError, ValueError):
        return False


def _is_default_struct(struct: StructLayout, value: Value) -> bool:
    if type(value) is not dict or value.get(TAGS):
        return False
    known: dict[str, FieldLayout | AbsentField] = {field.name: field for field in struct.all_fields}
    known |= {field.name: field for field in struct.absent}
    return all(name == TAGS or (name in known and is_default(known[name], value[name])) for name in value)
