"""Brokers that misbehave in one way each: each is a finding of the right rule, and none hangs the judge."""

import socket
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.support.capture.small_broker import NEWEST, OFFERED, SmallBroker, frame, one_byte_a_turn
from tests.support.capture.tcp_servers import Address
from tests.support.oracles.interpreted_oracle import InterpretedOracle
from wireproof.app.assembly.broker_judging import PARTS, BrokerPlan, broker_with_oracle, judge_broker
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest
from wireproof.proof.run.core.environment import Layouts
from wireproof.traffic.capture.raw_client.broker_access import OPEN_ACCESS

RELEASE = table().find("4.3.1")
ORACLE = InterpretedOracle("4.3.1", Layouts({"4.3.1": load_snapshot(RELEASE)}))
TIMEOUT_S = 0.3
HTTP = b"HTTP/1.1 400 Bad Request\r\n\r\n"
ALERT = bytes.fromhex("15030300020246")
Answer = Callable[[SmallBroker, bytes], bytes | None]


@dataclass(frozen=True)
class Case:
    """A way to misbehave.

    Attributes:
        make: the broker.
        part: of the judgement that finds it.
        rule: that it breaks.
    """

    name: str
    make: Callable[[], SmallBroker]
    part: str
    rule: BrokerRule


def judged(address: Address, *parts: str) -> tuple[BrokerUnderTest, str]:
    """Judge what listens there; return what was found, and why the judgement ended early."""
    plan = BrokerPlan("small", address, RELEASE, OPEN_ACCESS, TIMEOUT_S, parts)
    broker = broker_with_oracle(plan, ORACLE, lambda found: None)
    return broker, judge_broker(plan, broker, lambda line: None)


def silent() -> SmallBroker:
    broker = SmallBroker()
    broker.greet = broker.wait
    return broker


def slow() -> SmallBroker:
    broker = SmallBroker()
    broker.deliver = one_byte_a_turn(broker)
    return broker


def saying(data: bytes) -> Callable[[], SmallBroker]:
    """A broker that answers each request with these bytes."""
    return lambda: SmallBroker(deliver=lambda connection, _: connection.sendall(data))


