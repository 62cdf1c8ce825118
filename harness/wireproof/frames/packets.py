"""Packet captures (pcap, pcapng) -> TCP segments, over IPv4 and IPv6.

Sources: the pcap and pcapng drafts of the IETF opsawg, the list of link types of tcpdump. What is not TCP is
counted and passed over; what is cut or in fragments is told, for its bytes will be missing.
"""

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import BinaryIO, Final, TypeAlias

__all__ = ["CaptureCutError", "Endpoint", "NoCaptureError", "PacketCount", "TcpSegment", "read_packets"]


class NoCaptureError(ValueError):
    """The file is no packet capture that can be read."""


class CaptureCutError(ValueError):
    """The file ends within a packet; all packets before it were given.

    Attributes:
        offset: where the packet begins.
    """

    def __init__(self, offset: int) -> None:
        super().__init__(f"the file ends within the packet at byte {offset}")
        self.offset = offset


@dataclass(frozen=True, slots=True, order=True)
class Endpoint:
    """An address and a port."""

    address: str
    port: int

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


@dataclass(frozen=True, slots=True)
class TcpSegment:
    """A TCP segment as one packet carried it.

    Attributes:
        time_ns: since 1970.
        sequence: of the first byte of `data` (of the SYN, where there is one).
        lost: bytes of its data that the capture did not keep.
    """

    time_ns: int
    source: Endpoint
    target: Endpoint
    sequence: int
    data: bytes
    syn: bool = False
    fin: bool = False
    reset: bool = False
    lost: int = 0


@dataclass(slots=True)
class PacketCount:
    """What was passed over.

    Attributes:
        packets: all.
        other: those that are not TCP over IP, by what they are.
        fragments: pieces of IP packets, which are not put together.
    """

    packets: int = 0
    other: dict[str, int] = field(default_factory=dict)
    fragments: int = 0

    def pass_over(self, what: str) -> None:
        """Count one packet that is no TCP."""
        self.other[what] = self.other.get(what, 0) + 1


@dataclass(frozen=True, slots=True)
class _Packet:
    """A record of the file: `length` is what was sent, `data` what was kept."""

    time_ns: int
    link: int
    data: bytes
    length: int


_FOUR: Final = 4
_PCAP_HEAD: Final = 24
_PCAP_RECORD: Final = 16
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
_MAX_PACKET: Final = 64 * 1024 * 1024


def read_packets(file: BinaryIO, count: PacketCount | None = None) -> Iterator[TcpSegment]:
    """The TCP segments of a capture, in the order of the file.

    Raises:
        NoCaptureError: the file is neither pcap nor pcapng, or a link type or block cannot be read.
        CaptureCutError: it ends within a packet.
    """
    count = PacketCount() if count is None else count
    magic = file.read(_FOUR)
    if magic in _PCAP_MAGICS:
        packets = _pcap(file, *_PCAP_MAGICS[magic])
    elif magic == _SECTION.to_bytes(_FOUR, "big"):
        packets = _pcapng(file)
    else:
        raise NoCaptureError(f"it begins with {magic.hex() or 'nothing'}: neither pcap nor pcapng")
    for packet in packets:
        count.packets += 1
        segment = _segment(packet, count)
        if segment is not None:
            yield segment


def _exactly(file: BinaryIO, size: int, offset: int) -> bytes:
    if size > _MAX_PACKET:
        raise NoCaptureError(f"a block of {size} bytes at byte {offset}; {_MAX_PACKET} at most")
    data = file.read(size)
    if len(data) < size:
        raise CaptureCutError(offset)
    return data


def _pcap(file: BinaryIO, order: str, unit_ns: int) -> Iterator[_Packet]:
    rest = _exactly(file, _PCAP_HEAD - _FOUR, 0)
    (link,) = struct.unpack(order + "I", rest[-_FOUR:])
    offset = _PCAP_HEAD
    while head := file.read(_PCAP_RECORD):
        if len(head) < _PCAP_RECORD:
            raise CaptureCutError(offset)
        seconds, units, kept, length = struct.unpack(order + "IIII", head)
        data = _exactly(file, kept, offset)
        yield _Packet(seconds * 1_000_000_000 + units * unit_ns, link & 0xFFFF, data, length)
        offset += _PCAP_RECORD + kept


