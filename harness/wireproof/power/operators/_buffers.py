"""Buffers of fixed size, offsets, and state that one call leaves for the next."""

from collections.abc import Mapping
from typing import Any, Final

from kafkawire.compiler import MessageCodec
from kafkawire.errors import CodecError, EncodeError, Fault
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import Buffer, as_bytes
from wireproof.power.mutants.codec_operator import (
    CodecKind,
    Deviation,
    WrongCode,
    WrongConduct,
    WrongValue,
)
from wireproof.power.mutants.sites import Site, is_array, is_message


class _Calls:
    """A codec that delegates all calls; subclasses change one of its functions."""

    def __init__(self, codec: MessageCodec) -> None:
        self.codec = codec

    @property
    def layout(self) -> MessageLayout:
        return self.codec.layout

    @property
    def source(self) -> str:
        return self.codec.source

    def decode(self, data: Buffer) -> StructValue:
        return self.codec.decode(data)

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        return self.codec.decode_from(buffer, offset)

    def encode(self, value: StructValue) -> bytes:
        return self.codec.encode(value)

    def size(self, value: StructValue) -> int:
        return self.codec.size(value)


class _FixedBuffer(_Calls):
    def encode(self, value: StructValue) -> bytes:
        data = self.codec.encode(value)
        if len(data) > 1 << 16:
            raise EncodeError(Fault.TOO_LONG, "", "the buffer has 65536 bytes")
        return data


class _OffsetIgnored(_Calls):
    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        return self.codec.decode_from(buffer, 0)


class _Cursor(_Calls):
    """Keeps its position where an input was refused, and starts there the next time."""

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


class _Leftovers(_Calls):
    """Fills one value object again and again."""

    def __init__(self, codec: MessageCodec) -> None:
        super().__init__(codec)
        self._value: StructValue = {}

    def decode(self, data: Buffer) -> StructValue:
        found: dict[str, Any] = self.codec.decode(data)
        self._value.update(found)
        return self._value


def _has_room(site: Site) -> bool:
    """A message that can be made 64 KiB long: one with an array of structs."""
    fields = site.layout.root.all_fields
    return is_message(site) and any(field.is_array and field.struct is not None for field in fields)


def _count_in_16_bits(value: Any) -> Any:
    return value[: len(value) % (1 << 16)] if isinstance(value, list) else value


_LONG_ARRAYS = {
    ("ElectLeadersRequest", "topicPartitions[].partitions"),
    ("DescribeGroupsRequest", "groups"),
    ("OffsetDeleteRequest", "topics[].partitions"),
}


def _is_long(site: Site) -> bool:
    """The array of each kind that the newest version is asked with more elements than 16 bits count."""
    newest = site.layout.version == site.layout.versions.highest
    return newest and (site.layout.name, site.path) in _LONG_ARRAYS


BUFFER_DEVIATIONS: Final[Mapping[str, Deviation]] = {
    "buffer-of-64-KiB": WrongConduct(_has_room, _FixedBuffer),
    "offset-ignored": WrongConduct(is_message, _OffsetIgnored),
    "cursor-left-behind": WrongConduct(is_message, _Cursor),
    "value-object-reused": WrongConduct(is_message, _Leftovers),
    "tail-not-looked-at": WrongCode(is_message, CodecKind.COMPILED),
    "count-of-16-bits": WrongValue(_is_long, outward=_count_in_16_bits),
    "count-one-off": WrongCode(is_array, CodecKind.COMPILED),
}
