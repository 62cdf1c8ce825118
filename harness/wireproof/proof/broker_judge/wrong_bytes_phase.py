"""Wrong bytes: mutated requests, in batches. After each batch the broker must answer a plain request.

If it does not, and comes back later, the batch is bisected to find the request that took it down. That
request is not sent again.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

from kafkawire.schema.layout import MessageLayout
from kafkawire.wire import PREFIX_BYTES
from wireproof.proof.broker_judge.broker_connection import ConnectionEnd
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerDownError, BrokerUnderTest, Request
from wireproof.traffic.capture.raw_client.raw_client import attempts
from wireproof.traffic.capture.workloads.request_sweep import READ_ONLY, REQUIRED_VALUES
from wireproof.traffic.fingerprint.fingerprinter import iter_error_codes

MutateFrame: TypeAlias = Callable[[MessageLayout, MessageLayout, bytes, bytes], Iterable[tuple[str, bytes]]]
"""Returns names of mutations and whole frames, for the layouts and the bytes of header and body."""

_ARRIVED_S: Final = 0.02
"""Seconds in which an answer is read that came while others were waited for."""
_BATCH: Final = 16
_RECOVERY_S: Final = 20.0
"""Seconds that a broker has to come back after it went down."""
_PAUSE_S: Final = 0.2
_API_KEY: Final = slice(4, 8)
"""The place of API key and version in a frame."""


@dataclass(frozen=True, slots=True)
class _Mutated:
    """A mutated request.

    Attributes:
        refused: why Kafka's classes refuse it; empty if they do not, or were not asked.
    """

    name: str
    request: Request
    refused: str


def judge_wrong_bytes(
    broker: BrokerUnderTest,
    mutate: MutateFrame,
    report: Callable[[str], None],
    messages: Collection[str] = (),
) -> None:
    """Send mutations of the newest version of each read-only request, each over its own connection.

    Args:
        messages: the requests; empty for all.

    Raises:
        BrokerDownError: the broker does not answer any more.
        OracleError: Kafka's classes fail.
    """
    known = READ_ONLY.intersection(broker.apis.names)
    for request in _bases(broker, known.intersection(messages or known)):
        report(f"wrong bytes: {request.message}")
        for batch in _batches(_mutated(broker, request, mutate)):
            sent = _send(broker, batch)
            if not broker.is_alive():
                _blame(broker, batch[:sent])


def _batches(mutated: Iterator[_Mutated]) -> Iterator[Sequence[_Mutated]]:
    while batch := list(islice(mutated, _BATCH)):
        yield batch


def _bases(broker: BrokerUnderTest, messages: Collection[str]) -> Iterator[Request]:
    for message in sorted(messages):
        known = broker.apis.valid_versions(message)
        versions = broker.offered.get(broker.apis.key(message))
        common = None if versions is None else versions.intersect(known)
        if common is not None and not common.empty:
            yield broker.request(message, common.highest, REQUIRED_VALUES.get(message, {}))


def _mutated(broker: BrokerUnderTest, request: Request, mutate: MutateFrame) -> Iterator[_Mutated]:
    named = broker.apis.named(request.message, request.version)
    header = broker.apis.naming.header(named.layout)
    codec = broker.apis.naming.codec(named)
    body = codec.body.encode(codec.decode(request.data)[1])
    head = request.data[PREFIX_BYTES : len(request.data) - len(body)]
    frames = [each for each in mutate(header, named.layout, head, body) if _is_safe(broker, request, each[1])]
    whole = [
        data
        for _, data in frames
        if len(data) == PREFIX_BYTES + int.from_bytes(data[:PREFIX_BYTES], signed=True)
    ]
    same = [data for data in whole if data[_API_KEY] == request.data[_API_KEY]]
    refused = dict(zip(same, broker.refusals(named, same), strict=True))
    for name, data in frames:
        changed = Request(request.message, request.api_key, request.version, data)
        yield _Mutated(name, changed, refused.get(data, ""))


def _is_safe(broker: BrokerUnderTest, request: Request, data: bytes) -> bool:
    """Check that a frame does not belong to another API that the broker offers."""
    key = int.from_bytes(data[4:6], signed=True)
    return key == request.api_key or key not in broker.offered


def _send(broker: BrokerUnderTest, batch: Sequence[_Mutated]) -> int:
    """Send requests until the broker accepts no connection, and wait for all answers at once.

    Returns:
        How many were sent, at least one.
    """
    with ExitStack() as stack:
        sent = []
        for each in batch:
            try:
                connection = stack.enter_context(broker.open())
            except OSError:
                break
            connection.send([each.request.data])
            connection.finish()
            sent.append((each, connection))
        until = time.monotonic() + broker.timeout_s
        for each, connection in sent:
            received = connection.receive(1, max(until - time.monotonic(), _ARRIVED_S))
            if each.refused and received.end is ConnectionEnd.OPEN:
                _judge_answer(broker, each, received.frames[0])
    return max(len(sent), 1)


def _judge_answer(broker: BrokerUnderTest, mutated: _Mutated, answer: bytes) -> None:
    """Judge the answer to a request that Kafka's classes refuse: it must have an error code."""
    body = broker.judged(mutated.request, answer)
    if body is not None and not any(code for _, code in iter_error_codes(body)):
        words = (
            f"{mutated.name}: it is answered as if it were right. Kafka does not read it: {mutated.refused}"
        )
        broker.find(BrokerRule.WRONG_BYTES, words, mutated.request, answer, mutated.name.partition("=")[0])


def _blame(broker: BrokerUnderTest, batch: Sequence[_Mutated]) -> None:
    """Find the request that took the broker down."""
    suspects = list(batch)
    while _comes_back(broker):
        if len(suspects) == 1:
            words = f"{suspects[0].name}: after it the broker answers no plain request in time"
            broker.find(BrokerRule.STAYS_UP, words, suspects[0].request, kind="taken-down")
            return
        half = suspects[: len(suspects) // 2]
        _send(broker, half)
        suspects = half if not broker.is_alive() else suspects[len(half) :]
        if suspects is not half:
            _send(broker, suspects)
            if broker.is_alive():
                words = f"one of {len(batch)} requests took the broker down once, and not again"
                broker.find(BrokerRule.STAYS_UP, words, batch[0].request, kind="taken-down-once")
                return
    last = suspects[-1]
    before = f", or one of the {len(suspects) - 1} requests before it" if len(suspects) > 1 else ""
    words = f"the broker answers no more after {last.name}{before}"
    broker.find(BrokerRule.STAYS_UP, words, last.request, kind="down")
    raise BrokerDownError(words)


def _comes_back(broker: BrokerUnderTest) -> bool:
    return any(broker.is_alive() for _ in attempts(_RECOVERY_S, _PAUSE_S))
