"""Reduction of a value for all versions of a message to a value of one version."""

from kafkawire.schema import MessageLayout, StructLayout
from kafkawire.values import TAGS, StructValue, Value


def fit_value(layout: MessageLayout, value: StructValue) -> StructValue:
    """Return the value without the fields that this version lacks.

    A recipe names a topic by name and by id; each version takes the field that it has.
    """
    return _fit(layout.root, value)


def unknown_keys(layout: MessageLayout, value: StructValue) -> list[str]:
    """Return the paths of keys that no version has: typing errors, or keys of a later release."""
    return list(dict.fromkeys(_unknown(layout.root, value, "")))


def _fit(struct: StructLayout, value: StructValue) -> StructValue:
    fields = {field.name: field for field in struct.all_fields}
    return {
        name: inner if name == TAGS else _fit_inner(fields[name].struct, inner)
        for name, inner in value.items()
        if name in fields or name == TAGS
    }


def _fit_inner(struct: StructLayout | None, value: Value) -> Value:
    if struct is None or value is None:
        return value
    return [_fit(struct, each) for each in value] if isinstance(value, list) else _fit(struct, value)


def _unknown(struct: StructLayout, value: StructValue, prefix: str) -> list[str]:
    inner = {field.name: field.struct for field in struct.all_fields}
    known = {TAGS, *inner, *(field.name for field in struct.absent)}
    found = [prefix + name for name in value if name not in known]
    for name, below in value.items():
        deeper = inner.get(name)
        if deeper is not None and below is not None:
            for each in below if isinstance(below, list) else [below]:
                found += _unknown(deeper, each, f"{prefix}{name}.")
    return found
