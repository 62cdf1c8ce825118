"""Packets of capture files (pcap, pcapng), read whole or in parallel parts.

Sources: the pcap and pcapng drafts of the IETF opsawg. Nothing in such a file marks the start of a packet, so
a first pass steps from head to head and finds offsets to split it at. Each part carries the earlier facts
that its reader needs.
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Final


class PacketFileFormatError(ValueError):
    """The file is not a readable packet capture."""


class TruncatedPacketFileError(ValueError):
    """The file ends within the packet at `offset`; all earlier packets were yielded."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"the file ends within the packet at byte {offset}")
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet: `length` is its sent size, `data` its kept bytes, `position` its offset in the file."""

    time_ns: int
    link: int
    data: bytes
    length: int
    position: int


@dataclass(frozen=True, slots=True)
class CaptureInterface:
    """An interface of a pcapng file."""

    link: int
    snap: int
    units_per_s: int = 1_000_000


@dataclass(frozen=True, slots=True)
class PacketSplit:
    """The packets of a file from `start` to before `end`; order and interfaces are those at `start`."""

    start: int
    end: int
    order: str = ""
    interfaces: tuple[CaptureInterface, ...] = ()


@dataclass(slots=True)
class _Section:
    """Byte order and interfaces of a pcapng section."""

    order: str = ">"
    interfaces: list[CaptureInterface] = field(default_factory=list)


_LATEST_NS: Final = (1 << 63) - 1
"""The latest time, in the year 2262. A later one comes from a damaged file."""
_FOUR: Final = 4
_PCAP_HEAD: Final = 24
_PCAP_RECORD: Final = 16
_NO_RECORD: Final = bytes(_PCAP_RECORD)
"""Zeros, as a file system appends after a killed program. No real packet is empty and of the year 1970."""
_PCAP_MAGICS: Final[Mapping[bytes, tuple[str, int]]] = {
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\x3c\x4d": (">", 1),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
}
"""The byte order, and the nanoseconds of the smaller unit of time."""

_SECTION: Final = 0x0A0D0D0A
_INTERFACE, _SIMPLE, _ENHANCED = 1, 3, 6
_BYTE_ORDER_MAGIC: Final = 0x1A2B3C4D
_BLOCK_HEAD: Final = 8
_MAX_PACKET: Final = 64 * 1024 * 1024


def read_packet_file(file: BinaryIO, split: PacketSplit | None = None) -> Iterator[Packet]:
    """Yield the packets of a file, or of a part of it.

    Args:
        file: at its start; seekable if `split` is given.

    Raises:
        PacketFileFormatError: the file is neither pcap nor pcapng, or a block cannot be read.
        TruncatedPacketFileError: it ends within a packet, or zeros follow.
    """
    form = _form(file)
    yield from _pcapng(file, split) if form is None else _pcap(file, *form, split)


def _form(file: BinaryIO) -> tuple[str, int] | None:
    """Read the first bytes; return the byte order and the unit of a pcap file, None for pcapng."""
    magic = file.read(_FOUR)
    if magic not in _PCAP_MAGICS and magic != _SECTION.to_bytes(_FOUR, "big"):
        raise PacketFileFormatError(f"it begins with {magic.hex() or 'nothing'}: neither pcap nor pcapng")
    return _PCAP_MAGICS.get(magic)


def split_packet_file(file: BinaryIO, split_bytes: int) -> Iterator[PacketSplit]:
    """Yield consecutive parts of about `split_bytes` bytes; only heads are read.

    Raises PacketFileFormatError as `read_packet_file` does.
    """
    size = file.seek(0, 2)
    file.seek(0)
    form = _form(file)
    places = _pcapng_places(file, size) if form is None else _pcap_places(file, form[0], size)
    begun: PacketSplit | None = None
    for place in places:
        if begun is None:
            begun = place
        elif place.start - begun.start >= split_bytes:
            yield PacketSplit(begun.start, place.start, begun.order, begun.interfaces)
            begun = place
    if begun is not None:
        yield PacketSplit(begun.start, size, begun.order, begun.interfaces)


def _pcap_places(file: BinaryIO, order: str, size: int) -> Iterator[PacketSplit]:
    offset = _PCAP_HEAD
    while offset < size:
        yield PacketSplit(offset, size)
        file.seek(offset)
        head = file.read(_PCAP_RECORD)
        if len(head) < _PCAP_RECORD or head == _NO_RECORD:
            return
        offset += _PCAP_RECORD + struct.unpack(order + "IIII", head)[2]


def _pcapng_places(file: BinaryIO, size: int) -> Iterator[PacketSplit]:
    section, offset = _Section(), 0
    while offset < size:
        yield PacketSplit(offset, size, section.order, tuple(section.interfaces))
        file.seek(offset)
        head = file.read(_BLOCK_HEAD)
        if len(head) < _BLOCK_HEAD:
            return
        kind = _kind(head, section)
        if kind in (_SECTION, _INTERFACE):
            file.seek(offset)
            _block(file, section, offset)
            offset = file.tell()
        else:
            offset += _length(head[_FOUR:], section.order, offset)


def _exactly(file: BinaryIO, size: int, offset: int) -> bytes:
    if size > _MAX_PACKET:
        raise PacketFileFormatError(f"a block of {size} bytes at byte {offset}; {_MAX_PACKET} at most")
    data = file.read(size)
    if len(data) < size:
        raise TruncatedPacketFileError(offset)
    return data


def _pcap(file: BinaryIO, order: str, unit_ns: int, split: PacketSplit | None) -> Iterator[Packet]:
    rest = _exactly(file, _PCAP_HEAD - _FOUR, 0)
    (link,) = struct.unpack(order + "I", rest[-_FOUR:])
    offset = _PCAP_HEAD
    if split is not None:
        offset = file.seek(split.start)
    while (split is None or offset < split.end) and (head := file.read(_PCAP_RECORD)):
        if len(head) < _PCAP_RECORD or head == _NO_RECORD:
            raise TruncatedPacketFileError(offset)
        seconds, units, kept, length = struct.unpack(order + "IIII", head)
        data = _exactly(file, kept, offset)
        yield Packet(seconds * 1_000_000_000 + units * unit_ns, link & 0xFFFF, data, length, offset)
        offset += _PCAP_RECORD + kept


def _pcapng(file: BinaryIO, split: PacketSplit | None) -> Iterator[Packet]:
    """Read the blocks; the magic of the first section block has been read."""
    section, offset, begun = _Section(), 0, _SECTION.to_bytes(_FOUR, "big")
    if split is not None:
        section = _Section(split.order, list(split.interfaces))
        offset, begun = file.seek(split.start), b""
    while split is None or offset < split.end:
        found = _block(file, section, offset, begun)
        begun = b""
        if found is None:
            return
        kind, body, size = found
        if kind in (_ENHANCED, _SIMPLE):
            yield _block_packet(section, kind, body, offset)
        offset += size


def _block(
    file: BinaryIO, section: _Section, offset: int, begun: bytes = b""
) -> tuple[int, bytes, int] | None:
    """Read kind, body and size of a block that begins with `begun`; None at the end. Update the section."""
    head = begun + file.read(_FOUR - len(begun))
    if not head:
        return None
    if len(head) < _FOUR:
        raise TruncatedPacketFileError(offset)
    length_bytes, taken = _exactly(file, _FOUR, offset), b""
    kind = _kind(head, section)
    if kind == _SECTION:
        taken = _exactly(file, _FOUR, offset)
        section.order, section.interfaces = _byte_order(taken, offset), []
    size = _length(length_bytes, section.order, offset)
    body = taken + _exactly(file, size - _BLOCK_HEAD - len(taken), offset)[:-_FOUR]
    if kind == _INTERFACE:
        section.interfaces.append(_interface(section.order, body))
    return kind, body, size


def _kind(head: bytes, section: _Section) -> int:
    """Return a block's kind; a section's kind is the same in both byte orders."""
    return int.from_bytes(head[:_FOUR], "big" if section.order == ">" else "little")


def _length(length_bytes: bytes, order: str, offset: int) -> int:
    (length,) = struct.unpack(order + "I", length_bytes)
    if length < 12 or length % _FOUR:
        raise PacketFileFormatError(f"the block at byte {offset} is of {length} bytes")
    return int(length)


def _byte_order(begin: bytes, offset: int) -> str:
    for order in "><":
        if struct.unpack(order + "I", begin)[0] == _BYTE_ORDER_MAGIC:
            return order
    raise PacketFileFormatError(f"the section at byte {offset} has no byte order: {begin.hex()}")


def _interface(order: str, body: bytes) -> CaptureInterface:
    link, _, snap = struct.unpack_from(order + "HHI", body)
    units_per_s, pos = 1_000_000, 8
    while pos + _FOUR <= len(body):
        code, size = struct.unpack_from(order + "HH", body, pos)
        if code == 0:
            break
        if code == 9 and size == 1:  # if_tsresol
            resolution = body[pos + _FOUR]
            base = 2 if resolution & 0x80 else 10
            units_per_s = int(base ** (resolution & 0x7F))
        pos += _FOUR + size + -size % _FOUR
    return CaptureInterface(link, snap, units_per_s)


def _block_packet(section: _Section, kind: int, body: bytes, offset: int) -> Packet:
    order, interfaces = section.order, section.interfaces
    if kind == _SIMPLE:
        number, units, start = 0, 0, _FOUR
        (length,) = struct.unpack_from(order + "I", body)
        kept = length
    else:
        number, high, low, kept, length = struct.unpack_from(order + "IIIII", body)
        units, start = high << 32 | low, 20
    if number >= len(interfaces):
        raise PacketFileFormatError(
            f"the packet at byte {offset} is of interface {number}, which is not described"
        )
    interface = interfaces[number]
    if kind == _SIMPLE and interface.snap:
        kept = min(kept, interface.snap)
    time_ns = min(units * 1_000_000_000 // interface.units_per_s, _LATEST_NS)
    return Packet(time_ns, interface.link, body[start : start + kept], length, offset)