@dataclass(slots=True)
class _Interface:
    link: int
    snap: int
    units_per_s: int = 1_000_000


def _pcapng(file: BinaryIO) -> Iterator[_Packet]:
    """Blocks; the magic of the first section block has been read."""
    order, offset = ">", 0
    interfaces: list[_Interface] = []
    kind_bytes = _SECTION.to_bytes(_FOUR, "big")
    while kind_bytes:
        if len(kind_bytes) < _FOUR:
            raise CaptureCutError(offset)
        kind = int.from_bytes(kind_bytes, "big" if order == ">" else "little")
        length_bytes = _exactly(file, _FOUR, offset)
        if kind == _SECTION:
            begin = _exactly(file, _FOUR, offset)
            order, interfaces = _byte_order(begin, offset), []
            body = begin + _block_rest(file, order, length_bytes, offset, taken=_FOUR)
        else:
            body = _block_rest(file, order, length_bytes, offset, taken=0)
        if kind == _INTERFACE:
            interfaces.append(_interface(order, body))
        elif kind in (_ENHANCED, _SIMPLE):
            yield _block_packet(order, kind, body, interfaces, offset)
        offset += len(body) + 12
        kind_bytes = file.read(_FOUR)


def _byte_order(begin: bytes, offset: int) -> str:
    for order in "><":
        if struct.unpack(order + "I", begin)[0] == _BYTE_ORDER_MAGIC:
            return order
    raise NoCaptureError(f"the section at byte {offset} has no byte order: {begin.hex()}")


def _block_rest(file: BinaryIO, order: str, length_bytes: bytes, offset: int, *, taken: int) -> bytes:
    """The body of a block without what was taken of it; its length stands before it and behind it."""
    (length,) = struct.unpack(order + "I", length_bytes)
    if length < 12 or length % _FOUR:
        raise NoCaptureError(f"the block at byte {offset} is of {length} bytes")
    return _exactly(file, length - 8 - taken, offset)[:-_FOUR]


def _interface(order: str, body: bytes) -> _Interface:
    link, _, snap = struct.unpack_from(order + "HHI", body)
    interface = _Interface(link, snap)
    pos = 8
    while pos + _FOUR <= len(body):
        code, size = struct.unpack_from(order + "HH", body, pos)
        if code == 0:
            break
        if code == 9 and size == 1:  # if_tsresol
            resolution = body[pos + _FOUR]
            base = 2 if resolution & 0x80 else 10
            interface.units_per_s = int(base ** (resolution & 0x7F))
        pos += _FOUR + size + -size % _FOUR
    return interface


def _block_packet(order: str, kind: int, body: bytes, interfaces: list[_Interface], offset: int) -> _Packet:
    if kind == _SIMPLE:
        number, units, start = 0, 0, _FOUR
        (length,) = struct.unpack_from(order + "I", body)
        kept = length
    else:
        number, high, low, kept, length = struct.unpack_from(order + "IIIII", body)
        units, start = high << 32 | low, 20
    if number >= len(interfaces):
        raise NoCaptureError(f"the packet at byte {offset} is of interface {number}, which is not described")
    interface = interfaces[number]
    if kind == _SIMPLE and interface.snap:
        kept = min(kept, interface.snap)
    return _Packet(
        units * 1_000_000_000 // interface.units_per_s, interface.link, body[start : start + kept], length
    )


_IP4, _IP6, _VLAN, _QINQ = 0x0800, 0x86DD, 0x8100, 0x88A8
_Peeled: TypeAlias = tuple[int, int]
"""EtherType and where the packet of that type begins."""


def _ethernet(data: bytes) -> _Peeled:
    pos = 12
    ether = int.from_bytes(data[pos : pos + 2], "big")
    while ether in (_VLAN, _QINQ):
        pos += _FOUR
        ether = int.from_bytes(data[pos : pos + 2], "big")
    return ether, pos + 2


