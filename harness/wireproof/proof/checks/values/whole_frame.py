"""Judgement of a whole frame: size, header, body."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.adapter import (
    READ_PAST_END,
    STOPPED_EARLY,
    DecodedFrame,
    Encoded,
    FedFrame,
    Refused,
    Reply,
    Unsupported,
)
from wireproof.model.cell import FramePart
from wireproof.model.divergence import ByteEvidence, Divergence, NamedBytes
from wireproof.model.oracle import OracleFrame, Refusal
from wireproof.proof.checks.check_table import Check, left_out
from wireproof.proof.checks.comparing.divergences import (
    annotate_frame,
    differing_bytes,
    first_difference,
    named_bytes,
    value_differences,
    wrong_reply,
)
from wireproof.proof.checks.difference_kinds import ACCEPTED, EARLY, INVALID, UNREADABLE, kind_of
from wireproof.proof.checks.evidence_text import around, refusal_words, reply_words, value_words


@dataclass(frozen=True, slots=True)
class FrameEvidence:
    """The answers about one frame.

    Attributes:
        header, body: the canonical binaries of the given header and body.
        encoded: the codec's frame.
        decoded: the codec's answer for its own frame; None if it wrote none, or another one than Kafka.
        reframed: Kafka's answer for the codec's frame; None if there is no frame.
        decoded_oracle: the codec's answer for Kafka's frame, asked only if that differs from its own.
    """

    layout: MessageLayout
    header_layout: MessageLayout
    subject: str
    header: bytes
    body: bytes
    encoded: Reply
    decoded: Reply | None
    reframed: OracleFrame | Refusal | None
    decoded_oracle: Reply | None = None


def judge_cut_header(subject: str, length: int, reply: Reply) -> tuple[Divergence, ...]:
    """Judge the answer for a frame that ends within its header.

    Args:
        length: the length of the frame, with its size.
    """
    if isinstance(reply, Unsupported) or (isinstance(reply, Refused) and reply.error != STOPPED_EARLY):
        return ()
    summary = "a frame that ends within its header is not refused"
    found = wrong_reply(Check.CUT, subject, summary, reply, "refuses it", offset=length, otherwise=ACCEPTED)
    return (replace(found, part=FramePart.HEADER),)


def judge_frame_again(subject: str, before: Reply, after: Reply) -> tuple[Divergence, ...]:
    """Compare the answers for a valid frame before and directly after a frame whose header is refused."""
    if before == after:
        return ()
    summary = "a valid frame is answered otherwise directly after a refused header"
    found = wrong_reply(Check.RECOVER, subject, summary, after, reply_words(before))
    return (replace(found, part=FramePart.HEADER),)


def differing_frames(
    header: MessageLayout,
    body: MessageLayout,
    subject: str,
    summary: str,
    frame: bytes,
    again: bytes,
    head_bytes: int,
) -> Divergence:
    """Return the first field at which a frame and its rewritten bytes differ: of the header, else of the
    body. Sizes are not compared, as they follow from the content.

    Args:
        again: the bytes that were written for the frame; the first `head_bytes` are size and header.
    """
    if frame[PREFIX_BYTES:head_bytes] != again[PREFIX_BYTES:head_bytes]:
        layout, parts = header, (frame[PREFIX_BYTES:], again[PREFIX_BYTES:head_bytes])
    else:
        layout, parts = body, (frame[head_bytes:], again[head_bytes:])
    return differing_bytes(layout, Check.BYTES, subject, summary, *parts)


def judge_frame(e: FrameEvidence) -> Iterator[Divergence]:
    """Yield a divergence for each failed check of a frame."""
    match e.encoded:
        case Encoded(data):
            yield from _judge_reframed(e, data)
        case Unsupported():
            yield from left_out(Check.FRAME_BYTES, e.subject, e.encoded)
        case _:
            summary = "a frame is not encoded"
            yield wrong_reply(Check.FRAME_BYTES, e.subject, summary, e.encoded, "encodes it")
    if e.decoded is not None:
        yield from _judge_decoded(e, e.decoded, "its own frame")
    if e.decoded_oracle is not None:
        yield from _judge_decoded(e, e.decoded_oracle, "Kafka's frame")


def _judge_reframed(e: FrameEvidence, data: bytes) -> Iterator[Divergence]:
    reply = e.reframed
    if reply is None:
        return
    if isinstance(reply, Refusal):
        yield Divergence(
            Check.FRAME_BYTES,
            e.subject,
            "Kafka does not read the codec's frame",
            offset=reply.consumed_bytes,
            codec=around(data, reply.consumed_bytes),
            oracle=refusal_words(reply),
            kind=UNREADABLE,
        )
        return
    if reply.header_version != e.layout.header_version:
        yield Divergence(
            Check.HEADER,
            e.subject,
            "another header version than Kafka's",
            codec=f"header version {e.layout.header_version}",
            oracle=f"header version {reply.header_version}",
        )
        return
    wrote = ByteEvidence(_named(e, data))
    for part, words, layout, expected, actual in (
        (FramePart.HEADER, "header", e.header_layout, e.header, reply.header),
        (FramePart.MESSAGE, "body", e.layout, e.body, reply.body),
    ):
        if actual != expected:
            summary = f"Kafka reads another {words} in the codec's frame"
            found = value_differences(layout, Check.FRAME_BYTES, e.subject, summary, expected, actual)
            yield from (replace(each, part=part, bytes=wrote) for each in found)
    if reply.written != data:
        offset = first_difference(data, reply.written)
        yield Divergence(
            Check.FRAME_BYTES,
            e.subject,
            "the frame differs from Kafka's",
            offset=offset,
            codec=around(data, offset),
            oracle=around(reply.written, offset),
            bytes=ByteEvidence(*(_named(e, frame, offset) for frame in (data, reply.written))),
        )
    elif reply.consumed_bytes != len(data):
        summary, read = "Kafka stops before the end of the frame", f"reads {reply.consumed_bytes}"
        yield Divergence(Check.FRAME_BYTES, e.subject, summary, codec=f"{len(data)} bytes", oracle=read)


def _named(e: FrameEvidence, frame: bytes, at: int | None = None) -> NamedBytes:
    return named_bytes(frame, annotate_frame(e.header_layout, e.layout, frame), at)


def _judge_decoded(e: FrameEvidence, reply: Reply, of: str) -> Iterator[Divergence]:
    """Judge the codec's answer for a frame, which `of` names."""
    if isinstance(reply, Unsupported):
        yield from left_out(Check.FRAME_DECODE, e.subject, reply)
        return
    if not isinstance(reply, DecodedFrame):
        yield wrong_reply(Check.FRAME_DECODE, e.subject, f"{of} is not decoded", reply, "decodes it")
        return
    for part, name, layout, expected, value in (
        (FramePart.HEADER, "header", e.header_layout, e.header, reply.header),
        (FramePart.MESSAGE, "body", e.layout, e.body, reply.value),
    ):
        try:
            actual = canonical(layout).to_binary(value)
        except CodecError as error:
            summary = f"the {name} of {of} is not a valid value: {error}"
            said = value_words(value)
            yield Divergence(Check.FRAME_DECODE, e.subject, summary, codec=said, kind=INVALID, part=part)
            continue
        if actual != expected:
            summary = f"the {name} of {of} is decoded to another value"
            found = value_differences(layout, Check.FRAME_DECODE, e.subject, summary, actual, expected)
            yield from (replace(each, part=part) for each in found)


