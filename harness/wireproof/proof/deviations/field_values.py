"""Actions on the value of a field, in either direction."""

import json
import math
import struct
import unicodedata
from contextlib import suppress
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from kafkawire.compiler.defaults import is_default
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from wireproof.proof.deviations.catalogue.trigger import NEIGHBOURS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.rules import Rules, type_name
from wireproof.proof.deviations.value_changes import VALUE_CHANGES

_LAST_OF_BMP: Final = "\uffff"
_ONE_BYTE: Final = 127
"""The greatest tag whose number takes one byte."""


def changed_value(rules: Rules, field: FieldLayout, path: str, value: Any) -> Any:
    """Return the value that a codec has in place of the right one; the same object where it has that.

    Raises:
        EndingError: a deviation ends the answer.
    """
    kind = type_name(field)
    deviation = rules.of_field(kind, path, value)
    if deviation is None:
        return value
    changed = _changed(deviation, field, value)
    if not same(changed, value):
        rules.note(deviation, kind, path)
        return changed
    return value


def is_error_code(path: str) -> bool:
    """Test if a field is named as error codes are."""
    return path.lower().endswith("errorcode")


def checked_number(rules: Rules, field: FieldLayout, kind: str, path: str, value: Any) -> Any:
    """Return the number that a codec has for a number that some codecs do not take.

    Raises:
        EndingError: the codec ends here.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else _replaced(rules.at("not-finite", kind, path), value)
    if kind == "int16" and is_error_code(path):
        value = _replaced(rules.at_code(value, kind, path), value)
    if value < 0:
        value = _replaced(rules.at("negative", kind, path), value)
    if value < -1:
        value = _replaced(rules.at("below-minus-one", kind, path), value)
    if abs(value) > 1 << 53:
        value = _replaced(rules.at("beyond-53-bits", kind, path), value)
    return value


def checked_text(rules: Rules, kind: str, path: str, value: str) -> str:
    """Return the text that a codec has for a text beyond ASCII.

    Raises:
        EndingError: the codec ends here.
    """
    if value.isascii():
        return value
    match rules.at("non-ascii", kind, path):
        case "question":
            return value.encode("ascii", "replace").decode()
        case "characters":
            return value.encode(errors="surrogatepass")[: len(value)].decode(errors="ignore")
    if max(value) > _LAST_OF_BMP and rules.at("astral", kind, path) == "replace":
        return "".join("\ufffd" if each > _LAST_OF_BMP else each for each in value)
    return value


def _replaced(action: str, value: Any) -> Any:
    match action:
        case "zero":
            return type(value)(0)
        case "minus-one":
            return -1
        case "double":
            return max(-(1 << 63), min(int(float(value)), (1 << 63) - 1))
    return value


def same(one: Any, other: Any) -> bool:
    """Test if two values have the same bytes: floats by their bits, lists and dicts by their parts."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return struct.pack(">d", one) == struct.pack(">d", other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(item, other[name]) for name, item in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def _changed(deviation: Deviation, field: FieldLayout, value: Any) -> Any:
    match deviation.action:
        case "constant":
            return parse_constant(deviation.value, field)
        case "other-default":
            return parse_constant(deviation.value, field) if is_default(field, value) else value
    change = VALUE_CHANGES[deviation.action]
    if change.fits(field):
        with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # of another type
            return change.change(value, field)
    return value


def swapped_fields(rules: Rules, layout: StructLayout, value: dict[str, Any], prefix: str) -> dict[str, Any]:
    """Return the value of a struct with the values of two fields in each other's place, where they are."""
    for one, other in pairwise(layout.fields):
        if one.type != other.type or one.nullable != other.nullable or one.struct is not None:
            continue
        action = rules.at(NEIGHBOURS, type_name(one), f"{prefix}{one.name}")
        if action == "swapped" and one.name in value and other.name in value:
            value = {**value, one.name: value[other.name], other.name: value[one.name]}
    return value


def kept_part(action: str, tag: int, held: bytes, *, first: bool) -> bytes | None:
    """Return the part of an unknown tagged field that a codec keeps; None where it drops the field.

    Args:
        first: no other one was kept before it.
    """
    if (action == "first" and not first) or (action == "one-byte" and tag > _ONE_BYTE):
        return None
    return held[:-1] if action == "cut" else held


def rearranged_elements(rules: Rules, field: FieldLayout, path: str, items: list[Any]) -> list[Any]:
    """Return the elements of an array as a codec has them, which may sort them or make them unique.

    Raises:
        EndingError: a deviation ends the answer.
    """
    if len(items) < 2:
        return items
    action = rules.at("elements", f"array of {type_name(field, element=True)}", path)
    return _rearranged(action, field, items) if action else items


def _rearranged(action: str, field: FieldLayout, value: list[Any]) -> list[Any]:
    if action == "reversed":
        return value[::-1]
    keys = [each.name for each in field.struct.fields if each.map_key] if field.struct is not None else []
    if field.struct is not None and not keys and action == "unique-key":
        keys = [each.name for each in field.struct.fields[:1]]  # a map of the headers of a record

    def key(item: Any) -> str:
        if isinstance(item, dict) and keys and action != "unique":
            item = {name: item.get(name) for name in keys}
        return json.dumps(item, sort_keys=True, default=str)

    if action == "map":
        firsts = {
            key(next(iter(item.values()), "") if isinstance(item, dict) else item): item for item in value
        }
        return _by_first(list(firsts.values()), as_words=False)
    if action in ("sorted-by-first", "sorted-as-words"):
        return _by_first(value, as_words=action == "sorted-as-words")
    if action == "sorted":
        try:
            return sorted(value)
        except TypeError:
            return sorted(value, key=key)
    return list({key(item): item for item in value}.values())


def _by_first(value: list[Any], *, as_words: bool) -> list[Any]:
    def key(item: Any) -> Any:
        first = next(iter(item.values()), "") if isinstance(item, dict) else item
        return (_collated(first), first.swapcase()) if as_words and isinstance(first, str) else first

    try:
        return sorted(value, key=key)
    except TypeError:
        return value


def _collated(text: str) -> list[tuple[int, str]]:
    """Return the key of a text as a dictionary sorts it: symbols, digits, letters in any case."""
    classes = {"N": 1, "L": 2, "M": 2}
    plain = unicodedata.normalize("NFKD", text).casefold()
    return [(classes.get(unicodedata.category(each)[0], 0), each) for each in plain]


def constant_text(value: Any) -> str:
    """Format a value for `Deviation.value`; empty where it has no short text."""
    if isinstance(value, bytes):
        return json.dumps({"hex": value.hex()})
    if isinstance(value, UUID):
        return json.dumps({"uuid": str(value)})
    if value is None or isinstance(value, bool | int | str | float):
        return json.dumps(value)
    return "[]" if value == [] else ""


def parse_constant(text: str, field: FieldLayout) -> Any:
    """Parse what `constant_text` formats."""
    value = json.loads(text)
    if isinstance(value, dict):
        return bytes.fromhex(value["hex"]) if "hex" in value else UUID(value["uuid"])
    return float(value) if field.scalar is ScalarType.FLOAT64 and isinstance(value, int) else value
