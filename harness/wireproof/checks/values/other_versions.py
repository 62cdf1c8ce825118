"""Judgement of what versions and releases owe each other: fields a version lacks, tags it does not know."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError, Fault
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import TAGS
from wireproof.checks.check_table import Check
from wireproof.checks.comparing.divergences import byte_differences, value_differences
from wireproof.checks.difference_kinds import ACCEPTED, INVALID, kind_of
from wireproof.checks.evidence_text import around, refusal_words, reply_words, value_words
from wireproof.checks.known_defects.kafka_bugs import version_bug
from wireproof.checks.unsupported import left_out
from wireproof.model import (
    ENDED,
    NO_VALUE,
    READ_PAST_END,
    STOPPED_EARLY,
    Crashed,
    Decoded,
    Divergence,
    Encoded,
    OracleReply,
    OracleValue,
    Reencoded,
    Refusal,
    Refused,
    Reply,
    Unsupported,
    VersionAnswer,
)
from wireproof.model.divergence import TAGS_TYPE, without_indices

__all__ = [
    "KeptEvidence",
    "as_not_read",
    "is_not_kept",
    "judge_absent",
    "judge_beyond",
    "judge_bounds",
    "judge_kept",
    "judge_newer",
    "judge_reserved",
]

_UNSUPPORTED = "UnsupportedVersionException"


def judge_absent(
    layout: MessageLayout, subject: str, refused_at: str, codec: Reply, oracle: OracleReply
) -> tuple[Divergence, ...]:
    """A value with a field that the version lacks, written by both sides.

    Args:
        refused_at: the field at which both have to refuse it; ``""`` where both have to drop the field.
    """
    if refused_at:
        return tuple(_judge_refused(subject, refused_at, codec, oracle))
    return tuple(_judge_dropped(layout, subject, codec, oracle))


def _judge_refused(subject: str, path: str, codec: Reply, oracle: OracleReply) -> Iterator[Divergence]:
    if not (isinstance(oracle, Refusal) and (oracle.stage, oracle.error) == ("write", _UNSUPPORTED)):
        summary = "the layout says that Kafka refuses this field, and it does not"
        yield Divergence(
            Check.ABSENT, "layout", summary, path, codec="refuses it", oracle=_oracle_words(oracle)
        )
        return
    if isinstance(codec, Unsupported):
        yield from left_out(Check.ABSENT, subject, codec)
    elif not _refuses(codec, Fault.NOT_IN_VERSION, path):
        summary = "a field that this version lacks and may not ignore is not refused as such"
        yield Divergence(
            Check.ABSENT,
            subject,
            summary,
            path,
            codec=reply_words(codec),
            oracle=_oracle_words(oracle),
            kind=kind_of(codec, ACCEPTED),
        )


def _refuses(codec: Reply, fault: Fault, path: str | None = None) -> bool:
    """Return whether the codec refuses by this fault, at this field; a foreign one just has to refuse."""
    if not isinstance(codec, Refused):
        return False
    right = codec.error == fault and (path is None or without_indices(codec.path) == path)
    return right or codec.foreign


def _judge_dropped(
    layout: MessageLayout, subject: str, codec: Reply, oracle: OracleReply
) -> Iterator[Divergence]:
    if isinstance(oracle, Refusal):
        summary = "the layout says that Kafka drops this field, and it refuses it"
        yield Divergence(Check.ABSENT, "layout", summary, codec="drops it", oracle=refusal_words(oracle))
    elif isinstance(codec, Unsupported):
        yield from left_out(Check.ABSENT, subject, codec)
    elif not isinstance(codec, Encoded):
        summary = "a field that this version may drop is not dropped"
        path = codec.path if isinstance(codec, Refused) else ""
        yield Divergence(
            Check.ABSENT,
            subject,
            summary,
            path,
            codec=reply_words(codec),
            oracle="drops the field",
            kind=kind_of(codec),
        )
    elif codec.data != oracle.written:
        yield from byte_differences(
            layout,
            Check.ABSENT,
            subject,
            "a field that this version lacks leaves a trace",
            codec.data,
            oracle.written,
        )


@dataclass(frozen=True, slots=True)
class KeptEvidence:
    """The answers for bytes that another release wrote, with tagged fields that this layout may not know.

    Attributes:
        body: those bytes.
        decoded: the codec's answer for them.
        again: the codec's bytes for what it decoded; None where it decoded nothing.
        oracle: the answer of Kafka's classes of this release.
    """

    layout: MessageLayout
    subject: str
    body: bytes
    decoded: Reply
    again: Reply | None
    oracle: OracleReply


def judge_kept(e: KeptEvidence) -> tuple[Divergence, ...]:
    """Both sides read the bytes to one value, and write the same bytes again."""
    return tuple(_judge_kept(e))


def _judge_kept(e: KeptEvidence) -> Iterator[Divergence]:
    if isinstance(e.oracle, Refusal) or e.oracle.written != e.body:
        yield Divergence(
            Check.TAGS_KEPT,
            "oracle",
            "Kafka does not give back the bytes of another release as they were",
            codec=around(e.body, 0),
            oracle=_oracle_words(e.oracle),
        )
    yield from _judge_again(e)
    if not isinstance(e.decoded, Decoded) or isinstance(e.oracle, Refusal):
        return
    try:
        actual = canonical(e.layout).to_binary(e.decoded.value)
    except CodecError as error:
        yield Divergence(
            Check.TAGS_KEPT,
            e.subject,
            "bytes of another release are decoded to no valid value",
            error.path,
            codec=value_words(e.decoded.value),
            kind=INVALID,
        )
        return
    if actual != e.oracle.value:
        summary = "bytes of another release are decoded to another value than Kafka's"
        yield from value_differences(e.layout, Check.TAGS_KEPT, e.subject, summary, actual, e.oracle.value)


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
    path = reply.path if isinstance(reply, Refused) else ""
    yield Divergence(
        Check.TAGS_KEPT,
        e.subject,
        "bytes of another release are refused",
        path,
        offset=reply.offset if isinstance(reply, Refused) else None,
        codec=reply_words(reply),
        oracle="keeps what it does not know",
        kind=kind_of(reply),
    )


def is_not_kept(divergence: Divergence) -> bool:
    """Return whether bytes of another release got no answer for a reason other than unknown tags."""
    return (
        divergence.check == Check.TAGS_KEPT and divergence.field_type != TAGS_TYPE and divergence.unanswered
    )


def as_not_read(divergence: Divergence, plain: Reply) -> Divergence:
    """The divergence as that of a decoder, where it does not read the bytes without such fields either.

    Args:
        plain: the codec's answer for those.
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
    """The side that knows more: it reads its own bytes, back from an older release, or an older one's.

    Args:
        layout: with the new fields.
        wants: the canonical binary of the value; None where only the bytes are to come back.
    """
    if not isinstance(decoded, Decoded) or again != Encoded(body):
        summary = "the bytes do not come back from a codec that knows more tagged fields"
        reply = decoded if again is None else again
        words = reply_words(reply), around(body, 0)
        return (Divergence(Check.TAGS_KEPT, subject, summary, "", "", None, *words, kind=kind_of(reply)),)
    try:
        actual = canonical(layout).to_binary(decoded.value)
    except CodecError as error:
        summary = "decoded to no valid value by a codec that knows more tagged fields"
        return (Divergence(Check.TAGS_KEPT, subject, summary, error.path, codec=str(error), kind=INVALID),)
    if wants is not None and actual != wants:
        summary = "a value does not survive a release that lacks its tagged fields"
        return tuple(value_differences(layout, Check.TAGS_KEPT, subject, summary, actual, wants))
    return ()


