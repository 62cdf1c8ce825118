"""Reading of TCP segments from packet captures."""

import io
import struct
from collections.abc import Callable
from ipaddress import ip_address

import pytest

from wireproof.traffic.wire.packets.packet_file import (
    PacketFileFormatError,
    TruncatedPacketFileError,
    split_packet_file,
)
from wireproof.traffic.wire.packets.tcp_segments import Endpoint, PacketCounts, TcpSegment, read_packets

CLIENT, BROKER = Endpoint("10.0.0.1", 40000), Endpoint("10.0.0.2", 9092)
CLIENT6, BROKER6 = Endpoint("fd00::1", 40000), Endpoint("fd00::2", 9092)


def tcp(data: bytes, flags: int = 0x18, options: bytes = b"") -> bytes:
    """Return a TCP segment from port 40000 to 9092, with sequence 77, which acknowledges 1 if its flags say
    so."""
    words = 5 + len(options) // 4
    return struct.pack(">HHIIBBHHH", 40000, 9092, 77, 1, words << 4, flags, 512, 0, 0) + options + data


def ip4(payload: bytes, protocol: int = 6, fragment: int = 0x4000, total: int | None = None) -> bytes:
    """Return an IPv4 packet from 10.0.0.1 to 10.0.0.2."""
    length = 20 + len(payload) if total is None else total
    head = struct.pack(">BBHHHBBH", 0x45, 0, length, 1, fragment, 64, protocol, 0)
    return head + ip_address("10.0.0.1").packed + ip_address("10.0.0.2").packed + payload


def ip6(payload: bytes, following: int = 6) -> bytes:
    """Return an IPv6 packet from fd00::1 to fd00::2."""
    head = struct.pack(">IHBB", 6 << 28, len(payload), following, 64)
    return head + ip_address("fd00::1").packed + ip_address("fd00::2").packed + payload


def ethernet(packet: bytes, ether: int = 0x0800, tags: bytes = b"") -> bytes:
    """Return an Ethernet frame."""
    return bytes(12) + tags + struct.pack(">H", ether) + packet


def pcap(
    *packets: bytes, link: int = 1, order: str = ">", magic: int = 0xA1B2C3D4, kept: int = 65535
) -> bytes:
    """Return a pcap file whose packets are one second apart, each with 5 of the smaller unit."""
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, kept, link)
    for second, packet in enumerate(packets):
        out += struct.pack(order + "IIII", second, 5, len(packet[:kept]), len(packet)) + packet[:kept]
    return out


def block(order: str, kind: int, body: bytes) -> bytes:
    """Return a pcapng block."""
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def pcapng(order: str, *blocks: bytes, options: bytes = b"", link: int = 1) -> bytes:
    """Return a pcapng file of one section with one interface."""
    section = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    return section + block(order, 1, struct.pack(order + "HHI", link, 0, 65535) + options) + b"".join(blocks)


def enhanced(order: str, units: int, packet: bytes) -> bytes:
    """Return an enhanced packet block of interface 0."""
    head = struct.pack(order + "IIIII", 0, units >> 32, units & 0xFFFFFFFF, len(packet), len(packet))
    return block(order, 6, head + packet)


def read(data: bytes) -> list[TcpSegment]:
    """Return all segments of a capture."""
    return list(read_packets(io.BytesIO(data)))


def segment(time_ns: int = 5000, data: bytes = b"hello") -> TcpSegment:
    """Return the segment that `tcp` encodes."""
    return TcpSegment(time_ns, CLIENT, BROKER, 77, data, acknowledged=1)


@pytest.mark.parametrize("order", [">", "<"])
@pytest.mark.parametrize(("magic", "unit_ns"), [(0xA1B2C3D4, 1000), (0xA1B23C4D, 1)])
def test_pcap_in_both_byte_orders_and_units(order: str, magic: int, unit_ns: int) -> None:
    """The magic gives the byte order, and the small unit of time: microseconds or nanoseconds."""
    data = pcap(*[ethernet(ip4(tcp(b"hello")))] * 2, order=order, magic=magic)
    assert read(data) == [segment(5 * unit_ns), segment(1_000_000_000 + 5 * unit_ns)]


