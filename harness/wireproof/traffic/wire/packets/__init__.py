"""Packet captures (pcap, pcapng): reading, TCP reassembly, writing."""

from wireproof.traffic.wire.packets.packet_file import (
    CaptureInterface,
    PacketFileFormatError,
    PacketSplit,
    TruncatedPacketFileError,
    split_packet_file,
)
from wireproof.traffic.wire.packets.packet_writer import PacketWriter
from wireproof.traffic.wire.packets.reassembly import ConnectionReassembler
from wireproof.traffic.wire.packets.tcp_segments import Endpoint, PacketCounts, TcpSegment, read_packets

__all__ = [
    "CaptureInterface",
    "PacketFileFormatError",
    "PacketSplit",
    "TruncatedPacketFileError",
    "split_packet_file",
    "PacketWriter",
    "ConnectionReassembler",
    "Endpoint",
    "PacketCounts",
    "TcpSegment",
    "read_packets",
]
