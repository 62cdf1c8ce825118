"""The addresses and ports of brokers in packet captures, as users name them."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

import click

from wireproof.traffic.wire.packets.tcp_segments import Endpoint

KAFKA_PORT: Final = 9092


@dataclass(frozen=True, slots=True)
class BrokerEnd:
    """A port of brokers; on any host if the address is ``""``."""

    address: str
    port: int

    def fits(self, end: Endpoint) -> bool:
        return end.port == self.port and self.address in ("", end.address)


def broker_ends(words: Sequence[str]) -> list[BrokerEnd]:
    """Parse words such as ``9092``, ``10.0.0.7:9092``, ``[::1]:9092``; without any, port 9092."""
    return [_end(word) for word in words or (str(KAFKA_PORT),)]


def _end(word: str) -> BrokerEnd:
    host, _, port = word.rpartition(":")
    try:
        return BrokerEnd(str(ip_address(host.strip("[]"))) if host else "", int(port))
    except ValueError as error:
        raise click.BadParameter(f"{word}: {error}; write 9092, 10.0.0.7:9092 or [::1]:9092") from error
