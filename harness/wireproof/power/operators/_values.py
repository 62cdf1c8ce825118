"""Wrong values, lengths and calls: integers, text, maps, error codes, malformed bytes, buffers."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from kafkawire.compiler import MessageCodec
from kafkawire.errors import CodecError, DecodeError, EncodeError, Fault
from kafkawire.schema import FieldLayout, ScalarType
from kafkawire.values import StructValue
from kafkawire.wire import Buffer, as_bytes
from wireproof.model.cell import RECORDS_MODULE
from wireproof.power.mutants.codec_operator import (
    CodecCalls,
    CodecKind,
    Deviation,
    WrongCode,
    WrongConduct,
    WrongPrimitive,
    WrongRecords,
    WrongValue,
    only,
)
from wireproof.power.mutants.sites import (
    Site,
    carries,
    either,
    every,
    holds_text_or_bytes,
    is_array,
    is_compact,
    is_in_place,
    is_message,
    is_nullable_struct,
    of_field,
    of_struct,
    of_type,
)


def _wrapped(bits: int) -> Callable[[int], int]:
    """Wrap a number as a narrower signed integer does."""
    half = 1 << (bits - 1)
    return lambda value: (value + half) % (1 << bits) - half


def _zigzag(value: int) -> int:
    """Map int32 one to one: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..., and larger results become negative."""
    return _wrapped(32)((value << 1) ^ (value >> 31))


def _unzigzag(value: int) -> int:
    raw = value % (1 << 32)
    return (raw >> 1) ^ -(raw & 1)


INTEGERS: Final[Mapping[str, Deviation]] = {
    "uint16-as-int16": WrongPrimitive(of_type(ScalarType.UINT16)),
    "int16-as-uint16": WrongPrimitive(of_type(ScalarType.INT16)),
    "int8-as-uint8": WrongPrimitive(of_type(ScalarType.INT8)),
    "uint32-as-int32": WrongPrimitive(of_type(ScalarType.UINT32)),
    "int64-through-32-bits": WrongValue(of_type(ScalarType.INT64), outward=_wrapped(32)),
    "int32-clipped-at-0": WrongValue(of_type(ScalarType.INT32), outward=lambda value: max(value, 0)),
    "little-endian": WrongPrimitive(of_type(ScalarType.INT16, ScalarType.INT32, ScalarType.INT64)),
    "int32-zig-zag": WrongValue(of_type(ScalarType.INT32), outward=_zigzag, inward=_unzigzag),
}


_compact = every(is_compact, either(is_array, holds_text_or_bytes))


VARINTS: Final[Mapping[str, Deviation]] = {
    "varint-ends-one-value-late": WrongPrimitive(_compact),
    "varint-of-two-bytes-at-most": WrongPrimitive(every(is_compact, holds_text_or_bytes)),
    "varint-highest-group-first": WrongPrimitive(_compact),
    "length-zig-zag": WrongPrimitive(_compact),
    "varint-not-minimal": WrongPrimitive(_compact),
    "varint-size-one-bit-off": WrongCode(_compact, CodecKind.COMPILED),
    "long-prefix-not-sized": WrongCode(_compact, CodecKind.COMPILED),
    "timestamp-delta-without-sign": WrongRecords(carries(2)),
    "timestamp-delta-of-32-bits": WrongRecords(carries(2)),
    "header-count-not-zig-zag": WrongRecords(carries(2)),
}


_text = of_type(ScalarType.STRING)


UTF8: Final[Mapping[str, Deviation]] = {
    "length-in-characters": WrongPrimitive(_text),
    "length-in-utf16": WrongPrimitive(_text),
    "surrogates-in-utf8": WrongPrimitive(_text),
    "text-ends-at-nul": WrongValue(_text, inward=only(str, lambda value: value.split("\0")[0])),
    "byte-order-mark-taken-away": WrongValue(
        _text, inward=only(str, lambda value: value.removeprefix("\ufeff"))
    ),
    "nul-at-the-end-taken-away": WrongValue(_text, outward=only(str, lambda value: value.rstrip("\0"))),
}


def _structs_of(field: FieldLayout) -> tuple[FieldLayout, ...]:
    """The fields of an array's structs; none for any other field."""
    return field.struct.all_fields if field.is_array and field.struct is not None else ()


