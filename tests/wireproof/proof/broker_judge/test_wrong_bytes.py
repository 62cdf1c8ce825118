"""Mutated requests: a broker that takes what Kafka refuses, and brokers that a request takes down."""

import pytest

from tests.support.capture.small_broker import SmallBroker
from tests.wireproof.proof.broker_judge.test_misbehaving_brokers import judged
from wireproof.proof.broker_judge.broker_rules import BrokerRule

PLAIN = b"\x00\x12\x00\x00"
DEADLY = b"\xff\xff\xff\xff\x07"
"""The largest length, as a compact field has it."""


class Falling:
    """A broker that does not answer for some time after a deadly request.

    Args:
        for_good: it never comes back.
    """

    def __init__(self, *, for_good: bool = False) -> None:
        self.for_good = for_good
        self.down = 0
        self.falls: list[bytes] = []

    def __call__(self, broker: SmallBroker, content: bytes) -> bytes | None:
        if DEADLY in content:
            self.falls.append(content)
            self.down = 1 << 30 if self.for_good else 2
        if self.down:
            self.down -= content.startswith(PLAIN)
            return None
        return broker.right(content)


def lenient(broker: SmallBroker, content: bytes) -> bytes | None:
    """An answer without an error to any ApiVersions."""
    known = content[:2] == PLAIN[:2] and int.from_bytes(content[2:4]) <= 4 and len(content) > 8
    if known:
        version = int.from_bytes(content[2:4])
        return content[4:8] + broker.body(version, 0, broker.listed(version))
    return broker.right(content)


def test_a_lenient_broker_is_a_finding_with_the_request() -> None:
    """Kafka's classes would not read the request, and the answer has no error code."""
    with SmallBroker(answer=lenient).listen() as address:
        broker, ended = judged(address, "bytes")
    found = [group.first for group in broker.statistics.causes.values()]
    assert {each.fault for each in found} == {BrokerRule.WRONG_BYTES}
    assert all("Kafka does not read it" in each.summary for each in found)
    assert all(each.request for each in found)
    assert ended == ""


def test_the_request_that_takes_a_broker_down_is_found_by_bisection() -> None:
    """The broker comes back each time: the finding has the deadly request, and the judge goes on."""
    falling = Falling()
    with SmallBroker(answer=falling).listen() as address:
        broker, ended = judged(address, "bytes")
    found = [group.first for group in broker.statistics.causes.values()]
    assert {each.fault for each in found} == {BrokerRule.STAYS_UP}
    assert all(DEADLY in each.request for each in found)
    assert len(falling.falls) > len(found)  # the bisection sent them again
    assert ended == ""


def test_a_broker_that_stays_down_ends_the_judgement(monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding names the last request that was sent, and how many came before it."""
    monkeypatch.setattr("wireproof.proof.broker_judge.wrong_bytes_phase._RECOVERY_S", 1.0)
    with SmallBroker(answer=Falling(for_good=True)).listen() as address:
        broker, ended = judged(address, "bytes")
    (found,) = [group.first for group in broker.statistics.causes.values()]
    assert found.fault is BrokerRule.STAYS_UP
    assert "the broker answers no more after" in found.summary
    assert ended == "answers no more. Not judged to the end: bytes"