def judge_reserved(subject: str, codec: Reply, oracle: OracleReply) -> tuple[Divergence, ...]:
    """Bytes with a tag that means a field in other versions only: both sides refuse to read them."""
    if not (isinstance(oracle, Refusal) and oracle.stage == "read"):
        summary = "the layout says that Kafka refuses this tag at this version, and it does not"
        return (
            Divergence(
                Check.TAG_VERSION, "layout", summary, codec="refuses it", oracle=_oracle_words(oracle)
            ),
        )
    if isinstance(codec, Unsupported) or _refuses(codec, Fault.TAG_VERSION):
        return ()
    # As an unknown tag, which no value may hold here.
    read = isinstance(codec, Crashed) and codec.error == NO_VALUE
    summary = "a tag of another version is not refused as such"
    return (
        Divergence(
            Check.TAG_VERSION,
            subject,
            summary,
            TAGS,
            codec=reply_words(codec),
            oracle=_oracle_words(oracle),
            kind=ACCEPTED if read else kind_of(codec, ACCEPTED),
        ),
    )


def judge_beyond(subject: str, version: int, operation: str, reply: Reply) -> tuple[Divergence, ...]:
    """A testee's answer at a version that its message does not have: a refusal of any kind is right.

    A codec that reads a value there and leaves bytes, or reads on, has taken the version.
    """
    match reply:
        case Unsupported():
            return left_out(Check.VERSIONS, subject, reply)
        case Refused(error) if error != STOPPED_EARLY:
            return ()
        case Crashed(error) if error not in (NO_VALUE, READ_PAST_END, *ENDED):
            return ()
    ended = isinstance(reply, Crashed) and reply.error in ENDED
    how = "ends the process or hangs it" if ended else "is not refused"
    summary = f"{operation} at version {version}, which the message does not have, {how}"
    words = reply_words(reply), "has no such version"
    kind = kind_of(reply) if ended else ACCEPTED
    return (Divergence(Check.VERSIONS, subject, summary, "", "", None, *words, kind=kind),)