def _raw(data: bytes) -> _Peeled:
    return (_IP6 if data[:1] and data[0] >> 4 == 6 else _IP4), 0


def _behind_family(data: bytes) -> _Peeled:
    """BSD loopback: the number of the family in front is the system's own; the IP packet says as much."""
    return _raw(data[_FOUR:])[0], _FOUR


_LINKS: Final[Mapping[int, Callable[[bytes], _Peeled]]] = {
    0: lambda data: (
        (*_raw(data[_FOUR:])[:1], _FOUR)
    ),  # BSD loopback: the family is of the system, the IP says more
    1: _ethernet,
    12: _raw,
    14: _raw,
    101: _raw,
    108: _behind_family,
    113: lambda data: (int.from_bytes(data[14:16], "big"), 16),  # Linux cooked
    228: lambda data: (_IP4, 0),
    229: lambda data: (_IP6, 0),
    276: lambda data: (int.from_bytes(data[:2], "big"), 20),  # Linux cooked, version 2
}


def _segment(packet: _Packet, count: PacketCount) -> TcpSegment | None:
    peel = _LINKS.get(packet.link)
    if peel is None:
        raise NoCaptureError(f"link type {packet.link} is not known; known are {', '.join(map(str, _LINKS))}")
    ether, start = peel(packet.data)
    missing = max(0, packet.length - len(packet.data))
    if ether == _IP4:
        return _ip4(packet, start, missing, count)
    if ether == _IP6:
        return _ip6(packet, start, missing, count)
    count.pass_over(f"EtherType {ether:#06x}")
    return None


def _ip4(packet: _Packet, start: int, missing: int, count: PacketCount) -> TcpSegment | None:
    data = packet.data
    if len(data) < start + 20:
        count.pass_over("cut IPv4")
        return None
    head = (data[start] & 0x0F) * _FOUR
    total, fragment = struct.unpack_from(">H2xH", data, start + 2)
    if fragment & 0x3FFF:
        count.fragments += 1
        return None
    if data[start + 9] != 6:
        count.pass_over(f"IP protocol {data[start + 9]}")
        return None
    source, target = (str(ip_address(data[start + at : start + at + _FOUR])) for at in (12, 16))
    # 0 stands where the network card was to cut the packet up: it goes on to the end.
    end = start + total if total else len(data) + missing
    return _tcp(packet, start + head, end, source, target, count)


_EXTENSIONS: Final = frozenset({0, 43, 60})


def _ip6(packet: _Packet, start: int, missing: int, count: PacketCount) -> TcpSegment | None:
    data = packet.data
    if len(data) < start + 40:
        count.pass_over("cut IPv6")
        return None
    payload, following = struct.unpack_from(">HB", data, start + 4)
    source, target = (str(ip_address(data[start + at : start + at + 16])) for at in (8, 24))
    end = start + 40 + payload if payload else len(data) + missing
    pos = start + 40
    while following in _EXTENSIONS and pos + 2 <= len(data):
        following, pos = data[pos], pos + (data[pos + 1] + 1) * 8
    if following == 44:
        count.fragments += 1
        return None
    if following != 6:
        count.pass_over(f"IP protocol {following}")
        return None
    return _tcp(packet, pos, end, source, target, count)


def _tcp(
    packet: _Packet, start: int, end: int, source: str, target: str, count: PacketCount
) -> TcpSegment | None:
    data = packet.data
    if len(data) < start + 20:
        count.pass_over("cut TCP")
        return None
    source_port, target_port, sequence = struct.unpack_from(">HHI", data, start)
    begin = start + (data[start + 12] >> 4) * _FOUR
    flags = data[start + 13]
    kept = data[begin:end]
    return TcpSegment(
        packet.time_ns,
        Endpoint(source, source_port),
        Endpoint(target, target_port),
        sequence,
        kept,
        syn=bool(flags & 0x02),
        fin=bool(flags & 0x01),
        reset=bool(flags & 0x04),
        lost=max(0, end - begin - len(kept)),
    )
