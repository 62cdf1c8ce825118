"""TCP segments of packets, over IPv4 and IPv6.

Source: tcpdump's list of link types. Packets of other protocols are counted and skipped; so are cut packets
and fragments, whose bytes will be missing.
"""

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import BinaryIO, Final, TypeAlias

from wireproof.traffic.wire.packets.packet_file import (
    Packet,
    PacketFileFormatError,
    PacketSplit,
    read_packet_file,
)


@dataclass(frozen=True, slots=True, order=True)
class Endpoint:
    """An address and a port."""

    address: str
    port: int

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


@dataclass(frozen=True, slots=True)
class TcpSegment:
    """A TCP segment of one packet.

    Attributes:
        time_ns: nanoseconds since 1970.
        position: the position of the packet in its file; 0 without a file.
        sequence: the sequence number of the first byte of `data`, or of the SYN.
        lost: the number of its data bytes that the capture did not keep.
        acknowledged: the sequence number of the next byte that its sender expects; None without ACK.
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
    acknowledged: int | None = None
    position: int = field(default=0, compare=False)


@dataclass(slots=True)
class PacketCounts:
    """Counts of read and skipped packets.

    Attributes:
        other: packets that are not TCP over IP, by protocol.
        fragments: fragments of IP packets, which are not reassembled.
    """

    packets: int = 0
    other: dict[str, int] = field(default_factory=dict)
    fragments: int = 0

    def pass_over(self, what: str) -> None:
        """Count one packet that is not TCP."""
        self.other[what] = self.other.get(what, 0) + 1


def read_packets(
    file: BinaryIO, count: PacketCounts | None = None, split: PacketSplit | None = None
) -> Iterator[TcpSegment]:
    """Yield the TCP segments of a capture, in file order.

    Args:
        split: a part of the file; None is all of it.

    Raises:
        PacketFileFormatError: the file is neither pcap nor pcapng, or a link type or block cannot be read.
        TruncatedPacketFileError: it ends within a packet.
    """
    count = PacketCounts() if count is None else count
    for packet in read_packet_file(file, split):
        count.packets += 1
        segment = _segment(packet, count)
        if segment is not None:
            yield segment


_FOUR: Final = 4
_IP4, _IP6, _VLAN, _QINQ = 0x0800, 0x86DD, 0x8100, 0x88A8
_Peeled: TypeAlias = tuple[int, int]
"""EtherType, and the offset of its packet."""


def _ethernet(data: bytes) -> _Peeled:
    pos = 12
    ether = int.from_bytes(data[pos : pos + 2], "big")
    while ether in (_VLAN, _QINQ):
        pos += _FOUR
        ether = int.from_bytes(data[pos : pos + 2], "big")
    return ether, pos + 2


def _raw(data: bytes) -> _Peeled:
    return (_IP6 if data[:1] and data[0] >> 4 == 6 else _IP4), 0


def _after_family(data: bytes) -> _Peeled:
    """Skip the address family of BSD loopback. It depends on the system, so the IP version is read."""
    return _raw(data[_FOUR:])[0], _FOUR


_LINKS: Final[Mapping[int, Callable[[bytes], _Peeled]]] = {
    0: _after_family,
    1: _ethernet,
    12: _raw,
    14: _raw,
    101: _raw,
    108: _after_family,
    113: lambda data: (int.from_bytes(data[14:16], "big"), 16),  # Linux cooked
    228: lambda data: (_IP4, 0),
    229: lambda data: (_IP6, 0),
    276: lambda data: (int.from_bytes(data[:2], "big"), 20),  # Linux cooked, version 2
}


def _segment(packet: Packet, count: PacketCounts) -> TcpSegment | None:
    peel = _LINKS.get(packet.link)
    if peel is None:
        raise PacketFileFormatError(
            f"link type {packet.link} is not known; known are {', '.join(map(str, _LINKS))}"
        )
    ether, start = peel(packet.data)
    missing = max(0, packet.length - len(packet.data))
    if ether == _IP4:
        return _ip4(packet, start, missing, count)
    if ether == _IP6:
        return _ip6(packet, start, missing, count)
    count.pass_over(f"EtherType {ether:#06x}")
    return None


def _ip4(packet: Packet, start: int, missing: int, count: PacketCounts) -> TcpSegment | None:
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
    # 0 means segmentation by the network card: the packet extends to the end.
    end = start + total if total else len(data) + missing
    return _tcp(packet, start + head, end, source, target, count)


_EXTENSIONS: Final = frozenset({0, 43, 60})


def _ip6(packet: Packet, start: int, missing: int, count: PacketCounts) -> TcpSegment | None:
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
    packet: Packet, start: int, end: int, source: str, target: str, count: PacketCounts
) -> TcpSegment | None:
    data = packet.data
    if len(data) < start + 20:
        count.pass_over("cut TCP")
        return None
    source_port, target_port, sequence, acknowledged = struct.unpack_from(">HHII", data, start)
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
        acknowledged=acknowledged if flags & 0x10 else None,
        position=packet.position,
    )