def judge_bounds(
    release: str, layout: MessageLayout, version: int, refused: bool, answer: VersionAnswer
) -> tuple[Divergence, ...]:
    """A version one beyond those of the message: no side has a codec for it.

    Args:
        refused: whether ours refused it with `UnsupportedVersionError`.

    Kafka's classes name their versions, and requests are refused where they are parsed; a class itself looks
    at its version only where a struct of it begins or ends (known bug VERSION-UNCHECKED).
    """
    return tuple(_judge_bounds(release, layout, version, refused, answer))


def _judge_bounds(
    release: str, layout: MessageLayout, version: int, refused: bool, answer: VersionAnswer
) -> Iterator[Divergence]:
    ours = f"versions {layout.versions}"
    if (answer.lowest, answer.highest) != (layout.versions.lowest, layout.versions.highest):
        theirs = f"versions {answer.lowest}-{answer.highest}"
        yield Divergence(
            Check.VERSIONS, "layout", "Kafka's class names other versions", codec=ours, oracle=theirs
        )
    if not refused:
        summary = f"version {version} is not refused"
        yield Divergence(
            Check.VERSIONS, "layout", summary, codec="gives a layout", oracle="has no such version"
        )
    if answer.described:
        summary = f"Kafka's SCHEMAS have version {version}"
        yield Divergence(Check.VERSIONS, "layout", summary, codec=ours, oracle="has a schema")
    if answer.request and answer.request != _UNSUPPORTED:
        summary = f"Kafka does not refuse a request of version {version} as such"
        yield Divergence(Check.VERSIONS, "layout", summary, codec="refuses it", oracle=answer.request)
    if answer.write != _UNSUPPORTED:
        known = version_bug(release) if answer.write == "taken" else None
        yield Divergence(
            Check.VERSIONS,
            "oracle",
            known.summary if known else f"Kafka's class does not refuse version {version} as such",
            codec="refuses it",
            oracle=answer.write,
            erratum=known.witness if known else "",
        )


def _oracle_words(reply: OracleReply) -> str:
    if isinstance(reply, OracleValue):
        return f"{len(reply.written)} bytes: {around(reply.written, 0)}"
    return refusal_words(reply)
