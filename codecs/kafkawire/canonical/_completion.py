"""A struct's value with every field present: what the canonical forms are written from."""

from kafkawire.errors import EncodeError, Fault
from kafkawire.schema.layout import EMPTY, AbsentField, FieldLayout, StructLayout
from kafkawire.schema.model import ArrayType
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import MAX_UNKNOWN_TAG, describe, raw_bytes

__all__ = ["complete", "default_of", "may_be_null", "unknown_tags"]


def may_be_null(field: FieldLayout) -> bool:
    """Null has a canonical form where the version allows it, and where it is the default.

    The second is for `records`, which Kafka leaves null in fields that are not nullable.
    """
    return field.nullable or field.default is None


def default_of(field: FieldLayout) -> Value:
    """The value of an absent key, made anew."""
    if field.default is EMPTY:
        return [] if isinstance(field.type, ArrayType) else {}
    return field.default


def complete(struct: StructLayout, value: Value) -> list[Value]:
    """The value of each field, in the order of `all_fields`.

    Raises:
        EncodeError: TYPE, UNKNOWN_FIELD, NOT_IN_VERSION.
    """
    if type(value) is not dict:
        raise EncodeError(Fault.TYPE, "", f"{describe(value)} is no dict")
    fields = struct.all_fields
    present = {field.name for field in fields}
    for name in value:
        if name not in present and name != TAGS:
            _check_absent(struct, name, value)
    return [value[field.name] if field.name in value else default_of(field) for field in fields]


def unknown_tags(struct: StructLayout, value: StructValue) -> list[tuple[int, bytes]]:
    """The unknown tagged fields, by ascending tag.

    Raises:
        EncodeError: TYPE, TAG.
    """
    tags = value.get(TAGS, {})
    if type(tags) is not dict or any(type(tag) is not int for tag in tags):
        raise EncodeError(Fault.TYPE, TAGS, f"{describe(tags)} is no dict from tag to bytes")
    defined = {field.tag for field in struct.tagged} | {field.tag for field in struct.absent}
    found = []
    for tag in sorted(tags):
        if tag in defined or not struct.flexible or not 0 <= tag <= MAX_UNKNOWN_TAG:
            raise EncodeError(Fault.TAG, f"{TAGS}[{describe(tag)}]", "no tag for an unknown field here")
        try:
            found.append((tag, raw_bytes(tags[tag])))
        except EncodeError as error:
            raise error.within(f"{TAGS}[{tag}]") from None
    return found


def _check_absent(struct: StructLayout, name: object, value: StructValue) -> None:
    for field in struct.absent:
        if field.name == name:
            if field.ignorable or _at_default(field, value[field.name]):
                return
            raise EncodeError(Fault.NOT_IN_VERSION, field.name, f"a field of versions {field.versions}")
    path = str(name) if isinstance(name, str) else ""
    raise EncodeError(Fault.UNKNOWN_FIELD, path, f"no version has the field {describe(name)}")


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
