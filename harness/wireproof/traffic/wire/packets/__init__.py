"""Packet captures (pcap, pcapng): reading, TCP reassembly, writing."""
