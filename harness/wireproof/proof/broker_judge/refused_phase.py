"""Frames that a broker has to refuse: sizes, unknown APIs and versions, frames cut inside the header."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from kafkawire.wire import PREFIX_BYTES
from wireproof.proof.broker_judge.broker_connection import ConnectionEnd
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest, Request
from wireproof.traffic.fingerprint.fingerprinter import iter_error_codes

_SIZES: Final = {"zero": 0, "-1": -1, "the least": -(1 << 31), "2 GiB": (1 << 31) - 1}
_KEYS: Final = (-1, 999, 32767)
_METADATA: Final = "MetadataRequest"


class _Refused(NamedTuple):
    """A request that has to be refused.

    Attributes:
        may_answer: true if an answer with an error code is as good as the end of the connection.
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
        _judge(broker, refused)
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
        for version in (-1, broker.offered[key].highest + 1, 32767):
            request = broker.request(_METADATA, known.highest, {"topics": []}, said=version)
            yield _Refused(BrokerRule.UNKNOWN_VERSION, f"Metadata of version {version}", request, True)


def _judge(broker: BrokerUnderTest, refused: _Refused) -> None:
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
    """Check for an answer that has an error code, or one of a version that cannot be told."""
    if not broker.has_correlation_id(request, answer, "a request of another version"):
        return False
    body = broker.judged(request, answer)
    return body is None or any(code for _, code in iter_error_codes(body))
