"""Judgement across versions: fields that a version lacks, tags of other versions, versions out of range."""

from collections.abc import Iterator

from kafkawire.errors import Fault
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import TAGS
from wireproof.model.adapter import (
    ENDED,
    NO_VALUE,
    READ_PAST_END,
    STOPPED_EARLY,
    Crashed,
    Encoded,
    Refused,
    Reply,
    Unsupported,
)
from wireproof.model.divergence import Divergence, without_indices
from wireproof.model.oracle import OracleReply, Refusal, VersionAnswer
from wireproof.proof.checks.check_table import Check, left_out
from wireproof.proof.checks.comparing.divergences import byte_differences, wrong_reply
from wireproof.proof.checks.difference_kinds import ACCEPTED, kind_of
from wireproof.proof.checks.evidence_text import oracle_words, refusal_words, reply_words
from wireproof.proof.checks.known_defects.kafka_bugs import version_bug

_UNSUPPORTED = "UnsupportedVersionException"


def judge_absent(
    layout: MessageLayout, subject: str, refused_at: str, codec: Reply, oracle: OracleReply
) -> tuple[Divergence, ...]:
    """Judge the encoding of a value with a field that the version lacks.

    Args:
        refused_at: the field at which both sides have to refuse the value; ``""`` if both have to drop it.
    """
    if refused_at:
        return tuple(_judge_refused(subject, refused_at, codec, oracle))
    return tuple(_judge_dropped(layout, subject, codec, oracle))


def _judge_refused(subject: str, path: str, codec: Reply, oracle: OracleReply) -> Iterator[Divergence]:
    if not (isinstance(oracle, Refusal) and (oracle.stage, oracle.error) == ("write", _UNSUPPORTED)):
        summary = "the layout says that Kafka refuses this field, and it does not"
        yield Divergence(
            Check.ABSENT, "layout", summary, path, codec="refuses it", oracle=oracle_words(oracle)
        )
        return
    if isinstance(codec, Unsupported):
        yield from left_out(Check.ABSENT, subject, codec)
    elif not _refuses(codec, Fault.NOT_IN_VERSION, path):
        summary = "a field that this version lacks and may not ignore is not refused as such"
        yield _accepted(Check.ABSENT, subject, summary, path, codec, oracle)


def _accepted(
    check: Check, subject: str, summary: str, path: str, codec: Reply, oracle: OracleReply
) -> Divergence:
    words = oracle_words(oracle)
    return wrong_reply(check, subject, summary, codec, words, path=path, otherwise=ACCEPTED)


def _refuses(codec: Reply, fault: Fault, path: str | None = None) -> bool:
    """Return True if the codec refuses with this fault, at this field; a foreign codec may use any fault."""
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
        yield wrong_reply(Check.ABSENT, subject, summary, codec, "drops the field", path=path)
    elif codec.data != oracle.written:
        yield from byte_differences(
            layout,
            Check.ABSENT,
            subject,
            "a field that this version lacks leaves a trace",
            codec.data,
            oracle.written,
        )


def judge_reserved(subject: str, codec: Reply, oracle: OracleReply) -> tuple[Divergence, ...]:
    """Judge bytes with a tag that is a field only in other versions: both sides have to refuse them."""
    if not (isinstance(oracle, Refusal) and oracle.stage == "read"):
        summary = "the layout says that Kafka refuses this tag at this version, and it does not"
        return (
            Divergence(Check.TAG_VERSION, "layout", summary, codec="refuses it", oracle=oracle_words(oracle)),
        )
    if isinstance(codec, Unsupported) or _refuses(codec, Fault.TAG_VERSION):
        return ()
    # The codec reads it as an unknown tag, which no value may hold here.
    summary = "a tag of another version is not refused as such"
    return (_accepted(Check.TAG_VERSION, subject, summary, TAGS, codec, oracle),)


def judge_beyond(subject: str, version: int, operation: str, reply: Reply) -> tuple[Divergence, ...]:
    """Judge a testee's answer at a version that its message does not have: any refusal passes.

    A codec that reads a value and stops early, or reads past the end, has accepted the version.
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
) -> Iterator[Divergence]:
    """Judge a version one below or above the message's versions: neither side has a codec for it.

    Kafka's classes declare their versions, and the parser refuses other requests. A class itself checks its
    version only if a struct begins or ends there (known bug VERSION-UNCHECKED).

    Args:
        refused: True if wireproof's codec refused it with `UnsupportedVersionError`.
    """
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


def judge_refusal(subject: str, path: str, reply: Reply, field: str = "") -> tuple[Divergence, ...]:
    """Judge the answer to a value that the version cannot hold: only an orderly refusal is right.

    Args:
        field: the field at the path, in words.
    """
    if isinstance(reply, Refused | Unsupported):
        return ()
    summary = "a value that this version cannot hold is not refused"
    return (
        wrong_reply(
            Check.REFUSAL, subject, summary, reply, "refuses it", path=path, field=field, otherwise=ACCEPTED
        ),
    )


def judge_ended(subject: str, path: str, reply: Reply, field: str = "") -> tuple[Divergence, ...]:
    """Judge the answer of a codec that promises no refusal: it may do anything except end or hang.

    Args:
        field: the field at the path, in words.
    """
    if not (isinstance(reply, Crashed) and reply.error in ENDED):
        return ()
    summary = "a value that this version cannot hold ends the process or hangs it"
    return (wrong_reply(Check.REFUSAL, subject, summary, reply, "refuses it", path=path, field=field),)
