"""Judgement of tagged fields that an older release does not know: it has to keep their bytes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Crashed, Decoded, Encoded, Reencoded, Refused, Reply, Unsupported
from wireproof.model.divergence import TAGS_TYPE, Divergence
from wireproof.model.oracle import OracleReply, Refusal
from wireproof.proof.checks.check_table import Check, left_out
from wireproof.proof.checks.comparing.divergences import (
    byte_differences,
    judge_decoded,
    value_differences,
    wrong_reply,
)
from wireproof.proof.checks.difference_kinds import INVALID, kind_of
from wireproof.proof.checks.evidence_text import around, oracle_words, reply_words


@dataclass(frozen=True, slots=True)
class KeptEvidence:
    """The answers for another release's bytes, with tagged fields that this layout may not know.

    Attributes:
        decoded: the codec's answer for them.
        again: the codec's bytes for the decoded value; None if it decoded nothing.
        oracle: the answer of this release's Kafka classes.
    """

    layout: MessageLayout
    subject: str
    body: bytes
    decoded: Reply
    again: Reply | None
    oracle: OracleReply


def judge_kept(e: KeptEvidence) -> Iterator[Divergence]:
    """Judge that both sides read one value in the bytes, and write the same bytes again."""
    if isinstance(e.oracle, Refusal) or e.oracle.written != e.body:
        yield Divergence(
            Check.TAGS_KEPT,
            "oracle",
            "Kafka does not give back the bytes of another release as they were",
            codec=around(e.body, 0),
            oracle=oracle_words(e.oracle),
        )
    yield from _judge_again(e)
    if not isinstance(e.decoded, Decoded) or isinstance(e.oracle, Refusal):
        return
    invalid = "bytes of another release are decoded to no valid value"
    other = "bytes of another release are decoded to another value than Kafka's"
    yield from judge_decoded(
        e.layout, Check.TAGS_KEPT, e.subject, e.decoded.value, e.oracle.value, invalid=invalid, other=other
    )


def _judge_again(e: KeptEvidence) -> Iterator[Divergence]:
    for answer in (e.decoded, e.again):
        if isinstance(answer, Unsupported):
            yield from left_out(Check.TAGS_KEPT, e.subject, answer)
            return
    again = e.decoded if isinstance(e.decoded, Reencoded) else e.again
    if isinstance(again, Encoded | Reencoded):
        if again.data != e.body:
            summary = "bytes of another release are not written again as they were"
            yield from byte_differences(e.layout, Check.TAGS_KEPT, e.subject, summary, again.data, e.body)
        return
    reply = e.decoded if e.again is None else e.again
    path, offset = (reply.path, reply.offset) if isinstance(reply, Refused) else ("", None)
    summary, oracle = "bytes of another release are refused", "keeps what it does not know"
    yield wrong_reply(Check.TAGS_KEPT, e.subject, summary, reply, oracle, path=path, offset=offset)


def is_not_kept(divergence: Divergence) -> bool:
    """Return True if the codec gave no answer for a reason other than unknown tags."""
    return (
        divergence.check == Check.TAGS_KEPT and divergence.field_type != TAGS_TYPE and divergence.unanswered
    )


def as_not_read(divergence: Divergence, plain: Reply) -> Divergence:
    """Return it as a divergence of `decode` if the codec cannot read the bytes without unknown tags, either.

    Args:
        plain: the codec's answer for the bytes without such fields.
    """
    if not is_not_kept(divergence) or not isinstance(plain, Refused | Crashed):
        return divergence
    return replace(
        divergence,
        check=Check.DECODE,
        summary="Kafka's bytes are not decoded",
        codec=reply_words(plain),
        oracle="decodes them",
        kind=kind_of(plain),
    )


def judge_newer(
    layout: MessageLayout, subject: str, body: bytes, wants: bytes | None, decoded: Reply, again: Reply | None
) -> tuple[Divergence, ...]:
    """Judge the newer side, which reads an older release's bytes, or its own bytes after that release.

    Args:
        layout: the layout with the new fields.
        wants: the canonical binary of the value; None if only the bytes have to come back.
    """
    if not isinstance(decoded, Decoded) or again != Encoded(body):
        summary = "the bytes do not come back from a codec that knows more tagged fields"
        reply = decoded if again is None else again
        return (wrong_reply(Check.TAGS_KEPT, subject, summary, reply, around(body, 0)),)
    try:
        actual = canonical(layout).to_binary(decoded.value)
    except CodecError as error:
        summary = "decoded to no valid value by a codec that knows more tagged fields"
        return (Divergence(Check.TAGS_KEPT, subject, summary, error.path, codec=str(error), kind=INVALID),)
    if wants is not None and actual != wants:
        summary = "a value does not survive a release that lacks its tagged fields"
        return tuple(value_differences(layout, Check.TAGS_KEPT, subject, summary, actual, wants))
    return ()