@pytest.mark.parametrize("order", [">", "<"])
def test_pcapng_is_read(order: str) -> None:
    """Blocks without packets are skipped; times are in the unit of the interface."""
    packet = ethernet(ip4(tcp(b"hello")))
    names = block(order, 4, b"\0" * 8)
    simple = block(order, 3, struct.pack(order + "I", len(packet)) + packet)
    data = pcapng(order, names, enhanced(order, 1 << 33, packet), simple)
    assert read(data) == [segment((1 << 33) * 1000), segment(0)]
    nanoseconds = struct.pack(order + "HH", 9, 1) + b"\x09\0\0\0"
    assert read(pcapng(order, enhanced(order, 7, packet), options=nanoseconds)) == [segment(7)]
    quarters = struct.pack(order + "HH", 9, 1) + b"\x82\0\0\0"
    assert read(pcapng(order, enhanced(order, 3, packet), options=quarters)) == [segment(750_000_000)]


def test_pcapng_of_several_sections() -> None:
    """A file may have several captures one after the other, each with its own byte order."""
    packet = ethernet(ip4(tcp(b"hello")))
    data = b"".join(pcapng(order, enhanced(order, 1, packet)) for order in "><>")
    assert read(data) == [segment(1000)] * 3


@pytest.mark.parametrize(
    ("link", "before"),
    [
        (0, b"\2\0\0\0"),
        (108, b"\0\0\0\2"),
        (12, b""),
        (101, b""),
        (228, b""),
        (113, bytes(14) + b"\x08\0"),
        (276, b"\x08\0" + bytes(18)),
        (1, bytes(12) + b"\x81\0\0\5\x08\0"),
        (1, bytes(12) + b"\x88\xa8\0\5\x81\0\0\6\x08\0"),
    ],
)
def test_link_headers_are_skipped(link: int, before: bytes) -> None:
    """Loopback, raw, Linux cooked, and Ethernet with VLAN tags are read."""
    assert read(pcap(before + ip4(tcp(b"hello")), link=link)) == [segment()]


def test_ipv6_extension_headers_are_skipped() -> None:
    """Extension headers come before TCP."""
    hop = bytes([6, 0]) + bytes(6)
    for packet in (ip6(tcp(b"hello")), ip6(hop + tcp(b"hello"), following=0)):
        assert read(pcap(packet, link=101)) == [
            TcpSegment(5000, CLIENT6, BROKER6, 77, b"hello", acknowledged=1)
        ]


def test_flags_and_options_are_read() -> None:
    """TCP options are skipped, and padding of the link is not data. An acknowledgement counts only with its
    flag."""
    packets = [ethernet(ip4(tcp(b"", flags, options=bytes(8)))) + bytes(6) for flags in (0x02, 0x11, 0x04)]
    found = read(pcap(*packets))
    assert [(each.syn, each.fin, each.reset, each.acknowledged, each.data) for each in found] == [
        (True, False, False, None, b""),
        (False, True, False, 1, b""),
        (False, False, True, None, b""),
    ]


def test_bytes_beyond_the_snap_length_are_counted() -> None:
    """A capture with a snap length reports the missing bytes of each segment; a network card may set the
    lengths."""
    (cut,) = read(pcap(ethernet(ip4(tcp(b"x" * 100))), kept=14 + 40 + 30))
    assert (cut.data, cut.lost) == (b"x" * 30, 70)
    (offloaded,) = read(pcap(ethernet(ip4(tcp(b"x" * 100), total=0))))
    assert (len(offloaded.data), offloaded.lost) == (100, 0)


