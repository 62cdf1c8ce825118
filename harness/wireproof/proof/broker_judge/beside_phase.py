"""A broker beside Kafka: the same requests, in the same state, must have answers of the same shape."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from kafkawire.errors import CodecError
from wireproof.base.text.parsing import parse_toml
from wireproof.model.divergence import Divergence
from wireproof.model.kafka.releases import error_name
from wireproof.proof.broker_judge.answer_shape import Shape, shape_difference, shape_of
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest
from wireproof.proof.broker_judge.judged_session import JudgedCall, connected_client
from wireproof.proof.client_judge.sent_requests import SentRequest
from wireproof.traffic.capture.raw_client.raw_client import AnsweredCall, RawClient, UnreadableCall
from wireproof.traffic.capture.workloads.listener_session import TRANSIENT_ERRORS
from wireproof.traffic.capture.workloads.request_sweep import READ_ONLY
from wireproof.traffic.wire.frame_identifier import FrameType

_EVERY: Final = "*"
_TRIES: Final = 3
_PAUSE_S: Final = 0.5


class Ignored(NamedTuple):
    """A path that is not compared.

    Attributes:
        message: the response; ``*`` for every one.
    """

    message: str
    path: str
    reason: str


@cache
def _normalisation() -> Mapping[str, Any]:
    text = files("wireproof.proof.broker_judge").joinpath("normalisation.toml").read_text(encoding="utf-8")
    return parse_toml(text)


def ignored_paths() -> tuple[Ignored, ...]:
    """Return the paths that differ between two brokers of one release: `normalisation.toml`."""
    return tuple(Ignored(**row) for row in _normalisation()["ignored"])


def judge_beside(
    broker: BrokerUnderTest,
    played: Sequence[JudgedCall],
    node: BrokerUnderTest,
    reference: Sequence[JudgedCall],
    greet: Callable[[RawClient], None] | None = None,
) -> None:
    """Compare the answers of the broker with those of Kafka, request by request.

    The last request of each message, version and case is compared: earlier ones may have met a broker that
    was not ready. Both brokers are asked again if a difference may be transient: no answer came in time, the
    error is transient, or the request changes nothing. A difference that stays is a finding.

    Args:
        played, reference: the requests to the broker and to Kafka's node.
        greet: logs in to the broker.
    """
    theirs = _last_calls(reference)
    stay: set[tuple[str, str]] = set()
    for key, call in _last_calls(played).items():
        other = theirs.get(key)
        found = None if other is None else _difference(broker, call, other)
        if other is None or found is None:
            continue
        message = call.request.message
        if (message, found.path) not in stay and _may_pass(broker, call, other):
            for _ in range(_TRIES):
                time.sleep(_PAUSE_S)
                call, other = _again(broker, call, greet), _again(node, other, None)
                found = _difference(broker, call, other)
                if found is None:
                    break
        if found is not None:
            stay.add((message, found.path))
            answer = call.answer or b""
            broker.find(BrokerRule.BESIDE_KAFKA, found.summary, call.request, answer, divergence=found)


def _last_calls(calls: Sequence[JudgedCall]) -> Mapping[tuple[str, int, str], JudgedCall]:
    return {(each.request.message, each.request.version, each.case): each for each in calls}


def _again(of: BrokerUnderTest, call: JudgedCall, greet: Callable[[RawClient], None] | None) -> JudgedCall:
    with connected_client(of, greet) as client:
        outcome = client.send(call.request.data, call.request.api_key, call.request.version)
    return replace(call, answer=outcome.data if isinstance(outcome, AnsweredCall | UnreadableCall) else None)


def _may_pass(broker: BrokerUnderTest, call: JudgedCall, other: JudgedCall) -> bool:
    """Test if the difference of two answers may be transient."""
    if call.answer is None or other.answer is None or call.request.message in READ_ONLY:
        return True
    forms = {form for each in (call, other) for _, form in _shape(broker, each) or ()}
    return not forms.isdisjoint(map(error_name, TRANSIENT_ERRORS))


def _difference(broker: BrokerUnderTest, call: JudgedCall, reference: JudgedCall) -> Divergence | None:
    rule, party = BrokerRule.BESIDE_KAFKA, "the broker"
    if call.answer is None or reference.answer is None:
        if call.answer is reference.answer:
            return None
        who, silent = ("Kafka", "the broker") if call.answer is None else ("the broker", "Kafka")
        words = f"{call.case}: {who} answers it, and {silent} does not"
        return Divergence(rule, party, words, kind=f"unanswered by {silent}")
    own, theirs = _shape(broker, call), _shape(broker, reference)
    if own is None or theirs is None:
        return None  # a broken answer is a finding of its own
    if _passing(broker.sent(call.request, call.answer)) & {form for _, form in [*own, *theirs]}:
        return None
    found = shape_difference(own, theirs)
    if found is None:
        return None
    path, mine, kafkas = found
    words = f"{call.case}: {path} is {mine}, and Kafka's is {kafkas}"
    return Divergence(rule, party, words, path, kind="shape", codec=mine, oracle=kafkas)


def _shape(broker: BrokerUnderTest, call: JudgedCall) -> Shape | None:
    assert call.answer is not None
    named = broker.sent(call.request, call.answer).named_answer
    if not isinstance(named, FrameType):
        return None
    try:
        _, body = broker.apis.naming.codec(named).decode(call.answer)
    except CodecError:
        return None
    return shape_of(named.layout, body, _ignored(named.message))


def _passing(sent: SentRequest) -> set[str]:
    """The transient errors of a response."""
    named = sent.named_answer
    assert isinstance(named, FrameType)
    return {row["error"] for row in _normalisation()["passing"] if row["message"] == named.message}


def _ignored(message: str) -> Callable[[str], bool]:
    paths = {each.path for each in ignored_paths() if each.message in (_EVERY, message)}
    return paths.__contains__
