"""The reader of the reference codec with deviations: it predicts what a codec with them reads.

Without a deviation it reads what Kafka reads, but refuses bytes that only Kafka's leniencies accept. It
shares no code with the readers of `kafkawire`, which have no place for a deviation.
"""

import struct
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from kafkawire.compiler.defaults import default_value
from kafkawire.schema.layout import FieldLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS
from wireproof.proof.deviations.catalogue.length_triggers import VARINT_SIZES
from wireproof.proof.deviations.catalogue.trigger import SIBLING
from wireproof.proof.deviations.catalogue.triggers import LONG_TAG
from wireproof.proof.deviations.field_values import (
    changed_value,
    check_records,
    checked_number,
    decoded_text,
    kept_part,
    own_default,
    own_fields,
    own_tags,
    rearranged_elements,
    same,
)
from wireproof.proof.deviations.lengths import COUNT, LENGTH, TAG_VARINT, VARINT, length_width
from wireproof.proof.deviations.rules import (
    ENDLESS,
    TAG_SECTION,
    EndingError,
    NamedField,
    OtherReplyError,
    Rules,
    struct_names,
    type_name,
)
from wireproof.proof.deviations.siblings import dependent_fields
from wireproof.proof.deviations.value_changes import zero_of
from wireproof.proof.deviations.wrong_layouts import SKIP, retyped

_INT32: Final = 1 << 32
_MAX_INT32: Final = _INT32 // 2 - 1
_MAX_STRING: Final = 0x7FFF
_HUGE: Final = 1 << 24
"""A number of elements for which no process under test has enough memory."""
_MOST_STEPS: Final = 1_000
"""Most elements and tagged fields beyond two for each byte: with more, time or memory runs out."""
_FIXED: Final = {
    ScalarType.BOOL: struct.Struct(">B"),
    ScalarType.INT8: struct.Struct(">b"),
    ScalarType.INT16: struct.Struct(">h"),
    ScalarType.UINT16: struct.Struct(">H"),
    ScalarType.INT32: struct.Struct(">i"),
    ScalarType.UINT32: struct.Struct(">I"),
    ScalarType.INT64: struct.Struct(">q"),
    ScalarType.FLOAT64: struct.Struct(">d"),
    ScalarType.UUID: struct.Struct("16s"),
}