def test_other_packets_are_counted() -> None:
    """Packets without TCP over IP, and fragments, are skipped and reported."""
    count = PacketCounts()
    packets = [
        ethernet(b"who has", 0x0806),
        ethernet(ip4(b"datagram", protocol=17)),
        ethernet(ip4(tcp(b"first"), fragment=0x2000)),
        ethernet(ip6(b"\6" + bytes(30), following=44), 0x86DD),
        ethernet(b"\x45"),
        ethernet(ip4(tcp(b"hello"))),
    ]
    assert list(read_packets(io.BytesIO(pcap(*packets)), count)) == [segment(5_000_005_000)]
    assert (count.packets, count.fragments) == (6, 2)
    assert count.other == {"EtherType 0x0806": 1, "IP protocol 17": 1, "cut IPv4": 1}


def read_until_cut(data: bytes) -> tuple[int, int]:
    """Return the number of segments until the cut of a capture is reported, and its place."""
    segments = read_packets(io.BytesIO(data))
    for number in range(100):
        try:
            next(segments)
        except TruncatedPacketFileError as error:
            return number, error.offset
    raise AssertionError("it was not cut")


def enhanced_file(*packets: bytes) -> bytes:
    """Return a pcapng file of enhanced packet blocks."""
    return pcapng("<", *[enhanced("<", 5, packet) for packet in packets])


@pytest.mark.parametrize("make", [pcap, enhanced_file])
def test_a_cut_capture_gives_its_whole_packets(make: Callable[..., bytes]) -> None:
    """All packets before the cut are returned, and the place of the cut is reported."""
    packet = ethernet(ip4(tcp(b"hello")))
    one, two = make(packet), make(packet, packet)
    for length in range(len(one) + 1, len(two)):
        assert read_until_cut(two[:length]) == (1, len(one))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "nothing"),
        (b"PK\3\4", "neither pcap nor pcapng"),
        (pcap(b"x", link=147), "link type 147"),
        (block(">", 0x0A0D0D0A, bytes(16)), "no byte order"),
        (pcapng(">", block(">", 6, struct.pack(">IIIII", 3, 0, 0, 0, 0))), "interface 3"),
        (pcap() + struct.pack(">IIII", 0, 0, 1 << 31, 1 << 31), "at most"),
    ],
)
def test_an_unreadable_capture_is_an_error(data: bytes, message: str) -> None:
    """Another file, an unknown link and a broken block are reported with their place."""
    with pytest.raises(PacketFileFormatError, match=message):
        read(data)


@pytest.mark.parametrize("size", [1, 40, 100, 1 << 20])
@pytest.mark.parametrize("kind", ["pcap", "pcapng", "two sections"])
def test_parts_of_a_file_give_each_packet_once(kind: str, size: int) -> None:
    """Facts of a section that come before a part are known in that part."""
    packets = [ethernet(ip4(tcp(bytes([number] * number)))) for number in range(1, 20)]
    if kind == "pcap":
        whole = pcap(*packets, order="<")
    else:
        blocks = [
            block("<", 6, struct.pack("<IIIII", 0, 0, 5, len(each), len(each)) + each) for each in packets
        ]
        whole = pcapng("<", *blocks)
        if kind == "two sections":
            heads = [struct.pack(">IIIII", 0, 0, 5, len(each), len(each)) for each in packets]
            other = [block(">", 6, head + each) for head, each in zip(heads, packets, strict=True)]
            whole += pcapng(">", *other)
    splits = list(split_packet_file(io.BytesIO(whole), size))
    assert [each.start for each in splits[1:]] == [each.end for each in splits[:-1]]
    assert len(splits) > 1 or size > 100
    found = [each for split in splits for each in read_packets(io.BytesIO(whole), split=split)]
    assert found == list(read_packets(io.BytesIO(whole)))
    positions = [each.position for each in found]
    assert positions == sorted(set(positions))


def test_a_cut_part_gives_its_whole_packets() -> None:
    """Only the last part may end within a packet."""
    whole = pcap(*(ethernet(ip4(tcp(b"x" * 50))) for _ in range(4)))[:-3]
    first, *_, last = split_packet_file(io.BytesIO(whole), 1)
    assert len(list(read_packets(io.BytesIO(whole), split=first))) == 1
    with pytest.raises(TruncatedPacketFileError):
        list(read_packets(io.BytesIO(whole), split=last))