_SHOWN_PARTS = 8


def judge_feed(
    layout: MessageLayout, subject: str, parts: Sequence[bytes], frame_bytes: int, body: bytes, reply: Reply
) -> Iterator[Divergence]:
    """Yield the divergences of the answer for a frame that came in these parts.

    Args:
        parts: the last part has the last byte of the frame, and may have bytes of the next frame.
        body: the canonical binary of Kafka's value.
    """
    words = f"{reply_words(reply)}, {_sizes(parts)}"
    expected = f"{frame_bytes} bytes, after {len(parts)} parts"

    def found(summary: str, kind: str, codec: str = words, oracle: str = expected) -> Divergence:
        return Divergence(Check.FEED, subject, summary, codec=codec, oracle=oracle, kind=kind)

    if isinstance(reply, Unsupported):
        return
    if not isinstance(reply, FedFrame):
        yield found("a frame that comes in parts is not decoded", kind_of(reply))
        return
    if reply.parts < len(parts):
        yield found("a value is given before the last byte of the frame", EARLY)
    elif reply.consumed_bytes != frame_bytes:
        kind = READ_PAST_END if reply.consumed_bytes > frame_bytes else STOPPED_EARLY
        yield found("other bytes than those of the frame are used", kind)
    try:
        actual = canonical(layout).to_binary(reply.value)
    except CodecError as error:
        summary = f"the body of a frame in parts is not a valid value: {error}"
        yield found(summary, INVALID, value_words(reply.value), "")
        return
    if actual != body:
        summary = "a frame that comes in parts is decoded to another value"
        yield from value_differences(layout, Check.FEED, subject, summary, actual, body)


def _sizes(parts: Sequence[bytes]) -> str:
    shown = ", ".join(str(len(part)) for part in parts[:_SHOWN_PARTS])
    return f"of parts of {shown}{', ...' if len(parts) > _SHOWN_PARTS else ''} bytes"