_is_map = of_field(lambda field: any(each.map_key for each in _structs_of(field)))
_is_struct_list = of_field(lambda field: field.is_array and field.struct is not None)


def _last_of_each_key(value: list[Any]) -> list[Any]:
    """Keep the elements as a map does, with the first field as the key."""
    return list({repr(_key(item)): item for item in value}.values())


def _key(item: Any) -> Any:
    return next(iter(item.values()), None) if isinstance(item, dict) else item


def _set_of_filled(value: list[Any]) -> list[Any]:
    """Return the elements without repetitions; those at their defaults stay."""
    filled = (isinstance(item, dict) and any(item.values()) for item in value)
    return list(
        {
            repr(item) if kept else at: item
            for at, (kept, item) in enumerate(zip(filled, value, strict=True))
        }.values()
    )


MAPS: Final[Mapping[str, Deviation]] = {
    "map-keeps-the-last": WrongValue(_is_map, inward=only(list, _last_of_each_key)),
    "map-keeps-the-first": WrongValue(
        _is_map, outward=only(list, lambda value: _last_of_each_key(value[::-1])[::-1])
    ),
    "equal-elements-once": WrongValue(
        _is_struct_list, outward=only(list, lambda value: list({repr(item): item for item in value}.values()))
    ),
    "equal-filled-elements-once": WrongValue(_is_struct_list, outward=only(list, _set_of_filled)),
    # A number as JavaScript's JSON keeps it, within the type's range.
    "int64-through-json": WrongValue(
        of_type(ScalarType.INT64), inward=only(int, lambda value: min(int(float(value)), 2**63 - 1))
    ),
    "bytes-through-text": WrongValue(
        of_type(ScalarType.BYTES, ScalarType.RECORDS),
        inward=only(bytes, lambda value: value.decode(errors="replace").encode()),
    ),
    "double-loses-the-sign-of-zero": WrongValue(
        of_type(ScalarType.FLOAT64), outward=only(float, lambda value: value + 0.0)
    ),
}


_CODES = range(-1, 134)
"""The error codes of today's releases."""


def _unknown_is_refused(value: Any) -> Any:
    if value not in _CODES:
        raise DecodeError(Fault.RANGE, "", f"no error has the code {value}", 0)
    return value


def _unknown_crashes(value: Any) -> Any:
    if value not in _CODES:
        raise ValueError(f"{value} is not a valid ErrorCode")
    return value


_is_list_of_apis = of_field(lambda field: any(each.name == "apiKey" for each in _structs_of(field)))


def _known_apis(value: list[Any]) -> list[Any]:
    return [item for item in value if not isinstance(item, dict) or 0 <= item.get("apiKey", 0) < 100]


_codes = every(of_type(ScalarType.INT16), of_field(lambda field: "errorcode" in field.name.lower()))

CODES: Final[Mapping[str, Deviation]] = {
    "unknown-error-is-minus-one": WrongValue(_codes, inward=lambda value: value if value in _CODES else -1),
    "unknown-error-refused": WrongValue(_codes, inward=_unknown_is_refused),
    "unknown-error-crashes": WrongValue(_codes, outward=_unknown_crashes, inward=_unknown_crashes),
    "unknown-apis-dropped": WrongValue(_is_list_of_apis, inward=only(list, _known_apis)),
}


_blob = of_type(ScalarType.BYTES, ScalarType.RECORDS)
_counted = every(is_in_place, either(is_array, _text, _blob))


def _is_small(site: Site) -> bool:
    """Test if a message has few fields: the codec reads a mutation of each byte before any verdict."""
    return sum(1 for _ in site.layout.walk()) <= 16


def _ends_a_legacy_message(site: Site) -> bool:
    root = site.layout.root
    return site.field is not None and not root.flexible and site.field is root.fields[-1]


