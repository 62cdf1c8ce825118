"""The shape of an answer: how often each path has each form, such as null, empty, negative, 3 elements."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from kafkawire.errors import DecodeError
from kafkawire.records import decode_records, highest_magic, record_set_layout, to_value
from kafkawire.schema import ScalarType
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS, StructValue
from wireproof.base.text.parsing import parse_toml
from wireproof.model.kafka.releases import error_name, holds_error_code

Shape: TypeAlias = Mapping[str, Counter[str]]
"""The numbers of each path's forms. A path has no indices."""
FormOf: TypeAlias = Callable[[FieldLayout, Any], str]
"""Returns the form of a field's value."""

_BROKER_ID: Final = "brokerId"
_MOST_FORMS: Final = 3
_WIDTH: Final = 60


def common_form(field: FieldLayout, value: Any) -> str:
    """Return what brokers with the same history have in common: an error, a sign, a number of elements."""
    if value is None:
        return "null"
    if holds_error_code(field):
        return error_name(value)
    if isinstance(value, list):
        return f"{len(value)} elements" if value else "empty"
    if isinstance(value, str | bytes):
        return "set" if value else "empty"
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, int | float):
        return "set"
    if value < 0:
        return "negative"
    if field.entity_type == _BROKER_ID or field.name in _numbers_by_chance():
        return "set"
    return "positive" if value else "0"


@cache
def normalisation() -> Mapping[str, Any]:
    """Return the rows of `normalisation.toml`, by table."""
    text = files("wireproof.proof.broker_judge").joinpath("normalisation.toml").read_text(encoding="utf-8")
    return parse_toml(text)


@cache
def _numbers_by_chance() -> frozenset[str]:
    return frozenset(each["field"] for each in normalisation()["number"])


def shape_of(layout: MessageLayout, body: StructValue, form: FormOf = common_form) -> Shape:
    """Return the shape of a body, record sets included.

    Args:
        form: returns the form of each value.
    """
    shape: dict[str, Counter[str]] = {}
    for path, text in _forms(layout.root, body, "", form):
        shape.setdefault(path, Counter())[text] += 1
    return shape


def _forms(struct: StructLayout, value: StructValue, prefix: str, form: FormOf) -> Iterator[tuple[str, str]]:
    if value.get(TAGS):
        yield prefix + TAGS, ", ".join(map(str, value[TAGS]))
    for field in struct.all_fields:
        path = prefix + field.name
        if field.name not in value:
            continue
        inner = value[field.name]
        if field.scalar is ScalarType.RECORDS and inner:
            yield from _record_forms(inner, f"{path}.", form)
            continue
        yield path, form(field, inner)
        if field.struct is not None and inner is not None:
            below = f"{path}[]." if isinstance(inner, list) else f"{path}."
            for each in inner if isinstance(inner, list) else [inner]:
                yield from _forms(field.struct, each, below, form)


def _record_forms(data: bytes, prefix: str, form: FormOf) -> Iterator[tuple[str, str]]:
    try:
        records = decode_records(data)
    except DecodeError:
        yield prefix + "batches", "not readable"  # the judge of the answer names the fault
        return
    layout = record_set_layout(highest_magic(records))
    yield from _forms(layout.root, to_value(records), prefix, form)


def shape_differences(left: Shape, right: Shape) -> Iterator[tuple[str, str, str]]:
    """Yield each path that differs, with the forms that each side alone has, in words."""
    for path in dict.fromkeys((*left, *right)):
        here, there = left.get(path, Counter()), right.get(path, Counter())
        if here != there:
            yield path, _words(here - there), _words(there - here)


def _words(forms: Counter[str]) -> str:
    cut = [(text if len(text) <= _WIDTH else f"{text[:_WIDTH]}...", count) for text, count in forms.items()]
    words = [f"{text} ({count} times)" if count > 1 else text for text, count in cut]
    more = len(words) - _MOST_FORMS
    return ", ".join(words[:_MOST_FORMS]) + (f" and {more} more" if more > 0 else "") or "absent"
