"""Writing of connections as a packet capture (pcapng), like the capture of a network tap.

For programs that follow TCP, such as Wireshark: each connection has its handshake, its bytes with sequence
numbers and acknowledgements, and its end. Packets have the lengths and times of the entries, which may differ
from the real packets.
Sources: the pcapng draft of the IETF opsawg; RFC 791, 8200, 9293, 1071 (checksums).
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import BinaryIO, Final, TypeAlias

from wireproof.traffic.wire.packets.tcp_segments import Endpoint
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection

_SECTION, _INTERFACE, _ENHANCED = 0x0A0D0D0A, 1, 6
_BYTE_ORDER_MAGIC: Final = 0x1A2B3C4D
_RAW_IP: Final = 101
_NAME_OPTION, _RESOLUTION_OPTION, _PROGRAM_OPTION = 2, 9, 4
_NANOSECONDS: Final = b"\x09"

_MODULUS: Final = 1 << 32
_FIRST_SEQUENCE: Final = 1_000_003
"""Factor of the first sequence number, by connection: connections between the same ports differ."""
_PACKET_BYTES: Final = 32 * 1024
_FIN, _SYN, _RST, _PSH, _ACK = 1, 2, 4, 8, 16
_TCP: Final = 6
_WORDS: Final = 5 << 4
_WINDOW: Final = 0xFFFF
_HOPS: Final = 64

_Ip: TypeAlias = IPv4Address | IPv6Address


@dataclass(slots=True)
class _Session:
    """A connection: its ends, and the next sequence number of each."""

    ends: Mapping[StreamDirection, tuple[_Ip, int]]
    next: dict[StreamDirection, int] = field(default_factory=dict)


class PacketWriter:
    """Writes one file. Entries may come from several segment files; a connection's must come in order.

    Args:
        file: the output; it is not closed.
        program: named in the file as its writer.
        broker_port: replaces the real ports of brokers; some readers recognise only 9092 as Kafka.
    """

    def __init__(self, file: BinaryIO, program: str, broker_port: int | None = None) -> None:
        self.packets = 0
        self._file = file
        self._broker_port = broker_port
        self._interfaces: dict[str, int] = {}
        self._sessions: dict[tuple[str, int], _Session] = {}
        self._hosts: dict[str, _Ip] = {}
        self._first_ports: dict[str, int] = {}
        head = struct.pack(">IHHq", _BYTE_ORDER_MAGIC, 1, 0, -1)
        self._block(_SECTION, head + _option(_PROGRAM_OPTION, program.encode()) + _option(0, b""))

    def feed(self, source: str, entry: SegmentEntry) -> None:
        """Write the packets of an entry; FACTS and SYNC entries have none.

        Args:
            source: name of the segment file; each file is an interface of the capture.

        Raises:
            KeyError: the connection has no OPEN entry.
        """
        if entry.kind in (EntryKind.FACTS, EntryKind.SYNC):
            return
        key = (source, entry.connection)
        if entry.kind is EntryKind.OPEN:
            self._sessions[key] = self._begin(source, entry)
            return
        session = self._sessions[key]
        match entry.kind:
            case EntryKind.DATA:
                for start in range(0, len(entry.payload), _PACKET_BYTES):
                    part = entry.payload[start : start + _PACKET_BYTES]
                    self._packet(source, entry, session, entry.direction, _PSH | _ACK, part)
            case EntryKind.HOLE:
                session.next[entry.direction] = (session.next[entry.direction] + entry.missing) % _MODULUS
            case EntryKind.END:
                self._packet(source, entry, session, entry.direction, _FIN | _ACK)
            case EntryKind.RESET:
                self._packet(source, entry, session, entry.direction, _RST | _ACK)
            case EntryKind.CLOSE:
                del self._sessions[key]

    def _begin(self, source: str, entry: SegmentEntry) -> _Session:
        facts = entry.facts
        client, broker = _endpoint(facts["client"]), _endpoint(facts["broker"])
        port = broker.port if self._broker_port is None else self._broker_port
        ends = self._versions(self._ip(client.address), self._broker_ip(broker))
        session = _Session(
            {StreamDirection.TO_BROKER: (ends[0], client.port), StreamDirection.TO_CLIENT: (ends[1], port)}
        )
        first = entry.connection * _FIRST_SEQUENCE
        session.next = {each: (first + each) % _MODULUS for each in StreamDirection}
        if facts["knownStart"]:
            self._packet(source, entry, session, StreamDirection.TO_BROKER, _SYN)
            self._packet(source, entry, session, StreamDirection.TO_CLIENT, _SYN | _ACK)
            self._packet(source, entry, session, StreamDirection.TO_BROKER, _ACK)
        return session

    def _ip(self, host: str) -> _Ip:
        """Return a host's address; for a host name an example address (RFC 5737), one for each name."""
        try:
            return ip_address(host)
        except ValueError:
            number = len(self._hosts) % 254 + 1
            return self._hosts.setdefault(host, IPv4Address(f"192.0.2.{number}"))

    def _broker_ip(self, broker: Endpoint) -> _Ip:
        """Return a broker's address; brokers of one host differ if they share `broker_port`."""
        if self._broker_port is None:
            return self._ip(broker.address)
        first = self._first_ports.setdefault(broker.address, broker.port)
        return self._ip(broker.address if first == broker.port else str(broker))

    @staticmethod
    def _versions(client: _Ip, broker: _Ip) -> tuple[_Ip, _Ip]:
        """Convert both addresses to one IP version."""
        if isinstance(client, IPv4Address) and isinstance(broker, IPv4Address):
            return client, broker
        return _six(client), _six(broker)

    def _packet(
        self,
        source: str,
        entry: SegmentEntry,
        session: _Session,
        direction: StreamDirection,
        flags: int,
        data: bytes = b"",
    ) -> None:
        here, there = session.ends[direction], session.ends[direction.other]
        sequence = session.next[direction]
        acknowledged = session.next[direction.other] if flags & _ACK else 0
        ports = struct.pack(">HHIIBBH", here[1], there[1], sequence, acknowledged, _WORDS, flags, _WINDOW)
        segment = _with_checksum(here[0], there[0], ports, data)
        taken = len(data) + (1 if flags & (_SYN | _FIN) else 0)
        session.next[direction] = (sequence + taken) % _MODULUS
        self._enhanced(source, entry.time_ns, _in_ip(here[0], there[0], segment))

    def _enhanced(self, source: str, time_ns: int, packet: bytes) -> None:
        self.packets += 1
        head = struct.pack(
            ">IIIII", self._interface(source), time_ns >> 32, time_ns % _MODULUS, len(packet), len(packet)
        )
        self._block(_ENHANCED, head + _padded(packet))

    def _interface(self, source: str) -> int:
        if source not in self._interfaces:
            self._interfaces[source] = len(self._interfaces)
            options = _option(_NAME_OPTION, source.encode()) + _option(_RESOLUTION_OPTION, _NANOSECONDS)
            self._block(_INTERFACE, struct.pack(">HHI", _RAW_IP, 0, 0) + options + _option(0, b""))
        return self._interfaces[source]

    def _block(self, kind: int, body: bytes) -> None:
        length = len(body) + 12
        self._file.write(struct.pack(">II", kind, length) + body + struct.pack(">I", length))


