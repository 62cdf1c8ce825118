"""A real client (kafka-python) as a process of its own, which keeps every byte that comes to it.

    python recording_client.py BOOTSTRAP TOPIC FILE

Makes a topic, produces to it and consumes it in a group, as fast as it goes, until it is ended. What it
receives is in FILE before the library sees it, by the port it came to (`received`). Each time it prints a
line, so that the test knows its progress.
"""

import itertools
import os
import socket
import struct
import sys
import threading
from collections import defaultdict
from pathlib import Path

_PART = struct.Struct(">HI")


class _KeptSocket(socket.socket):
    """A socket that writes down what it receives."""

    log = -1

    def recv(self, size: int, flags: int = 0) -> bytes:
        data = super().recv(size, flags)
        if data and self.family == socket.AF_INET:
            part = _PART.pack(self.getsockname()[1], len(data)) + data
            if os.write(self.log, part) != len(part):
                os._exit(9)  # the disk is full: nothing that follows would mean anything
            os.write(1, b"\n")
        return data


def received(path: Path) -> dict[int, bytes]:
    """The bytes received, by the client's port."""
    data = path.read_bytes()
    found: dict[int, bytes] = defaultdict(bytes)
    start = 0
    while start + _PART.size <= len(data):
        port, size = _PART.unpack_from(data, start)
        start += _PART.size
        found[port] += data[start : start + size]
        start += size
    return found


def main(bootstrap: str, topic: str, log: str) -> None:
    """Produce in one thread, consume in another."""
    _KeptSocket.log = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    socket.socket = _KeptSocket  # type: ignore[misc]
    from kafka import KafkaConsumer, KafkaProducer
    from kafka.admin import KafkaAdminClient, NewTopic

    KafkaAdminClient(bootstrap_servers=bootstrap).create_topics([NewTopic(topic, 1, 1)])

    def produce() -> None:
        producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", compression_type="gzip")
        for number in itertools.count():
            key = str(number).encode()
            sent = producer.send(topic, key=key, value=key * (1 + number % 2000))
            if number % 10 == 0:
                sent.get()

    threading.Thread(target=produce, daemon=True).start()
    consumer = KafkaConsumer(
        topic, bootstrap_servers=bootstrap, group_id=topic, auto_offset_reset="earliest", fetch_max_wait_ms=50
    )
    for _ in consumer:
        pass


if __name__ == "__main__":
    main(*sys.argv[1:])