@dataclass(slots=True)
class DeviantReader:
    """Reads bytes.

    Attributes:
        pos: the next byte; beyond `end` if a deviation counts bytes that do not exist.
        start: the first byte.
        steps: the number of array elements and tagged fields read so far.
    """

    data: bytes
    pos: int
    end: int
    rules: Rules
    start: int = 0
    steps: int = 0

    @property
    def left(self) -> int:
        """The bytes that can be read; none if a deviation moved before the first byte."""
        return max(self.end - self.pos, 0) if self.pos >= self.start else 0

    def struct(self, layout: StructLayout, prefix: str = "") -> dict[str, Any]:
        """Read a struct.

        Raises:
            EndingError: the codec ends here.
        """
        value: dict[str, Any] = {}
        rules = self.rules
        places = own_fields(rules, struct_names(layout, prefix))
        expected = None if prefix or rules.moves or rules.concern(SIBLING) else rules.expected
        for place in places:
            field, kind, path = place
            if self.pos >= self.end and rules.at("missing", kind, path) == "default":
                value[field.name] = default_value(field)
                continue
            wrong = rules.at("layout", kind, path) if rules.layouts else ""
            if wrong == SKIP:
                value[field.name] = default_value(field)
                continue
            if wrong:
                field = retyped(field, wrong)
                kind = type_name(field)
            read = value[field.name] = changed_value(rules, place, self.field(field, kind, path))
            if expected is not None and not same(read, expected.get(field.name)):
                raise OtherReplyError
        if len(places) != len(layout.fields):
            value = {field.name: value[field.name] for field in layout.fields}
        if layout.flexible:
            self._tags(layout, prefix, value)
        return dependent_fields(self.rules, layout, value, prefix)

    def field(self, layout: FieldLayout, kind: str, path: str) -> Any:
        """Read a field of the type that `kind` names."""
        if layout.is_array:
            return self._array(layout, kind, path)
        if layout.struct is not None:
            return self._nested(layout, layout.struct, path)
        return self._scalar(layout, kind, path, nullable=layout.nullable)

    def _count_step(self) -> None:
        self.steps += 1
        if self.steps > 2 * self.end + _MOST_STEPS:
            raise EndingError(ENDLESS)

    def _array(self, layout: FieldLayout, kind: str, path: str) -> Any:
        count = self._length(layout, kind, path, wide=True)
        if count < 0:
            return self._null(layout, count, kind, path, layout.nullable)
        action = self.rules.at("not-empty" if count else "empty", kind, path)
        if action == "null":
            return None
        wanted = count - (action == "one-less")
        left = self.left
        self.rules.at_size(count, kind, path)
        if count == left:
            self.rules.at("to-end", kind, path)
        action = self.rules.at("count-beyond-end", kind, path) if count > left else ""
        if count > left and not action:
            raise EndingError
        if action == "allocate" and count >= _HUGE:
            raise EndingError(ENDLESS)
        element = type_name(layout, element=True)
        inner, prefix = f"{path}[]", f"{path}[]."
        items: list[Any] = []
        while len(items) < wanted:
            if action == "clamp" and self.pos >= self.end:
                break
            self._count_step()
            if layout.struct is None:
                items.append(self._scalar(layout, element, inner, nullable=False))
            else:
                items.append(self.struct(layout.struct, prefix))
        return rearranged_elements(self.rules, layout, path, items)

    def _nested(self, layout: FieldLayout, struct_: StructLayout, path: str) -> Any:
        if not layout.nullable:
            return self.struct(struct_, f"{path}.")
        if layout.tag is None:
            marker = self._unpacked(ScalarType.INT8, layout, "int8", path)
            marker = marker if isinstance(marker, int) else 0  # no int if the codec reads on after the end
            present, clean = marker == 1, marker in (1, -1)
        else:
            marker = self.uvarint(path)
            present, clean = marker == 1, marker in (0, 1)
        if not clean:
            action = self.rules.at("marker", "nullable struct", path)
            if not action:
                raise EndingError
            present = action == "present" or (action == "sign" and marker > 0 - (layout.tag is None))
        elif not present:
            self.rules.at("null", "nullable struct", path)
        return self.struct(struct_, f"{path}.") if present else None

    def _scalar(self, layout: FieldLayout, kind: str, path: str, *, nullable: bool) -> Any:
        scalar = layout.scalar
        assert scalar is not None
        self.rules.at("type", kind, path)
        if scalar in _FIXED:
            return self._fixed(scalar, layout, kind, path)
        text = scalar is ScalarType.STRING
        length = self._length(layout, kind, path, wide=not text)
        if length < 0:
            return self._null(layout, length, kind, path, nullable)
        if length == 0 and self.rules.at("empty", kind, path) == "null":
            return None
        if text and length > _MAX_STRING and self.rules.at("long-text", kind, path) != "read":
            raise EndingError
        self.rules.at_size(length, kind, path)
        held = self._take(length, kind, path)
        if scalar is ScalarType.RECORDS:
            check_records(self.rules, held, kind, path)
        return decoded_text(self.rules, held, kind, path) if text else held

    def _fixed(self, scalar: ScalarType, layout: FieldLayout, kind: str, path: str) -> Any:
        value = self._unpacked(scalar, layout, kind, path)
        if not isinstance(value, int | float):  # a uuid, or the default of an array that ends here
            return value
        if scalar is ScalarType.BOOL:
            return bool(value) and (value == 1 or self.rules.at("bool-above-1", kind, path) != "false")
        if value < 0 and isinstance(value, int) and self.rules.at("sign", kind, path) == "unsigned":
            return value + (1 << 8 * _FIXED[scalar].size)
        return checked_number(self.rules, layout, kind, path, value)

    def _unpacked(self, scalar: ScalarType, layout: FieldLayout, kind: str, path: str) -> Any:
        """Return a value of fixed width; zero or the default if the codec goes on after the end."""
        form = _FIXED[scalar]
        width = form.size
        if self.pos < self.start or self.pos + width > self.end:
            far = self.pos >> 63 and self.rules.at("far-end", kind, path)
            action = far or self.rules.at("end", kind, path)
            if not action:
                raise EndingError
            if action == "default":
                return default_value(layout)
            self.pos += width
            return zero_of(layout)
        (value,) = form.unpack_from(self.data, self.pos)
        self.pos += width
        return UUID(bytes=value) if scalar is ScalarType.UUID else value

    def _take(self, length: int, kind: str, path: str) -> bytes:
        start, left = self.pos, self.left
        if length > left:
            action = self.rules.at("beyond-end", kind, path)
            if not action:
                raise EndingError
            if action == "empty":
                return b""
            self.pos += length if action == "past" else left
            return self.data[start : self.end]
        if length == left:
            self.rules.at("to-end", kind, path)
        self.pos += length
        return self.data[start : self.pos]

    def _null(self, layout: FieldLayout, length: int, kind: str, path: str, nullable: bool) -> Any:
        if length < -1:
            action = self.rules.at("negative-length", kind, path)
        elif nullable:
            return self._empty(layout, kind) if self.rules.at("null", kind, path) == "empty" else None
        else:
            action = self.rules.at("null-not-allowed", kind, path)
        if action == "null":
            return None
        if action == "back":
            self.pos += length
        if action in ("empty", "back"):
            return self._empty(layout, kind)
        raise EndingError

    def _empty(self, layout: FieldLayout, kind: str) -> Any:
        if kind.endswith("array"):
            return []
        return "" if layout.scalar is ScalarType.STRING else b""

    def _length(self, layout: FieldLayout, kind: str, path: str, *, wide: bool) -> int:
        """Read a length or count; -1 is null, and Kafka takes lower numbers for null, too."""
        action = self.rules.at(LENGTH, kind, path)
        width = length_width(layout, action, wide=wide)
        if not width:
            number = self.uvarint(path) - (action != COUNT)
            if _MAX_INT32 <= number < _INT32 and self._is_negative(kind, path):
                number -= _INT32
            return number
        if width > self.left:
            if self.rules.at("end", kind, path) != "zero":
                raise EndingError
            self.pos += width
            return 0
        number = int.from_bytes(self.data[self.pos : self.pos + width], signed=True)
        self.pos += width
        if number < -1 and not self._is_negative(kind, path):
            number += 1 << (8 * width)
        return number

    def _is_negative(self, kind: str, path: str) -> bool:
        """Test if the codec takes a length above 2^31 for a negative number."""
        return self.rules.at("negative-length", kind, path) != "unsigned"

    def uvarint(self, path: str, kind: str = VARINT) -> int:
        result = shift = 0
        while True:
            if not self.start <= self.pos < self.end:
                if self.rules.at("end", kind, path) != "zero":
                    raise EndingError
                self.pos += 1
                return result
            byte = self.data[self.pos]
            self.pos += 1
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift < 35 and self.rules.at(VARINT_SIZES[shift // 7 - 1], kind, path) == "byte":
                return byte
            if byte == 0x80 and self.rules.at("varint-zero", kind, path) == "last":
                break
            if shift == 35:
                action = self.rules.at("varint-long", kind, path)
                if not action:
                    raise EndingError
                if action == "five":
                    break
        if result >= _INT32:
            action = self.rules.at("varint-bits" if shift <= 35 else "varint-long", kind, path)
            if not action:
                raise EndingError
            return result if action == "keep" else result % _INT32
        return result

    def _tags(self, layout: StructLayout, prefix: str, value: dict[str, Any]) -> None:
        section, named = f"{prefix}_tags", struct_names(layout, prefix)
        known, reserved = own_tags(self.rules, named)
        value.update({each.field.name: own_default(self.rules, each) for each in named.tagged})
        action = self.rules.at("tags", TAG_SECTION, section)
        if action:
            self.pos += action == "byte"
            return
        count, previous = self.uvarint(section), -1
        unknown: dict[int, bytes] = {}
        if count:
            self.rules.at("with-tags", TAG_SECTION, section)
        if count > _MAX_INT32 and self.rules.at("negative-length", TAG_SECTION, section) in ("empty", "null"):
            count = 0
        for _ in range(count):
            self._count_step()
            tag = self.uvarint(section, TAG_VARINT)
            if tag <= previous and not self.rules.at("tag-order", TAG_SECTION, section):
                raise EndingError
            place = f"{prefix}{known[tag].name}" if tag in known else section
            size = self.uvarint(place, TAG_VARINT)
            unlike = "" if tag in known else self.rules.at("unknown-tag", TAG_SECTION, section)
            if tag > _MAX_INT32 - 1 and not self.rules.at("tag-number", TAG_SECTION, section):
                raise EndingError
            previous = tag
            action = self.rules.at("known-tag", TAG_SECTION, section) if tag in known else ""
            if size > LONG_TAG:
                self.rules.at("long-tag", TAG_SECTION, place)
            if tag in known and not action:
                value[known[tag].name] = self._known(NamedField.of(known[tag], prefix), size)
            else:
                held = self._unknown(tag in reserved, size, section, action or unlike)
                if held is not None:
                    held = kept_part(unlike, tag, held, before=len(unknown))
                if held is not None:
                    unknown[tag] = held
        if unknown:
            value[TAGS] = dict(sorted(unknown.items()))

    def _known(self, place: NamedField, size: int) -> Any:
        field, kind, path = place
        start = self.pos
        if size > self.end - start and not self.rules.at("beyond-end", TAG_SECTION, path):
            raise EndingError
        try:
            value = self.field(field, kind, path)
            if self.pos - start != size:
                self._end_tagged(path, start + size)
        except EndingError as ending:
            if ending.error or self.rules.at_refusal("tagged", TAG_SECTION, path) != "default":
                raise
            self.pos = start + size
            return default_value(field)
        return changed_value(self.rules, place, value)

    def _end_tagged(self, path: str, end: int) -> None:
        """Go on after a tagged field whose data are shorter or longer than its size."""
        if self.pos > end and self.rules.at_refusal("tagged", TAG_SECTION, path):
            raise EndingError
        action = self.rules.at("tag-size", TAG_SECTION, path)
        if not action:
            raise EndingError
        if action == "size":
            self.pos = end

    def _unknown(self, reserved: bool, size: int, section: str, action: str) -> bytes | None:
        """Read a tagged field that the codec does not know; None if the codec drops it.

        Args:
            reserved: whether a field of another version has the tag.
            action: the action of a codec that drops or changes it; may be empty.
        """
        kept = action not in ("drop", "short")
        if reserved:
            other = self.rules.at("tag-of-other-version", TAG_SECTION, section)
            if not other:
                raise EndingError
            kept = kept and other != "drop"
        if size > _MAX_INT32 and self.rules.at("tag-size-negative", TAG_SECTION, section):
            self.pos += size - _INT32
            return None
        held = self._take(max(size - action.startswith("short"), 0), TAG_SECTION, section)
        return held if kept else None
