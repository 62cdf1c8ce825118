"""Unknown tagged fields: a request with them gets the answer that it gets without them (KIP-482)."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from kafkawire.schema.layout import MessageLayout, StructLayout
from kafkawire.values import TAGS, StructValue
from wireproof.proof.broker_judge.answer_shape import Shape, shape_difference, shape_of
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest, Request
from wireproof.proof.broker_judge.judged_session import JudgedCall
from wireproof.traffic.capture.raw_client.raw_client import AnsweredCall, RawClient
from wireproof.traffic.capture.workloads.request_sweep import READ_ONLY
from wireproof.traffic.wire.frame_identifier import FrameType

_UNKNOWN: Final = {10_000: b"\x00\xff unknown", 2_000_000_000: b""}
"""Tags that no schema has, in ascending order."""


def judge_tags(
    broker: BrokerUnderTest, played: Sequence[JudgedCall], greet: Callable[[RawClient], None] | None = None
) -> None:
    """Repeat requests that change nothing, with unknown tags in the header and in each struct of the body.

    A request is sent without tags before and after. If both answers differ, the broker's state changed, and
    nothing is judged.

    Raises:
        BrokerDownError: the broker answers no more.
    """
    with RawClient(
        broker.apis, broker.address, timeout_s=broker.timeout_s, greet=greet, tls=broker.tls
    ) as client:
        for call in _chosen(broker, played):
            _judge(broker, client, call.request)
    broker.check_alive("requests with unknown tags")


def _chosen(broker: BrokerUnderTest, played: Sequence[JudgedCall]) -> Iterator[JudgedCall]:
    """The last answered request of each flexible version."""
    chosen = {}
    for call in played:
        named = broker.apis.naming.request(call.request.api_key, call.request.version)
        readable = isinstance(named, FrameType) and named.layout.flexible
        if call.answer is not None and readable and call.request.message in READ_ONLY:
            chosen[call.request.message, call.request.version] = call
    yield from chosen.values()


def _judge(broker: BrokerUnderTest, client: RawClient, request: Request) -> None:
    named = broker.apis.named(request.message, request.version)
    codec = broker.apis.naming.codec(named)
    header, body = codec.decode(request.data)
    tagged = codec.encode({**header, TAGS: _UNKNOWN}, _tagged(named.layout.root, body))
    changed = Request(request.message, request.api_key, request.version, tagged)
    shapes = [_answer_shape(broker, client, each) for each in (request, changed, request)]
    before, between, after = shapes
    if before is None or before != after:
        return
    if between is None:
        words = "it is answered without unknown tags, and not with them"
        broker.find(BrokerRule.UNKNOWN_TAGS, words, changed, kind="unanswered")
        return
    found = shape_difference(between, before)
    if found is not None:
        path, with_tags, without = found
        words = f"{path} is {with_tags} with unknown tags in the request, and {without} without them"
        broker.find(BrokerRule.UNKNOWN_TAGS, words, changed, kind=path)


def _answer_shape(broker: BrokerUnderTest, client: RawClient, request: Request) -> Shape | None:
    outcome = client.send(request.data, request.api_key, request.version)
    if not isinstance(outcome, AnsweredCall):
        return None
    layout = _response_layout(broker, request, outcome)
    return shape_of(layout, outcome.body, lambda _: False)


def _response_layout(broker: BrokerUnderTest, request: Request, outcome: AnsweredCall) -> MessageLayout:
    named = broker.apis.naming.response(request.api_key, outcome.version)
    assert isinstance(named, FrameType)
    return named.layout


def _tagged(struct: StructLayout, value: StructValue) -> StructValue:
    """The value with unknown tags in each struct."""
    changed: StructValue = {**value, TAGS: {**value.get(TAGS, {}), **_UNKNOWN}}
    for field in struct.fields:
        inner = value.get(field.name)
        if field.struct is not None and inner is not None:
            items = [_tagged(field.struct, each) for each in (inner if isinstance(inner, list) else [inner])]
            changed[field.name] = items if isinstance(inner, list) else items[0]
    return changed
