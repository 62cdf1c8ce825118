"""The downgrade that was run once with real brokers: the logs, the brokers' answers and their messages.

`broker_evidence.json` holds them; ``python -m tests.support.capture.downgrade_brokers`` in a checkout runs it
again and writes the file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from wireproof.traffic.wire.inner_messages import InternalLog


@dataclass(frozen=True, slots=True)
class BrokerAnswers:
    """The answers of one release that started on a copy of the logs.

    Attributes:
        answers: by group, its offset and number of members; by transactional id, its state.
        messages: the warnings and errors about the partition in the broker's log.
    """

    answers: Mapping[str, Any]
    messages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DowngradedPartition:
    """A partition of a coordinator's log.

    Attributes:
        added: the record that was added, in words; ``nothing`` if none was.
        records: keys and values as the writer's log holds them, in order.
        readers: the answers by release.
    """

    log: InternalLog
    number: int
    added: str
    records: tuple[tuple[bytes, bytes | None], ...]
    readers: Mapping[str, BrokerAnswers]


@dataclass(frozen=True, slots=True)
class BrokerEvidence:
    """The whole run: the release that wrote the logs, its protocol between brokers, and the partitions."""

    writer: str
    protocol: str
    partitions: tuple[DowngradedPartition, ...]


@cache
def broker_evidence() -> BrokerEvidence:
    """Return the committed evidence."""
    text = files(__package__).joinpath("broker_evidence.json").read_text(encoding="utf-8")
    return read_evidence(json.loads(text))


def read_evidence(plain: Mapping[str, Any]) -> BrokerEvidence:
    return BrokerEvidence(
        plain["writer"]["release"],
        plain["writer"]["inter.broker.protocol.version"],
        tuple(_partition(each) for each in plain["partitions"]),
    )


def _partition(plain: Mapping[str, Any]) -> DowngradedPartition:
    log, _, number = plain["partition"].rpartition("-")
    return DowngradedPartition(
        InternalLog(log),
        int(number),
        plain["added"],
        tuple((bytes.fromhex(each["key"]), _value(each["value"])) for each in plain["records"]),
        {
            release: BrokerAnswers(each["answers"], tuple(each["messages"]))
            for release, each in plain["readers"].items()
        },
    )


def _value(text: str | None) -> bytes | None:
    return None if text is None else bytes.fromhex(text)
