"""The writer of the reference codec with deviations: it predicts the bytes that a codec with them writes."""

import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from kafkawire.compiler.defaults import default_value, is_default
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import INTEGER_RANGES, ScalarType
from kafkawire.values import TAGS
from wireproof.model.coverage.wire_sizes import WIDTHS
from wireproof.proof.deviations.field_values import (
    changed_value,
    checked_number,
    encoded_text,
    kept_part,
    own_default,
    own_fields,
    own_tags,
    parse_constant,
    rearranged_elements,
    same,
)
from wireproof.proof.deviations.lengths import write_length, write_varint
from wireproof.proof.deviations.rules import (
    TAG_SECTION,
    EndingError,
    NamedField,
    OtherReplyError,
    Rules,
    struct_names,
    type_name,
)
from wireproof.proof.deviations.siblings import dependent_fields
from wireproof.proof.deviations.value_changes import is_falsy, zero_of
from wireproof.proof.deviations.wrong_layouts import BOOL, INFLEXIBLE, SKIP, retyped

_MAX_STRING: Final = 0x7FFF
_MAX_TAG: Final = 2**31 - 2
_MAX_INT32: Final = 2**31 - 1
_MISSING: Final = object()
_DEFAULT: Final = object()
"""A field gets its default, and is written like one that is given."""