def _endpoint(text: str) -> Endpoint:
    host, _, port = text.rpartition(":")
    return Endpoint(host.strip("[]"), int(port))


def _six(address: _Ip) -> IPv6Address:
    """Return an IPv6 address; IPv4 is mapped (RFC 4291, 2.5.5.2)."""
    return address if isinstance(address, IPv6Address) else IPv6Address(f"::ffff:{address}")


def _option(code: int, value: bytes) -> bytes:
    return struct.pack(">HH", code, len(value)) + _padded(value)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _with_checksum(source: _Ip, target: _Ip, head: bytes, data: bytes) -> bytes:
    """Build a TCP segment; `head` is its header up to the checksum."""
    length = len(head) + 4 + len(data)
    pseudo = source.packed + target.packed + struct.pack(">II", length, _TCP)
    checksum = _checksum(pseudo + head + bytes(4) + data)
    return head + struct.pack(">HH", checksum, 0) + data


def _in_ip(source: _Ip, target: _Ip, segment: bytes) -> bytes:
    if isinstance(source, IPv6Address):
        return (
            struct.pack(">IHBB", 6 << 28, len(segment), _TCP, _HOPS) + source.packed + target.packed + segment
        )
    fixed = struct.pack(">BBHHHBB", 0x45, 0, 20 + len(segment), 0, 0x4000, _HOPS, _TCP)
    checksum = _checksum(fixed + bytes(2) + source.packed + target.packed)
    return fixed + struct.pack(">H", checksum) + source.packed + target.packed + segment


def _checksum(data: bytes) -> int:
    """Compute the internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
