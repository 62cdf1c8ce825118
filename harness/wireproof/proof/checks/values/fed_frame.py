"""Judgement of a frame that a codec reads from a stream, in parts."""

from collections.abc import Iterator, Sequence

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model import READ_PAST_END, STOPPED_EARLY, Divergence, FedFrame, Reply, Unsupported
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import value_differences
from wireproof.proof.checks.difference_kinds import EARLY, INVALID, kind_of
from wireproof.proof.checks.evidence_text import reply_words, value_words

__all__ = ["judge_feed"]

_SHOWN_PARTS = 8


def judge_feed(
    layout: MessageLayout, subject: str, parts: Sequence[bytes], frame_bytes: int, body: bytes, reply: Reply
) -> Iterator[Divergence]:
    """Yield what is wrong with the answer for a frame that came in these parts.

    Args:
        parts: the last one has the last byte of the frame, and may have bytes of a next frame.
        body: the canonical binary of Kafka's value.
    """
    words = f"{reply_words(reply)}, {_sizes(parts)}"
    expected = f"{frame_bytes} bytes, after {len(parts)} parts"
    if isinstance(reply, Unsupported):
        return
    if not isinstance(reply, FedFrame):
        yield _found(subject, "a frame that comes in parts is not decoded", words, expected, kind_of(reply))
        return
    if reply.parts < len(parts):
        yield _found(subject, "a value is given before the last byte of the frame", words, expected, EARLY)
    elif reply.consumed_bytes != frame_bytes:
        kind = READ_PAST_END if reply.consumed_bytes > frame_bytes else STOPPED_EARLY
        yield _found(subject, "other bytes than those of the frame are used", words, expected, kind)
    try:
        actual = canonical(layout).to_binary(reply.value)
    except CodecError as error:
        summary = f"the body of a frame in parts is not a valid value: {error}"
        yield _found(subject, summary, value_words(reply.value), "", INVALID)
        return
    if actual != body:
        summary = "a frame that comes in parts is decoded to another value"
        yield from value_differences(layout, Check.FEED, subject, summary, actual, body)


def _sizes(parts: Sequence[bytes]) -> str:
    shown = ", ".join(str(len(part)) for part in parts[:_SHOWN_PARTS])
    return f"of parts of {shown}{', ...' if len(parts) > _SHOWN_PARTS else ''} bytes"


def _found(subject: str, summary: str, codec: str, oracle: str, kind: str) -> Divergence:
    return Divergence(Check.FEED, subject, summary, codec=codec, oracle=oracle, kind=kind)