@dataclass(frozen=True, slots=True)
class DeviantWriter:
    """Writes values.

    Attributes:
        whole: whether the codec gets the default of each field that the value lacks, except for `omitted`.
        omitted: the path of a field that the codec never gets.
        again: whether the value is an object that the codec read.
    """

    rules: Rules
    whole: bool = False
    omitted: str = ""
    again: bool = False

    def struct(self, layout: StructLayout, value: Any, prefix: str = "") -> bytes:
        """Write a struct.

        Raises:
            EndingError: the codec ends here.
        """
        if not isinstance(value, dict):
            return self._of_other_type("struct", prefix.rstrip("."))
        places = own_fields(self.rules, struct_names(layout, prefix))
        self._check_others(layout, places, value, prefix)
        value = dependent_fields(self.rules, layout, value, prefix)
        expected = None if prefix else self.rules.expected
        chunks: list[bytes] = []
        for one in places:
            chunks.append(self._field(one, value.get(one.field.name, _MISSING)))
            if expected is not None and not expected.startswith(b"".join(chunks)[: len(expected)]):
                raise OtherReplyError
        unknown = value.get(TAGS) or {}
        if layout.flexible:
            chunks.append(self._tags(layout, value, unknown, prefix))
        elif unknown and not self._drops_tags(prefix):
            raise EndingError
        return b"".join(chunks)

    def _drops_tags(self, prefix: str) -> bool:
        """Test if the codec drops unknown tags because its version has no tags."""
        inflexible = self.rules.has("message", INFLEXIBLE)
        return inflexible or self.rules.at("tags-not-in-version", TAG_SECTION, f"{prefix}_tags") == "drop"

    def _check_others(self, layout: StructLayout, own: Sequence[NamedField], value: Any, prefix: str) -> None:
        """Apply the deviations at keys that the version does not have."""
        named = struct_names(layout, prefix)
        for name, item in value.items():
            if name in named.names or any(name == each.field.name for each in own):
                continue
            field = next((each for each in layout.absent if each.name == name), None)
            if field is None:
                raise EndingError
            if field.ignorable or is_default(field, item):
                continue
            tagged = named.other_tags.get(field.tag) if field.tag is not None else None
            if tagged is not None and self._is_written_as_tag(tagged, item):
                continue
            if self.rules.at("other-version", "field", f"{prefix}{name}") != "drop":
                raise EndingError

    def _is_written_as_tag(self, place: NamedField, value: Any) -> bool:
        """Test if the codec writes a tagged field that its version does not have."""
        if value is _MISSING or (is_default(place.field, value) and not self.rules.concern("tag-default")):
            return False
        return self.rules.at("tag-of-other-version", place.kind, place.path) == "write"

    def _field(self, place: NamedField, value: Any) -> bytes:
        field, kind, path = place
        if value is _MISSING:
            filled = _DEFAULT if self._completes(path) else self._absent(place)
            if filled is not _DEFAULT:
                return b"" if filled is _MISSING else self._plain(field, filled)
            value = default_value(field)
        value = changed_value(self.rules, place, value)
        wrong = self.rules.at("layout", kind, path) if self.rules.layouts else ""
        if wrong == SKIP:
            return b""
        if wrong:
            field, value = retyped(field, wrong), bool(value) if wrong == BOOL else value
            kind = type_name(field)
        return self.value(field, kind, value, path)

    def _completes(self, path: str) -> bool:
        """Test if the codec gets the default of a field that the value lacks."""
        return self.whole and path != self.omitted

    def _absent(self, place: NamedField) -> Any:
        """Return the value that the codec fills in; `_MISSING` for none, `_DEFAULT` for the default."""
        field, kind, path = place
        match self.rules.at("absent", kind, path):
            case "zero":
                return zero_of(field)
            case "null":
                return None
            case "empty":
                return [] if field.is_array else "" if field.scalar is ScalarType.STRING else b""
            case "minus-one":
                return -1
            case "constant":
                return parse_constant(self.rules.constant("absent", kind, path), field)
            case "skip":
                return _MISSING
        return _DEFAULT

    def _plain(self, field: FieldLayout, value: Any) -> bytes:
        """Write a value that the codec fills in itself: null is written even where it is not allowed."""
        if value is None:
            if field.struct is not None and not field.is_array:
                return b"\0" if field.tag is not None else b"\xff"
            if field.compact:
                return b"\0"
            return b"\xff\xff" if field.scalar is ScalarType.STRING and not field.is_array else b"\xff" * 4
        return DeviantWriter(Rules()).value(field, type_name(field), value, "")

    def value(self, field: FieldLayout, kind: str, value: Any, path: str) -> bytes:
        """Write a value of the type that `kind` names."""
        if field.is_array:
            return self._array(field, kind, value, path)
        if field.struct is None:
            return self._scalar(field, value, kind, path, nullable=field.nullable)
        if value is None:
            if not field.nullable:
                action = self.rules.at("null-not-allowed", kind, path)
                if action in ("empty", "default"):
                    return self.struct(field.struct, {}, f"{path}.")
                if not action:
                    raise EndingError
            elif self.rules.at("null", kind, path) == "empty":
                return (b"\1") + self.struct(field.struct, {}, f"{path}.")
            other = self.rules.at("marker", kind, path) == "null"
            return b"\0" if other != (field.tag is not None) else b"\xff"
        head = b""
        if field.nullable:
            wrong = self.rules.at("marker", kind, path)
            head = b"" if wrong == "skip" else b"\0" if wrong == "present" else b"\1"
        return head + self.struct(field.struct, value, f"{path}.")

    def _array(self, field: FieldLayout, kind: str, value: Any, path: str) -> bytes:
        value = self._null_or_empty(field, value, kind, path, field.nullable, [])
        if value is None:
            return write_length(self.rules, field, -1, kind, path, wide=True)
        if not isinstance(value, list):
            return self._of_other_type(kind, path)
        element = type_name(field, element=True)
        value = rearranged_elements(self.rules, field, path, value)
        count = len(value)
        if value and self.rules.at("not-empty", kind, path) == "one-less":
            value = value[:-1]
        self.rules.at_size(count, kind, path)
        chunks = [write_length(self.rules, field, count, kind, path, wide=True)]
        inner, prefix = f"{path}[]", f"{path}[]."
        for item in value:
            if field.struct is not None:
                chunks.append(self.struct(field.struct, item, prefix))
            else:
                chunks.append(self._scalar(field, item, element, inner, nullable=False))
        return b"".join(chunks)

    def _null_or_empty(
        self, field: FieldLayout, value: Any, kind: str, path: str, nullable: bool, empty: Any
    ) -> Any:
        """Return the value that the codec writes in place of null or an empty one."""
        if value is None:
            action = self.rules.at("null" if nullable else "null-not-allowed", kind, path)
            if action == "empty":
                return empty
            if action == "default":
                return default_value(field)
            if not (action or nullable):
                raise EndingError
            return None
        if isinstance(value, str | bytes | list) and not value:
            return None if self.rules.at("empty", kind, path) == "null" else value
        return value

    def _scalar(self, field: FieldLayout, value: Any, kind: str, path: str, *, nullable: bool) -> bytes:
        scalar = field.scalar
        if scalar in (ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS):
            return self._prefixed(field, value, kind, path, nullable)
        if value is None:
            action = self.rules.at("null-not-allowed", kind, path)
            if not action:
                raise EndingError
            value = default_value(field) if action == "default" else zero_of(field)
        if scalar in INTEGER_RANGES:
            return self._integer(field, scalar, value, kind, path)
        if scalar is ScalarType.BOOL and isinstance(value, bool):
            return bytes([value])
        if scalar is ScalarType.FLOAT64 and isinstance(value, int | float) and not isinstance(value, bool):
            return struct.pack(">d", checked_number(self.rules, field, kind, path, float(value)))
        if scalar is ScalarType.UUID and isinstance(value, UUID):
            return value.bytes
        return self._of_other_type(kind, path)

    def _integer(self, field: FieldLayout, scalar: ScalarType, value: Any, kind: str, path: str) -> bytes:
        if isinstance(value, bool) or not isinstance(value, int):
            return self._of_other_type(kind, path)
        low, high = INTEGER_RANGES[scalar]
        width = WIDTHS[scalar]
        if not low <= value <= high:
            match self.rules.at("range", kind, path):
                case "wrap":
                    return (value % (1 << (8 * width))).to_bytes(width)
                case "clamp":
                    value = max(low, min(high, value))
                case _:
                    raise EndingError
        number: int = checked_number(self.rules, field, kind, path, value)
        return number.to_bytes(width, signed=low < 0)

    def _prefixed(self, field: FieldLayout, value: Any, kind: str, path: str, nullable: bool) -> bytes:
        text = field.scalar is ScalarType.STRING
        value = self._null_or_empty(field, value, kind, path, nullable, "" if text else b"")
        if value is None:
            return write_length(self.rules, field, -1, kind, path, wide=not text)
        if text and isinstance(value, str):
            held = encoded_text(self.rules, value, kind, path)
        elif not text and isinstance(value, bytes | bytearray | memoryview):
            held = bytes(value)
        else:
            return self._of_other_type(kind, path)
        if text and len(held) > _MAX_STRING:
            action = self.rules.at("long-text", kind, path)
            if not action:
                raise EndingError
            if action == "wrap" and not field.compact:
                return (len(held) % (1 << 16)).to_bytes(2) + held
        length = len(held)
        self.rules.at_size(length, kind, path)
        if text and not held.isascii() and self.rules.at("text-length", kind, path) == "characters":
            length = len(value)
        return write_length(self.rules, field, length, kind, path, wide=not text) + held

    def _of_other_type(self, kind: str, path: str) -> bytes:
        self.rules.at("type", kind, path)
        raise EndingError

    def _tags(self, layout: StructLayout, value: dict[str, Any], unknown: Any, prefix: str) -> bytes:
        section = f"{prefix}_tags"
        given = [field.tag for name in value for field in layout.tagged if field.name == name]
        named = struct_names(layout, prefix)
        tagged, _ = own_tags(self.rules, named)
        known = self._known_tags(tagged, value, prefix)
        others = {
            tag: each.field
            for tag, each in named.other_tags.items()
            if self._is_written_as_tag(each, value.get(each.field.name, _MISSING))
        }
        known |= self._known_tags(others, value, prefix)
        reserved = named.reserved | (named.by_tag.keys() & tagged.keys())
        kept = self._unknown_tags(reserved, unknown, section)
        action = self.rules.at("tags", TAG_SECTION, section)
        if action == "skip":
            return b""
        if action == "empty":
            return b"\0"
        fields = {**{tag: self._sized(data, section) for tag, data in known.items()}, **kept}
        order = sorted(fields)
        if len(order) > 1:
            order = self._ordered(order, known, kept, given, section)
        chunks = [write_varint(self.rules, len(order), section)]
        for tag in order:
            held = fields[tag]
            if held is not None:
                chunks += (write_varint(self.rules, tag, section), held)
        return b"".join(chunks)

    def _ordered(
        self, order: list[int], known: Any, kept: Any, given: list[int | None], section: str
    ) -> list[int]:
        match self.rules.at("tag-order", TAG_SECTION, section):
            case "unknown-first":
                return [*sorted(kept), *sorted(known)]
            case "given":
                return [*(tag for tag in given if tag in known), *kept]
            case "reversed":
                return order[::-1]
        return order

    def _known_tags(
        self, tagged: Mapping[int, FieldLayout], value: dict[str, Any], prefix: str
    ) -> dict[int, bytes]:
        known: dict[int, bytes] = {}
        for tag, field in tagged.items():
            _, kind, path = place = NamedField.of(field, prefix)
            held = value.get(field.name, _MISSING)
            if held is _MISSING:
                held = _DEFAULT if self._completes(path) else self._absent(place)
            if held is _MISSING:
                continue
            default = own_default(self.rules, place)
            held = changed_value(self.rules, place, default if held is _DEFAULT else held)
            own = not same(default, default_value(field))
            falsy, at_default = is_falsy(held), same(held, default) if own else is_default(field, held)
            if falsy or at_default:
                action = self.rules.at("tag-default", kind, path)
                given = action == "given" or (action == "new" and not self.again)
                forced = action == "write" or (given and field.name in value)
                written = not falsy if action == "truthy" else not at_default or forced
                if not written:
                    continue
            known[tag] = self.value(field, kind, held, path)
        return known

    def _unknown_tags(self, known: Collection[int], unknown: Any, section: str) -> dict[int, bytes | None]:
        """Return the bytes to write after each tag; None for a tag that is counted and not written."""
        kept: dict[int, bytes | None] = {}
        for number, held in unknown.items():
            tag = number
            data: bytes | None = bytes(held)
            if tag in known or not 0 <= tag <= _MAX_TAG:
                trigger = "known-as-unknown" if tag in known else "tag-number"
                action = self.rules.at(trigger, TAG_SECTION, section)
                if not action:
                    raise EndingError
                if action == "drop":
                    continue
                tag = number % (1 << 32)
                data = None if action == "count" and tag > _MAX_INT32 else data
            if tag == 0:
                self.rules.at("tag-zero", TAG_SECTION, section)
            again = self.again and self.rules.at("unknown-tag-again", TAG_SECTION, section) == "drop"
            action = "drop" if again else self.rules.at("unknown-tag", TAG_SECTION, section)
            if action == "drop":
                continue
            if data is not None:
                data = kept_part(action, tag, data, before=len(kept))
                if data is None:
                    continue
            kept[tag] = data if data is None or action == "no-size" else self._sized(data, section)
        return kept

    def _sized(self, data: bytes, section: str) -> bytes:
        wrong = self.rules.at("tag-size", TAG_SECTION, section)
        size = len(data) + (wrong == "one-more") - (wrong == "one-less")
        return write_varint(self.rules, max(size, 0), section) + data
