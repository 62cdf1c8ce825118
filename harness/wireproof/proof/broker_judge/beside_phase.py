"""A broker beside Kafka: the same requests, from the same state, have answers of the same shape."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from kafkawire.errors import CodecError
from wireproof.base.text.parsing import parse_toml
from wireproof.model.divergence import Divergence
from wireproof.proof.broker_judge.answer_shape import Shape, shape_difference, shape_of
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest, Request
from wireproof.proof.broker_judge.judged_session import JudgedCall
from wireproof.proof.client_judge.sent_requests import SentRequest
from wireproof.traffic.wire.frame_identifier import FrameType

_EVERY: Final = "*"


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
    broker: BrokerUnderTest, played: Sequence[JudgedCall], reference: Sequence[JudgedCall]
) -> None:
    """Compare the answers of the broker with those of Kafka, request by request.

    The last request of each message, version and case is compared: earlier ones may have met a broker that
    was not ready.

    Args:
        played, reference: the requests to the broker and to Kafka.
    """
    theirs = _last_calls(reference)
    for key, call in _last_calls(played).items():
        other = theirs.get(key)
        if other is not None:
            _compare(broker, call, other)


def _last_calls(calls: Sequence[JudgedCall]) -> Mapping[tuple[str, int, str], JudgedCall]:
    return {(each.request.message, each.request.version, each.case): each for each in calls}


def _compare(broker: BrokerUnderTest, call: JudgedCall, reference: JudgedCall) -> None:
    request = call.request
    if call.answer is None or reference.answer is None:
        if (call.answer is None) != (reference.answer is None):
            who, other = ("Kafka", "the broker") if call.answer is None else ("the broker", "Kafka")
            words = f"{call.case}: {who} answers it, and {other} does not"
            broker.find(BrokerRule.BESIDE_KAFKA, words, request, call.answer or b"", f"unanswered by {other}")
        return
    own, theirs = (_shape(broker, request, each) for each in (call.answer, reference.answer))
    if own is None or theirs is None:
        return  # a broken answer is a finding of its own
    if _passing(broker.sent(request, call.answer)) & {form for _, form in [*own, *theirs]}:
        return
    found = shape_difference(own, theirs)
    if found is not None:
        path, mine, kafkas = found
        words = f"{call.case}: {path} is {mine}, and Kafka's is {kafkas}"
        divergence = Divergence(
            BrokerRule.BESIDE_KAFKA, "the broker", words, path, kind="shape", codec=mine, oracle=kafkas
        )
        broker.find(BrokerRule.BESIDE_KAFKA, words, request, call.answer, divergence=divergence)


def _shape(broker: BrokerUnderTest, request: Request, answer: bytes) -> Shape | None:
    named = broker.sent(request, answer).named_answer
    if not isinstance(named, FrameType):
        return None
    try:
        _, body = broker.apis.naming.codec(named).decode(answer)
    except CodecError:
        return None
    return shape_of(named.layout, body, _ignored(named.message))


def _passing(sent: SentRequest) -> set[str]:
    """The errors of a response that pass by themselves."""
    named = sent.named_answer
    assert isinstance(named, FrameType)
    return {row["error"] for row in _normalisation()["passing"] if row["message"] == named.message}


def _ignored(message: str) -> Callable[[str], bool]:
    paths = {each.path for each in ignored_paths() if each.message in (_EVERY, message)}
    return paths.__contains__
