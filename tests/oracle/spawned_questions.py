"""A request to an oracle that a spawned worker can import."""

from tests.support.oracles.kafka_classes import accepted, kafka


def ask(version: str) -> str:
    return accepted(kafka(version).reread("ApiVersionsResponse", 3, "0000 01 00000000 00")).written.hex()
