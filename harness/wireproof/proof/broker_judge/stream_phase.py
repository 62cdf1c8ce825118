"""The stream (frames in any parts, many in flight, half-closed), unknown tags, and requests to refuse."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from kafkawire.schema import VersionRange
from kafkawire.schema.layout import StructLayout
from kafkawire.values import TAGS, StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.proof.broker_judge.answer_shape import Shape, shape_differences, shape_of
from wireproof.proof.broker_judge.broker_connection import ConnectionEnd, Received
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest, Request
from wireproof.proof.broker_judge.judged_session import JudgedCall
from wireproof.traffic.capture.raw_client.raw_client import AnsweredCall, RawClient
from wireproof.traffic.capture.variations.answer import map_structs
from wireproof.traffic.capture.workloads.request_sweep import READ_ONLY
from wireproof.traffic.fingerprint.fingerprinter import iter_error_codes
from wireproof.traffic.wire.frame_identifier import FrameType

_IN_FLIGHT: Final = 100
_JOINED: Final = 5
_TRIES: Final = 3


def judge_stream(broker: BrokerUnderTest) -> None:
    """Judge how the broker finds requests in the stream, and how it sends its answers.

    Raises:
        BrokerDownError: the broker does not answer any more.
    """
    for judge in (_split, _joined, _in_flight, _half_closed):
        judge(broker)
        broker.check_alive(f"the rules of the stream ({judge.__name__.strip('_').replace('_', ' ')})")


def _newest(broker: BrokerUnderTest, correlation_id: int = 1) -> Request:
    return broker.api_versions(broker.own_versions.highest, correlation_id)


def _split(broker: BrokerUnderTest) -> None:
    """Send a frame in two parts, cut at each byte, and a frame in parts of one byte."""
    size = len(_newest(broker).data)
    cuts = [*((at,) for at in range(1, size)), tuple(range(1, size))]
    with broker.connect() as connection:
        for number, cut in enumerate(cuts):
            request = _newest(broker, number)
            connection.send(request.data[start:end] for start, end in pairwise((0, *cut, size)))
            what = f"a frame in {size} parts" if len(cut) > 1 else f"a frame cut after byte {cut[0]}"
            if broker.accept(BrokerRule.SPLIT_FRAME, request, connection.receive(1), what) is None:
                return


def _joined(broker: BrokerUnderTest) -> None:
    """Send several frames in a segment, and then a segment that ends inside the last frame."""
    requests = [_newest(broker, number) for number in range(_JOINED)]
    data = b"".join(each.data for each in requests)
    for cut in (len(data), len(data) - len(requests[-1].data) // 2):
        with broker.connect() as connection:
            connection.send([part for part in (data[:cut], data[cut:]) if part])
            received = connection.receive(_JOINED)
        what = f"{_JOINED} frames in {'one segment' if cut == len(data) else 'two segments'}"
        if not _in_order(broker, BrokerRule.JOINED_FRAMES, requests, received, what):
            return


def _in_flight(broker: BrokerUnderTest) -> None:
    """Send many requests before the first answer is read."""
    requests = [_newest(broker, _IN_FLIGHT - number) for number in range(_IN_FLIGHT)]
    with broker.connect() as connection:
        connection.send(each.data for each in requests)
        received = connection.receive(_IN_FLIGHT)
    _in_order(broker, BrokerRule.IN_ORDER, requests, received, f"{_IN_FLIGHT} requests in flight")


def _in_order(
    broker: BrokerUnderTest, rule: BrokerRule, requests: Sequence[Request], received: Received, what: str
) -> bool:
    """Check that all requests are answered, in their order."""
    got = [int.from_bytes(frame[4:8], signed=True) for frame in received.frames]
    wanted = [each.correlation_id for each in requests]
    if received.end is not ConnectionEnd.OPEN:
        words = f"{what}: {len(got)} of {len(wanted)} answers came, then {received.text}"
        broker.find(rule, words, requests[min(len(got), len(wanted) - 1)], received.rest)
        return False
    for request, frame, correlation_id in zip(requests, received.frames, got, strict=True):
        if correlation_id != request.correlation_id:
            words = f"{what}: the answers have correlation ids {got[:8]}, expected {wanted[:8]}"
            broker.find(rule, words, request, frame, "order")
            return False
    broker.judge_all([broker.sent(*pair) for pair in zip(requests, received.frames, strict=True)])
    return True


def _half_closed(broker: BrokerUnderTest) -> None:
    """Close the client's side after no request, after half a request, and after a whole one."""
    request = _newest(broker)
    for what, data in (
        ("no request", b""),
        ("half of a request", request.data[: len(request.data) // 2]),
        ("a whole request", request.data),
    ):
        with broker.connect() as connection:
            connection.send([data] if data else [])
            connection.finish()
            received = connection.receive(2)
        words = f"after {what} and the end of the client's side"
        if received.end is not ConnectionEnd.CLOSED:
            broker.find(BrokerRule.HALF_CLOSED, f"{words}: {received.text}", request, received.rest, "open")
        elif received.frames and data != request.data:
            found = received.frames[0]
            broker.find(BrokerRule.HALF_CLOSED, f"{words} it sends an answer", request, found, "answer")
        elif received.frames:
            broker.has_correlation_id(request, received.frames[0], words)


_UNKNOWN: Final = {10_000: b"\x00\xff unknown", 2_000_000_000: b""}
"""Tags that no schema has, in ascending order."""


def judge_tags(
    broker: BrokerUnderTest, played: Sequence[JudgedCall], greet: Callable[[RawClient], None] | None = None
) -> None:
    """Repeat requests that change nothing, with unknown tags in the header and in each struct of the body.

    The request is sent without tags before and after. If these two answers differ, the broker's state has
    changed, and nothing is judged. A difference is a finding if it occurs three times.

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
    tagged = codec.encode({**header, TAGS: _UNKNOWN}, map_structs(named.layout.root, body, _tagged))
    changed = Request(request.message, request.api_key, request.version, tagged)
    found = ("", "")
    for _ in range(_TRIES):  # a busy broker may be silent once
        before, between, after = [_answer_shape(broker, client, each) for each in (request, changed, request)]
        if before is None or before != after or between == before:
            return
        found = _effect_of_tags(between, before)
    words, kind = found
    broker.find(BrokerRule.UNKNOWN_TAGS, words, changed, kind=kind)


def _effect_of_tags(between: Shape | None, before: Shape) -> tuple[str, str]:
    """The difference of an answer to a request with tags, in words, and the kind of the difference."""
    if between is None:
        return "it is answered without unknown tags, and not with them", "unanswered"
    path, with_tags, without = next(shape_differences(between, before))
    return f"{path} is {with_tags} with unknown tags in the request, and {without} without them", path


def _answer_shape(broker: BrokerUnderTest, client: RawClient, request: Request) -> Shape | None:
    outcome = client.send(request.data, request.api_key, request.version)
    if not isinstance(outcome, AnsweredCall):
        return None
    named = broker.apis.naming.response(request.api_key, outcome.version)
    assert isinstance(named, FrameType)
    return shape_of(named.layout, outcome.body)


def _tagged(_: StructLayout, value: StructValue, path: str) -> StructValue:
    """Return a struct with unknown tags; structs inside tagged fields stay as they are."""
    return value if "~" in path else {**value, TAGS: {**value.get(TAGS, {}), **_UNKNOWN}}


_SIZES: Final = {"zero": 0, "-1": -1, "the least": -(1 << 31), "2 GiB": (1 << 31) - 1}
_KEYS: Final = (-1, 999, 32767)
_METADATA: Final = "MetadataRequest"


class _Refused(NamedTuple):
    """A request that the broker must refuse.

    Attributes:
        may_answer: whether an answer with an error code is right, too, and not only a closed connection.
    """

    rule: BrokerRule
    what: str
    request: Request
    may_answer: bool = False


def judge_refusals(broker: BrokerUnderTest) -> None:
    """Send each request over a connection of its own, then a plain one over another connection.

    Raises:
        BrokerDownError: the broker answers no more.
    """
    for refused in _refused_requests(broker):
        _judge_refusal(broker, refused)
        broker.check_alive(refused.what, refused.request)


def _refused_requests(broker: BrokerUnderTest) -> Iterator[_Refused]:
    plain = broker.api_versions(0)
    for name, size in _SIZES.items():
        data = size.to_bytes(PREFIX_BYTES, signed=True) + (b"" if size == 0 else plain.data[PREFIX_BYTES:])
        what = f"a frame with a size of {name}"
        yield _Refused(BrokerRule.WRONG_SIZE, what, Request("", 0, 0, data))
    for length in range(1, 10):
        data = length.to_bytes(PREFIX_BYTES) + plain.data[PREFIX_BYTES : PREFIX_BYTES + length]
        what = f"a frame of {length} bytes, which ends inside its header"
        yield _Refused(BrokerRule.CUT_FRAME, what, Request("", 0, 0, data))
    for key in _KEYS:
        data = plain.data[:PREFIX_BYTES] + key.to_bytes(2, signed=True) + plain.data[PREFIX_BYTES + 2 :]
        yield _Refused(BrokerRule.UNKNOWN_API, f"a request of api key {key}", Request("", key, 0, data))
    key = broker.apis.key(_METADATA)
    if key in broker.offered:
        known = broker.apis.valid_versions(_METADATA)
        offered = broker.offered[key]
        last = VersionRange.ALL.highest
        for version in {-1, min(offered.highest + 1, last), last}.difference(offered):
            request = broker.request(_METADATA, known.highest, {"topics": []}, said=version)
            yield _Refused(BrokerRule.UNKNOWN_VERSION, f"Metadata of version {version}", request, True)


def _judge_refusal(broker: BrokerUnderTest, refused: _Refused) -> None:
    with broker.connect() as connection:
        connection.send([refused.request.data])
        received = connection.receive(1)
    if received.end is ConnectionEnd.CLOSED:
        return
    if received.end is not ConnectionEnd.OPEN:
        words = f"{refused.what}: the connection stays open: {received.text}"
        broker.find(refused.rule, words, refused.request, received.rest, "open")
        return
    if not (refused.may_answer and _has_error(broker, refused.request, received.frames[0])):
        words = f"{refused.what} is answered as if it were right"
        broker.find(refused.rule, words, refused.request, received.frames[0], "answer")


def _has_error(broker: BrokerUnderTest, request: Request, answer: bytes) -> bool:
    """Check that the answer has an error code, or that its version is unknown."""
    if not broker.has_correlation_id(request, answer, "a request of another version"):
        return False
    body = broker.judged(request, answer)
    return body is None or any(code for _, code in iter_error_codes(body))
