"""Actions on the value of a field, in either direction."""

import json
import math
import re
import struct
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

from kafkawire.compiler.defaults import default_value, is_default
from kafkawire.errors import CodecError
from kafkawire.records import decode_records
from kafkawire.schema.layout import FieldLayout
from kafkawire.schema.model import ScalarType
from wireproof.proof.deviations.catalogue.trigger import CONSTANT, LATIN_1, NEIGHBOURS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.rules import EndingError, NamedField, Rules, StructNames, type_name
from wireproof.proof.deviations.value_changes import VALUE_CHANGES
from wireproof.proof.deviations.wrong_layouts import ADDED

_LAST_OF_BMP: Final = "\uffff"
_ONE_BYTE: Final = 127
"""The greatest tag whose number takes one byte."""
TO_MAGIC: Final = 17
"""Bytes of a record set up to the end of its first magic."""
_IGNORED: Final = frozenset({"Cc", "Cf", "Me", "Mn"})
"""Categories of characters that are ignored when words are sorted."""
_SURROGATES: Final = re.compile("[\ud800-\udfff]")


def changed_value(rules: Rules, place: NamedField, value: Any) -> Any:
    """Return the value that the codec has in place of the right one; the same object if it has the right one.

    Raises:
        EndingError: a deviation ends the answer.
    """
    if not rules.values:
        return value
    field, kind, path = place
    deviation = rules.of_field(kind, path, value)
    if deviation is None:
        return value
    changed = _changed(deviation, field, value)
    if not same(changed, value):
        rules.note(deviation, kind, path)
        return changed
    return value


def is_error_code(path: str) -> bool:
    """Test if a field has the name of an error code."""
    return path.lower().endswith("errorcode")


def checked_number(rules: Rules, field: FieldLayout, kind: str, path: str, value: Any) -> Any:
    """Return the number that the codec has in place of a number that some codecs do not accept.

    Raises:
        EndingError: the codec ends here.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else _replaced(rules.at("not-finite", kind, path), value)
    if kind == "int16" and is_error_code(path):
        value = _replaced(rules.at_code(value, kind, path), value)
    if 0 <= value < 1 << 31:
        return value
    if value < 0:
        value = _replaced(rules.at("negative", kind, path), value)
    if value < -1:
        value = _replaced(rules.at("below-minus-one", kind, path), value)
    if not -(1 << 31) <= value < 1 << 31:
        rules.at("beyond-int32", kind, path)
    if abs(value) > 1 << 53:
        value = _replaced(rules.at("beyond-53-bits", kind, path), value)
    return value


def is_latin_1(rules: Rules, is_ascii: bool, kind: str, path: str) -> bool:
    """Test if the codec takes all text for ISO 8859-1; the text at hand may be ASCII."""
    return rules.has("non-ascii", LATIN_1) and not is_ascii and rules.at("non-ascii", kind, path) == LATIN_1


def checked_text(rules: Rules, kind: str, path: str, value: str) -> str:
    """Return the text that the codec has in place of a text that is not ASCII.

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


def encoded_text(rules: Rules, value: str, kind: str, path: str) -> bytes:
    """Return the bytes that the codec writes for a text.

    Raises:
        EndingError: the codec ends here.
    """
    if is_latin_1(rules, value.isascii(), kind, path):
        return value.encode("latin-1", "replace")
    try:
        value.encode()
    except UnicodeEncodeError:
        action = rules.at("surrogate", kind, path)
    else:
        return checked_text(rules, kind, path, value).encode()
    match action:
        case "pass":
            return value.encode(errors="surrogatepass")
        case "question":
            return value.encode(errors="replace")
        case "replace":
            return _SURROGATES.sub("\ufffd", value).encode()
        case "bytes":
            held = (0xDC80 <= ord(each) < 0xDD00 for each in value)
            handlers = ("surrogateescape" if byte else "surrogatepass" for byte in held)
            return b"".join(
                each.encode(errors=handler) for each, handler in zip(value, handlers, strict=True)
            )
    raise EndingError


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


def kept_part(action: str, tag: int, held: bytes, *, before: int) -> bytes | None:
    """Return the part of an unknown tagged field that a codec keeps; None if it drops the field.

    Args:
        before: the number of unknown tagged fields that were kept before this one.
    """
    dropped = {
        "first": before > 0,
        "first-127": before >= _ONE_BYTE,
        "one-byte": tag > _ONE_BYTE,
        "not-empty": not held,
    }
    if dropped.get(action):
        return None
    return held[:-1] if action == "cut" else held


