"""Packet captures (pcap, pcapng): reading, TCP reassembly, writing."""

from wireproof.traffic.wire.packets.packet_file import (
    CaptureInterface,
    PacketFileFormatError,
    PacketSplit,
    TruncatedPacketFileError,
    split_packet_file,
)
from wireproof.traffic.wire.packets.packet_writer import PacketWriter
from wireproof.traffic.wire.packets.reassembly import ConnectionReassembler, OpenedConnection
from wireproof.traffic.wire.packets.tcp_segments import Endpoint, PacketCounts, TcpSegment, read_packets

__all__ = [
    "CaptureInterface",
    "PacketFileFormatError",
    "PacketSplit",
    "TruncatedPacketFileError",
    "split_packet_file",
    "PacketWriter",
    "ConnectionReassembler",
    "OpenedConnection",
    "Endpoint",
    "PacketCounts",
    "TcpSegment",
    "read_packets",
]