def cutting(connection: socket.socket, data: bytes) -> None:
    connection.sendall(data[: len(data) // 2])
    connection.shutdown(socket.SHUT_RDWR)


def twice(connection: socket.socket, data: bytes) -> None:
    connection.sendall(data + data)


def changed(change: Callable[[bytes, bytes], bytes | None], *, only: Callable[[bytes], bool]) -> Answer:
    """Return what changes the right answer, given the request, where `only` holds for the request."""

    def answer(broker: SmallBroker, content: bytes) -> bytes | None:
        right = broker.right(content)
        return change(content, right) if right is not None and only(content) else right

    return answer


def of_version(*versions: int) -> Callable[[bytes], bool]:
    return lambda content: content[:2] == b"\x00\x12" and int.from_bytes(content[2:4]) in versions


def newer(content: bytes) -> bool:
    return content[:2] == b"\x00\x12" and int.from_bytes(content[2:4]) > NEWEST


def always(content: bytes) -> bool:
    return True


def client_id(content: bytes) -> int:
    """The length of the client id, -1 for null."""
    return int.from_bytes(content[8:10], signed=True)


def correlation_id(content: bytes) -> int:
    return int.from_bytes(content[4:8], signed=True)


def answering(
    change: Callable[[bytes, bytes], bytes | None], only: Callable[[bytes], bool]
) -> Callable[[], SmallBroker]:
    return lambda: SmallBroker(answer=changed(change, only=only))


def listing(listed: Callable[[int], list[tuple[int, int, int]]]) -> Callable[[], SmallBroker]:
    return lambda: SmallBroker(listed=listed)


def lenient(answer: Answer) -> Callable[[], SmallBroker]:
    return lambda: SmallBroker(answer=answer)


def for_any_request(broker: SmallBroker, content: bytes) -> bytes:
    return broker.right(content) or content[4:8] + bytes(6)


def for_unknown_apis(broker: SmallBroker, content: bytes) -> bytes | None:
    known = int.from_bytes(content[:2]) in OFFERED or len(content) < 10
    return broker.right(content) if known else content[4:8] + bytes(6)


def dying(broker: SmallBroker, content: bytes) -> bytes | None:
    """Serve nobody any more after a request of an unknown API."""
    broker.dead |= len(content) >= 10 and int.from_bytes(content[:2]) not in OFFERED
    return None if broker.dead else broker.right(content)


def without_tags(broker: SmallBroker, content: bytes) -> bytes | None:
    """End the connection where a request has tags that no schema has."""
    return None if b"unknown" in content else broker.right(content)


def unchecked_software(broker: SmallBroker, content: bytes) -> bytes | None:
    if int.from_bytes(content[2:4]) in (3, 4) and content[:2] == b"\x00\x12":
        version = int.from_bytes(content[2:4])
        return content[4:8] + broker.body(version, 0, broker.listed(version))
    return broker.right(content)


class Reversing:
    """Sends answers in the wrong order: it keeps every second one back."""

    def __init__(self) -> None:
        self.kept: dict[socket.socket, bytes] = {}

    def __call__(self, connection: socket.socket, data: bytes) -> None:
        key = int.from_bytes(data[4:8])
        if key in range(2, 101):  # ids of the requests in flight
            if kept := self.kept.pop(connection, b""):
                connection.sendall(data + kept)
            else:
                self.kept[connection] = data
            return
        connection.sendall(data)


RULES = BrokerRule
CASES = [
    Case("never answers", silent, "handshake", RULES.FIRST_ANSWER),
    Case("speaks HTTP", saying(HTTP), "handshake", RULES.FIRST_ANSWER),
    Case("sends a TLS alert", saying(ALERT), "handshake", RULES.FIRST_ANSWER),
    Case("sends one byte a time", slow, "handshake", RULES.FIRST_ANSWER),
    Case("announces 2 GiB", saying(b"\x7f\xff\xff\xff"), "handshake", RULES.FIRST_ANSWER),
    Case("announces less than nothing", saying(b"\xff\xff\xff\xf0"), "handshake", RULES.FIRST_ANSWER),
    Case("answers with an empty frame", saying(bytes(4)), "handshake", RULES.CORRELATION_ID),
    Case("answers with a correlation id alone", saying(frame(b"\0\0\0\1")), "handshake", RULES.READABLE),
    Case(
        "dies in the middle of an answer",
        lambda: SmallBroker(deliver=cutting),
        "handshake",
        RULES.FIRST_ANSWER,
    ),
    Case("closes at once", lambda: SmallBroker(greet=lambda _: False), "handshake", RULES.FIRST_ANSWER),
    Case("answers twice", lambda: SmallBroker(deliver=twice), "handshake", RULES.ONE_ANSWER),
    Case(
        "answers another request",
        answering(lambda _, right: b"\0\0\0\7" + right[4:], always),
        "handshake",
        RULES.CORRELATION_ID,
    ),
    Case("offers nothing", listing(lambda _: []), "handshake", RULES.LISTS_ITSELF),
    Case("does not list itself", listing(lambda _: [(17, 0, 1)]), "handshake", RULES.LISTS_ITSELF),
    Case(
        "lists an API twice",
        listing(lambda _: [(18, 0, 4), (18, 0, 4), (17, 0, 1)]),
        "handshake",
        RULES.LIST_RANGES,
    ),
    Case(
        "lists a range from above to below",
        listing(lambda _: [(18, 0, 4), (17, 1, 0)]),
        "handshake",
        RULES.LIST_RANGES,
    ),
    Case(
        "lists another range in version 3",
        listing(lambda version: [(18, 0, 4), (17, 0, int(version < 3))]),
        "handshake",
        RULES.SAME_LIST,
    ),
    Case(
        "has an error in version 2",
        answering(lambda _, right: right[:4] + b"\0\x2a" + right[6:], of_version(2)),
        "handshake",
        RULES.EACH_VERSION,
    ),
    Case(
        "writes a header with tags before ApiVersions",
        answering(lambda _, right: right[:4] + b"\0" + right[4:], of_version(3, 4)),
        "handshake",
        RULES.READABLE,
    ),
    Case(
        "writes a byte too many",
        answering(lambda _, right: right + b"\0", of_version(1)),
        "handshake",
        RULES.READABLE,
    ),
    Case(
        "writes the count in more bytes than it needs",
        answering(lambda _, right: right[:6] + bytes((right[6] | 0x80, 0)) + right[7:], of_version(3)),
        "handshake",
        RULES.SAME_AGAIN,
    ),
    Case("closes on a newer version", answering(lambda *_: None, newer), "handshake", RULES.NEWER_VERSION),
    Case(
        "answers a newer version without an error",
        answering(lambda _, right: right[:4] + b"\0\0" + right[6:], newer),
        "handshake",
        RULES.NEWER_VERSION,
    ),
    Case(
        "answers a newer version without a list",
        answering(lambda _, right: right[:6] + bytes(4), newer),
        "handshake",
        RULES.NEWER_VERSION,
    ),
    Case("takes any software name", lenient(unchecked_software), "handshake", RULES.SOFTWARE_NAME),
    Case(
        "closes on a client id that is null",
        answering(lambda *_: None, lambda request: client_id(request) == -1),
        "handshake",
        RULES.CLIENT_ID,
    ),
    Case(
        "closes on a long client id",
        answering(lambda *_: None, lambda request: client_id(request) > 1000),
        "handshake",
        RULES.CLIENT_ID,
    ),
    Case(
        "has no negative correlation ids",
        answering(
            lambda request, right: abs(correlation_id(request)).to_bytes(4) + right[4:],
            lambda request: correlation_id(request) < 0,
        ),
        "handshake",
        RULES.CORRELATION_ID,
    ),
    Case(
        "knows a login that it does not offer",
        answering(lambda _, right: right[:4] + bytes(6), lambda request: request[:2] == b"\0\x11"),
        "handshake",
        RULES.SASL_HANDSHAKE,
    ),
    Case(
        "reads a frame out of one segment", lambda: SmallBroker(one_segment=True), "stream", RULES.SPLIT_FRAME
    ),
    Case(
        "forgets the rest of a segment", lambda: SmallBroker(one_segment=True), "stream", RULES.JOINED_FRAMES
    ),
    Case("answers in another order", lambda: SmallBroker(deliver=Reversing()), "stream", RULES.IN_ORDER),
    Case("keeps half-closed connections", lambda: SmallBroker(half_open=True), "stream", RULES.HALF_CLOSED),
    Case("takes no unknown tags", lenient(without_tags), "answers", RULES.UNKNOWN_TAGS),
    Case(
        "offers an API that it does not answer",
        answering(lambda *_: None, lambda request: request[:4] == b"\0\x11\0\1"),
        "answers",
        RULES.OFFERED_ANSWERED,
    ),
    Case(
        "waits for the bytes of any size",
        lambda: SmallBroker(is_size=lambda size: None if size > 1 << 30 else size > 0),
        "refusals",
        RULES.WRONG_SIZE,
    ),
    Case(
        "waits after a negative size",
        lambda: SmallBroker(is_size=lambda size: None if size < 0 else size > 0),
        "refusals",
        RULES.WRONG_SIZE,
    ),
    Case("answers a cut header", lenient(for_any_request), "refusals", RULES.CUT_FRAME),
    Case("answers unknown APIs", lenient(for_unknown_apis), "refusals", RULES.UNKNOWN_API),
    Case("dies of an unknown API", lenient(dying), "refusals", RULES.STAYS_UP),
]


def test_a_right_broker_has_no_finding() -> None:
    """The broker that the others are copies of keeps every rule."""
    with SmallBroker().listen() as address:
        broker, ended = judged(address, *PARTS)
    assert broker.statistics.causes == {}
    assert ended == ""
    assert broker.statistics.requests > 150


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_misbehaving_broker_is_a_finding_of_its_rule(case: Case) -> None:
    """The rule that the broker breaks is among the findings, with the bytes of the request."""
    with case.make().listen() as address:
        broker, _ = judged(address, case.part)
    found = [group.first for group in broker.statistics.causes.values() if group.first.fault is case.rule]
    assert found, {group.first.fault for group in broker.statistics.causes.values()}
    assert found[0].request
    assert found[0].party == "broker"


def test_a_broker_that_closes_after_each_answer_has_that_finding_alone() -> None:
    """No other rule can be judged over such connections."""

    def once(connection: socket.socket, data: bytes) -> None:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_RDWR)

    with SmallBroker(deliver=once).listen() as address:
        broker, ended = judged(address, *PARTS)
    assert [group.first.fault for group in broker.statistics.causes.values()] == [BrokerRule.STAYS_OPEN]
    assert ended == "cannot be judged any further after its first answer"


def test_a_broker_that_offers_more_than_is_known_is_judged_by_what_is_known() -> None:
    """Unknown API keys and versions above the release's are legal."""
    with SmallBroker(listed=lambda _: [(17, 0, 1), (18, 0, 9), (999, 0, 3)]).listen() as address:
        broker, ended = judged(address, "stream")
    assert (broker.statistics.causes, ended) == ({}, "")


@pytest.mark.parametrize("highest", [32766, 32767])
def test_a_broker_may_offer_versions_up_to_the_last_number(highest: int) -> None:
    """No request has a version above it, and none that is offered has to be refused."""
    rows = [(18, 0, highest), (3, 0, highest)]
    with SmallBroker(listed=lambda _: rows).listen() as address:
        broker, ended = judged(address, "handshake", "refusals")
    assert (broker.statistics.causes, ended) == ({}, "")


@pytest.mark.parametrize("listed", [(10, 12), (-5, -3), (5, 3)])
def test_where_no_version_of_api_versions_is_common_the_oldest_is_asked(listed: tuple[int, int]) -> None:
    """The list is wrong; requests of versions that do not exist are not the broker's fault."""
    with SmallBroker(listed=lambda _: [(18, *listed), (17, 0, 1)]).listen() as address:
        broker, _ = judged(address, "handshake", "stream")
    found = {group.first.fault for group in broker.statistics.causes.values()}
    assert BrokerRule.LISTS_ITSELF in found
    assert found.isdisjoint({BrokerRule.CLIENT_ID, BrokerRule.CORRELATION_ID, BrokerRule.SPLIT_FRAME})
    assert -1 not in {version for _, version in broker.statistics.rows}


def test_a_broker_that_cannot_be_reached_any_more_ends_the_judgement() -> None:
    """The second connection is refused: one finding, and no exception."""
    with SmallBroker().listen() as address:
        pass
    broker, ended = judged(address, *PARTS)
    assert [group.first.fault for group in broker.statistics.causes.values()] == [BrokerRule.STAYS_UP]
    assert ended == "answers no more. Not judged to the end: handshake, stream, answers, refusals, bytes"