HOSTILE: Final[Mapping[str, Deviation]] = {
    "room-for-the-declared-count": WrongPrimitive(every(_is_small, is_array, is_in_place)),
    "room-for-the-declared-bytes": WrongPrimitive(every(_is_small, _blob, is_in_place)),
    "negative-length-is-empty": WrongPrimitive(every(_is_small, _counted, lambda site: not is_compact(site))),
    "varint-without-end": WrongPrimitive(every(_is_small, _counted, is_compact)),
    "bad-text-crashes": WrongPrimitive(every(_is_small, _text, is_in_place)),
    "forbidden-null-read": WrongPrimitive(
        every(_is_small, _counted, of_field(lambda field: not field.nullable))
    ),
    "truncation-crashes": WrongPrimitive(every(_is_small, _counted, is_compact)),
    "text-cut-short": WrongPrimitive(every(_is_small, _text, _ends_a_legacy_message)),
    "bad-text-passed-over": WrongPrimitive(every(_is_small, _text, is_in_place)),
    # Only a field of the message itself, because few bytes precede it.
    "largest-count-never-ends": WrongPrimitive(
        every(_is_small, is_array, is_in_place, lambda site: not site.struct_path)
    ),
    "empty-tag-ends-the-process": WrongPrimitive(
        every(_is_small, of_struct(lambda struct: bool(struct.tagged)))
    ),
    "marker-2-is-null": WrongPrimitive(every(_is_small, is_nullable_struct, is_in_place)),
    "decompresses-without-limit": WrongRecords(
        lambda site: is_message(site) and site.cell.module == RECORDS_MODULE
    ),
    "room-for-the-declared-records": WrongRecords(
        lambda site: is_message(site) and site.cell.module == RECORDS_MODULE and site.cell.version == 2
    ),
}


class _FixedBuffer(CodecCalls):
    def encode(self, value: StructValue) -> bytes:
        data = self.codec.encode(value)
        if len(data) > 1 << 16:
            raise EncodeError(Fault.TOO_LONG, "", "the buffer has 65536 bytes")
        return data


class _OffsetIgnored(CodecCalls):
    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        return self.codec.decode_from(buffer, 0)


class _Cursor(CodecCalls):
    """Keeps its position after a refused input, and starts there the next time."""

    def __init__(self, codec: MessageCodec) -> None:
        super().__init__(codec)
        self._position = 0

    def decode(self, data: Buffer) -> StructValue:
        position, self._position = self._position, 0
        try:
            return self.codec.decode(as_bytes(data)[position:])
        except CodecError:
            self._position = 1
            raise


class _Leftovers(CodecCalls):
    """Fills one value object again and again."""

    def __init__(self, codec: MessageCodec) -> None:
        super().__init__(codec)
        self._value: StructValue = {}

    def decode(self, data: Buffer) -> StructValue:
        found: dict[str, Any] = self.codec.decode(data)
        self._value.update(found)
        return self._value


def _has_room(site: Site) -> bool:
    """Test if a message can be made 64 KiB long: it has an array of structs."""
    fields = site.layout.root.all_fields
    return is_message(site) and any(field.is_array and field.struct is not None for field in fields)


_LONG_ARRAYS = {
    ("ElectLeadersRequest", "topicPartitions[].partitions"),
    ("DescribeGroupsRequest", "groups"),
    ("OffsetDeleteRequest", "topics[].partitions"),
}


def _is_long(site: Site) -> bool:
    """Test if the plan tries an array, in the newest version, with more elements than 16 bits can count."""
    newest = site.layout.version == site.layout.versions.highest
    return newest and (site.layout.name, site.path) in _LONG_ARRAYS


BUFFERS: Final[Mapping[str, Deviation]] = {
    "buffer-of-64-KiB": WrongConduct(_has_room, _FixedBuffer),
    "offset-ignored": WrongConduct(is_message, _OffsetIgnored),
    "cursor-left-behind": WrongConduct(is_message, _Cursor),
    "value-object-reused": WrongConduct(is_message, _Leftovers),
    "tail-not-looked-at": WrongCode(is_message, CodecKind.COMPILED),
    "count-of-16-bits": WrongValue(
        _is_long, outward=only(list, lambda value: value[: len(value) % (1 << 16)])
    ),
    "count-one-off": WrongCode(is_array, CodecKind.COMPILED),
}