def decoded_text(rules: Rules, held: bytes, kind: str, path: str) -> str:
    """Decode text as a codec does.

    Raises:
        EndingError: the text is not UTF-8, and the codec refuses it.
    """
    if is_latin_1(rules, held.isascii(), kind, path):
        return held.decode("latin-1")
    try:
        return checked_text(rules, kind, path, held.decode())
    except UnicodeDecodeError:
        action = rules.at("ill-formed-text", kind, path)
    match action:
        case "replace":
            return held.decode(errors="replace")
        case "replace-bytes":
            return _SURROGATES.sub("\ufffd", held.decode(errors="surrogateescape"))
        case "bytes":
            return held.decode(errors="surrogateescape")
        case "ignore":
            return held.decode(errors="ignore")
        case "surrogates":
            return (
                held.decode(errors="surrogatepass") if _is_surrogates(held) else held.decode(errors="replace")
            )
        case "latin-1":
            return held.decode("latin-1")
    raise EndingError


def _is_surrogates(held: bytes) -> bool:
    try:
        held.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def check_records(rules: Rules, held: bytes, kind: str, path: str) -> None:
    """Apply the deviation of a codec that reads record sets with their message to bytes that are no set.

    Raises:
        EndingError: a deviation ends the answer.
    """
    if not held or not rules.concern("not-records"):
        return
    try:
        whole = len(held) >= TO_MAGIC and bool(decode_records(held))
    except CodecError:
        whole = False
    if not whole:
        rules.at("not-records", kind, path)


def rearranged_elements(rules: Rules, field: FieldLayout, path: str, items: list[Any]) -> list[Any]:
    """Return the elements of an array as the codec has them: it may sort them or drop duplicates.

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
    """Sort elements by their first fields; words as JavaScript does, where only the first may be null."""
    firsts = [next(iter(each.values()), "") if isinstance(each, dict) else each for each in value]
    if as_words and None in firsts[1:]:
        raise EndingError("TypeError")

    def key(place: int) -> Any:
        first = "null" if as_words and firsts[place] is None else firsts[place]
        return (
            (_collated(first), _visible(first).swapcase()) if as_words and isinstance(first, str) else first
        )

    try:
        return [value[place] for place in sorted(range(len(value)), key=key)]
    except TypeError:
        return value


def _collated(text: str) -> list[tuple[int, str]]:
    """Return the sort key of a text in dictionary order: symbols, currencies, digits, letters, U+FFFD.

    Control characters and accents are ignored.
    """
    plain = unicodedata.normalize("NFKD", text).casefold()
    kinds = [(unicodedata.category(each), each) for each in plain]
    return [(_rank(kind, each), each) for kind, each in kinds if kind not in _IGNORED]


def _visible(text: str) -> str:
    return "".join(each for each in text if unicodedata.category(each) not in ("Cc", "Cf"))


def _rank(category: str, character: str) -> int:
    if character == "\ufffd" or category == "Cn":
        return 4
    return {"S": category == "Sc", "N": 2, "L": 3}.get(category[0], 0)


def constant_text(value: Any) -> str:
    """Format a value for `Deviation.value`; empty if it has no short text."""
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


def own_fields(rules: Rules, struct: StructNames) -> tuple[NamedField, ...]:
    """Return the fields that a codec has in place, in order: those of other versions, too, that it has."""
    if not rules.moves:
        return struct.fields
    found = list(struct.fields)
    if rules.concern(NEIGHBOURS):
        for index, (one, other) in enumerate(pairwise(struct.fields)):
            if rules.at(NEIGHBOURS, one.kind, one.path) == "swapped":
                found[index : index + 2] = other, one
    for place in struct.absent:
        if rules.met is not None:
            rules.met[ADDED, place.kind, place.path] = None
        for each in rules.of(ADDED):
            names = ["", *(one.field.name for one in found)]
            if each.is_at(place.kind, place.path) and each.value in names:
                rules.note(each, place.kind, place.path)
                found.insert(names.index(each.value), place)
                break
    return tuple(found)


def own_tags(rules: Rules, struct: StructNames) -> tuple[Mapping[int, FieldLayout], frozenset[int]]:
    """Return the tagged fields that the codec knows, by the tags that it uses; and the tags that it takes for
    tags of other versions."""
    if not rules.layouts:
        return struct.by_tag, struct.reserved
    found: dict[int, FieldLayout] = {}
    reserved = struct.reserved
    for field, kind, path in struct.tagged:
        assert field.tag is not None
        match rules.at("layout", kind, path):
            case "skip":
                reserved |= {field.tag}
            case "retag":
                found[int(rules.constant("layout", kind, path))] = field
            case "unknown":
                pass
            case _:
                found[field.tag] = field
    return found, reserved


def own_default(rules: Rules, place: NamedField) -> Any:
    """Return the codec's default of a tagged field, which may differ from the schema's."""
    field, kind, path = place
    if rules.at("default", kind, path) == CONSTANT:
        return parse_constant(rules.constant("default", kind, path), field)
    return default_value(field)
