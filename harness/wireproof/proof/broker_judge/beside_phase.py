"""A broker beside Kafka: the same requests, in the same state, must have answers of the same shape."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from wireproof.model.divergence import Divergence
from wireproof.model.kafka.releases import error_name
from wireproof.proof.broker_judge.answer_shape import Shape, normalisation, shape_differences, shape_of
from wireproof.proof.broker_judge.broker_comparison import BrokerComparison
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest
from wireproof.proof.broker_judge.judged_session import JudgedCall, asked_again, last_calls
from wireproof.proof.client_judge.sent_requests import SentRequest
from wireproof.traffic.capture.raw_client.raw_client import RawClient
from wireproof.traffic.capture.workloads.listener_session import TRANSIENT_ERRORS
from wireproof.traffic.capture.workloads.request_sweep import READ_ONLY
from wireproof.traffic.wire.frame_identifier import FrameType

_TRIES: Final = 3
_PAUSE_S: Final = 0.5


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
    theirs = last_calls(reference)
    stay: set[tuple[str, str]] = set()
    for key, call in last_calls(played).items():
        other = theirs.get(key)
        found = [] if other is None else _differences(broker, call, other)
        if other is None or not found:
            continue
        message = call.request.message
        if (message, found[0].path) not in stay and _may_pass(broker, call, other):
            for _ in range(_TRIES):
                time.sleep(_PAUSE_S)
                call, other = asked_again(broker, call, greet), asked_again(node, other, None)
                found = _differences(broker, call, other)
                if not found:
                    break
        if found:
            stay.add((message, found[0].path))
            broker.find_first(BrokerRule.BESIDE_KAFKA, found, call.request, call.answer)


def _may_pass(broker: BrokerUnderTest, call: JudgedCall, other: JudgedCall) -> bool:
    """Test if the difference of two answers may be transient."""
    if call.answer is None or other.answer is None or call.request.message in READ_ONLY:
        return True
    forms = _forms(_shape(broker, call), _shape(broker, other))
    return not forms.isdisjoint(map(error_name, TRANSIENT_ERRORS))


def _forms(*shapes: Shape | None) -> set[str]:
    return {form for shape in shapes for forms in (shape or {}).values() for form in forms}


def _differences(broker: BrokerUnderTest, call: JudgedCall, reference: JudgedCall) -> list[Divergence]:
    comparison = BrokerComparison(BrokerRule.BESIDE_KAFKA, "the broker", "Kafka")
    if call.answer is None or reference.answer is None:
        return comparison.unanswered(call, reference)
    own, theirs = _shape(broker, call), _shape(broker, reference)
    if own is None or theirs is None:
        return []  # a broken answer is a finding of its own
    if _passing(broker.sent(call.request, call.answer)) & _forms(own, theirs):
        return []
    return [comparison.divergence(call, *each) for each in shape_differences(own, theirs)]


def _shape(broker: BrokerUnderTest, call: JudgedCall) -> Shape | None:
    assert call.answer is not None
    read = broker.read(call.request, call.answer)
    return read and shape_of(*read)


def _passing(sent: SentRequest) -> set[str]:
    """The transient errors of a response."""
    named = sent.named_answer
    assert isinstance(named, FrameType)
    return {row["error"] for row in normalisation()["passing"] if row["message"] == named.message}
