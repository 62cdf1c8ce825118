"""Judgement of one embedded message: label and body are compared with Kafka's framing, in both directions."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from kafkawire.canonical import canonical
from kafkawire.embedded.label import Label
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import STOPPED_EARLY, Crashed, Refused, Sized, Unsupported
from wireproof.model.cell import FramePart
from wireproof.model.divergence import Divergence
from wireproof.model.embedding import (
    BlobReply,
    DecodedBlob,
    EmbeddedBlob,
    EncodedBlob,
    Framing,
    OracleBlob,
    ReencodedBlob,
)
from wireproof.model.oracle import Refusal
from wireproof.proof.checks.check_table import Check, left_out
from wireproof.proof.checks.comparing.divergences import (
    byte_differences,
    decoded_value,
    first_difference,
    value_differences,
)
from wireproof.proof.checks.difference_kinds import ACCEPTED, UNREADABLE, kind_of
from wireproof.proof.checks.evidence_text import around, field_at, refusal_words, value_words
from wireproof.proof.checks.known_defects.kafka_bugs import KafkaBug, class_bug
from wireproof.proof.checks.values.lossy_forms import LossyMeaning
from wireproof.proof.checks.values.strange_labels import StrangeBlob, label_bytes


@dataclass(frozen=True, slots=True)
class ClassBlob:
    """The bytes that Kafka's class writes for a message, if they differ from those of the schema.

    Attributes:
        reply: the class's bytes, and the value that the class holds.
        bug: the known bug that explains why the bytes differ from the schema's.
    """

    reply: OracleBlob
    bug: KafkaBug

    @classmethod
    def of(
        cls, release: str, framing: Framing, blob: EmbeddedBlob, reply: OracleBlob | Refusal
    ) -> "ClassBlob | None":
        """Return the class's bytes for the schema's blob; None if they are equal, or the blob is refused."""
        if isinstance(reply, Refusal) or reply.blob.data == blob.data:
            return None
        head = label_bytes(framing, blob.data)
        bug = class_bug(release, framing, same_label=reply.blob.data[:head] == blob.data[:head])
        return None if bug is None else cls(reply, bug)


@dataclass(frozen=True, slots=True)
class BlobEvidence:
    """The answers about one value in its framing.

    Attributes:
        expected: the canonical binary of the value.
        encoded, sized: the codec's answers for the value.
        decoded: the codec's answer for its own blob; None if it made none.
        written: Kafka's blob for the value.
        decoded_oracle: the codec's answer for Kafka's blob, asked only if that differs from its own.
        reread: the answers of Kafka's readers for the codec's blob, each with the meaning that they keep.
        known_bug: explains why Kafka does not frame the value; None if no known Kafka bug does.
        of_class: what Kafka's class writes instead of the schema's bytes; None if that is the same.
    """

    layout: MessageLayout
    framing: Framing
    subject: str
    label: Label
    expected: bytes
    encoded: BlobReply
    sized: BlobReply
    decoded: BlobReply | None
    written: OracleBlob | Refusal
    decoded_oracle: BlobReply | None
    reread: tuple[tuple[OracleBlob | Refusal, LossyMeaning | None], ...]
    known_bug: KafkaBug | None = None
    of_class: ClassBlob | None = None


@dataclass(frozen=True, slots=True)
class StrangeLabelEvidence:
    """The answers for a blob with a strange label.

    Attributes:
        label, expected: the label and the value of the blob before it was changed.
        reread: the answers of Kafka's readers for it.
    """

    layout: MessageLayout
    subject: str
    label: Label
    expected: bytes
    strange: StrangeBlob
    decoded: BlobReply
    reread: tuple[tuple[OracleBlob | Refusal, LossyMeaning | None], ...]


def judge_blob(e: BlobEvidence) -> tuple[Divergence, ...]:
    """Return a divergence for each failed check of an embedded message, the most relevant first."""
    return tuple(replace(each, part=FramePart.EMBEDDED) for each in _judge(e))


def _judge(e: BlobEvidence) -> Iterator[Divergence]:
    if isinstance(e.written, Refusal):
        yield Divergence(
            Check.ENCODE,
            "layout",
            e.known_bug.summary if e.known_bug else "Kafka cannot frame a message that the layout allows",
            oracle=refusal_words(e.written),
            erratum=e.known_bug.witness if e.known_bug else "",
        )
    elif e.written.value != e.expected:
        summary = "Kafka's class does not hold the value it was given"
        yield from value_differences(
            e.layout, Check.CANONICAL, "layout", summary, e.expected, e.written.value
        )
    if isinstance(e.encoded, Unsupported):
        yield from left_out(Check.ENCODE, e.subject, e.encoded)
        yield from _judge_kafkas(e)
        return
    if not isinstance(e.encoded, EncodedBlob):
        path = e.encoded.path if isinstance(e.encoded, Refused) else ""
        words = field_at(e.layout, path), None, _words(e.encoded), "encodes it"
        summary, kind = "a valid message is not put into its framing", kind_of(e.encoded)
        yield Divergence(Check.ENCODE, e.subject, summary, path, *words, kind=kind)
        return
    ours = e.encoded.blob
    if e.of_class is not None and ours.data == e.of_class.reply.blob.data:
        bug, said = e.of_class.bug, around(ours.data, 0)
        yield Divergence(Check.BYTES, e.subject, bug.summary, codec=said, erratum=bug.witness)
        yield from _judge_size(e, ours)
        yield from _judge_kafkas(e)
        return
    if isinstance(e.written, OracleBlob):
        yield from _judge_bytes(e, ours, e.written.blob)
    yield from _judge_size(e, ours)
    if e.decoded is not None:
        kafkas = isinstance(e.written, OracleBlob) and e.written.blob == ours
        check, whose = (Check.DECODE, "Kafka's bytes") if kafkas else (Check.ROUND_TRIP, "its own bytes")
        read = _judge_decoded(e, check, whose, e.decoded, ours)
        yield from _unless_by_class(e, e.decoded, read)
    yield from _judge_kafkas(e)
    for reply, meaning in e.reread:
        if _same_defect(e, reply):
            continue
        yield from _judge_reread(e, ours, reply, meaning)


def _judge_size(e: BlobEvidence, ours: EmbeddedBlob) -> Iterator[Divergence]:
    if isinstance(e.sized, Unsupported):
        yield from left_out(Check.SIZE, e.subject, e.sized)
    elif e.sized != Sized(len(ours.data)):
        summary = "the size announced is not the length of the bytes"
        words_of = _words(e.sized), f"length {len(ours.data)}"
        yield Divergence(Check.SIZE, e.subject, summary, "", "", None, *words_of, kind=kind_of(e.sized))


def _judge_kafkas(e: BlobEvidence) -> Iterator[Divergence]:
    """Judge the codec's answer for Kafka's blob."""
    if e.decoded_oracle is not None and isinstance(e.written, OracleBlob):
        found = _judge_decoded(e, Check.DECODE, "Kafka's bytes", e.decoded_oracle, e.written.blob)
        yield from _unless_by_class(e, e.decoded_oracle, found)


def _unless_by_class(e: BlobEvidence, reply: BlobReply, found: Iterator[Divergence]) -> Iterator[Divergence]:
    """Yield a reader's divergences; if its value is that of Kafka's class, they get the class's known bug."""
    bug = None
    if e.of_class is not None and isinstance(reply, DecodedBlob) and reply.label == e.label:
        with suppress(CodecError):
            if canonical(e.layout).to_binary(reply.value) == e.of_class.reply.value:
                bug = e.of_class.bug
    yield from found if bug is None else (replace(each, erratum=bug.witness) for each in found)


def _same_defect(e: BlobEvidence, reply: OracleBlob | Refusal) -> bool:
    """Return whether Kafka could not frame again what it read, by the known bug of the value."""
    if e.known_bug is None or not isinstance(reply, Refusal) or not isinstance(e.written, Refusal):
        return False
    return reply.error == e.written.error


def _judge_bytes(e: BlobEvidence, ours: EmbeddedBlob, theirs: EmbeddedBlob) -> Iterator[Divergence]:
    if theirs.key is not None and ours.key != theirs.key:
        words = (ours.key or b"").hex(" "), theirs.key.hex(" ")
        yield Divergence(Check.LABEL, e.subject, "the record's key is not Kafka's", "", "", None, *words)
    if ours.data == theirs.data:
        return
    offset = first_difference(ours.data, theirs.data)
    words = around(ours.data, offset), around(theirs.data, offset)
    head = label_bytes(e.framing, theirs.data)
    rank = 0
    if offset < head:
        summary = "the label before the body is not Kafka's"
        yield Divergence(Check.LABEL, e.subject, summary, "", "", offset, *words)
        rank = 1
    summary, bodies = "the bytes differ from Kafka's", (ours.data[head:], theirs.data[head:])
    if bodies[0] != bodies[1]:
        for found in byte_differences(e.layout, Check.BYTES, e.subject, summary, *bodies):
            yield replace(found, offset=(found.offset or 0) + head, rank=found.rank + rank)


def _judge_decoded(
    e: BlobEvidence | StrangeLabelEvidence,
    check: Check,
    whose: str,
    reply: BlobReply,
    blob: EmbeddedBlob | None,
) -> Iterator[Divergence]:
    """Judge the value that the codec read.

    Args:
        blob: the bytes, which the codec must read to their end, and must write again if it returns no value;
            None if neither is required.
    """
    if isinstance(reply, Unsupported):
        yield from left_out(check, e.subject, reply)
        return
    if isinstance(reply, DecodedBlob | ReencodedBlob) and blob is not None and reply.left_bytes:
        reply = _unread(blob, reply.left_bytes)
    if isinstance(reply, ReencodedBlob):
        if blob is not None and (reply.blob.data != blob.data or reply.blob.key not in (None, blob.key)):
            summary = f"{whose} are written again as others"
            ours, theirs = around(reply.blob.data, 0), around(blob.data, 0)
            yield Divergence(check, e.subject, summary, codec=ours, oracle=theirs)
        return
    if not isinstance(reply, DecodedBlob):
        path = reply.path if isinstance(reply, Refused) else ""
        offset = reply.offset if isinstance(reply, Refused) else None
        words = field_at(e.layout, path), offset, _words(reply), "reads them"
        yield Divergence(check, e.subject, f"{whose} are not decoded", path, *words, kind=kind_of(reply))
        return
    rank = 0
    if reply.label != e.label:
        summary = f"{whose} are taken for another message"
        yield Divergence(Check.LABEL, e.subject, summary, codec=str(reply.label), oracle=str(e.label))
        rank = 1
    for each in decoded_value(e.layout, check, e.subject, whose, reply.value, e.expected):
        yield replace(each, rank=each.rank + rank)


def _judge_reread(
    e: BlobEvidence, ours: EmbeddedBlob, reply: OracleBlob | Refusal, meaning: LossyMeaning | None
) -> Iterator[Divergence]:
    if meaning is not None and meaning(canonical(e.layout).from_binary(e.expected)) is None:
        return
    if isinstance(reply, Refusal):
        yield Divergence(
            Check.ORACLE_READS, e.subject, "Kafka does not read the codec's bytes",
            codec=around(ours.data, 0), oracle=refusal_words(reply), kind=UNREADABLE,
        )  # fmt: skip
        return
    if meaning is None and reply.value == e.expected:
        if reply.blob.data != ours.data:
            summary = "Kafka writes again other bytes than it read"
            words = ours.data.hex(" "), reply.blob.data.hex(" ")
            yield Divergence(Check.ORACLE_READS, e.subject, summary, "", "", None, *words)
        return
    sent, read = _meant(e.layout, e.expected, meaning), _meant(e.layout, reply.value, meaning)
    if sent != read:
        summary = "Kafka reads the codec's bytes to another value"
        yield from value_differences(e.layout, Check.ORACLE_READS, e.subject, summary, sent, read)


def _meant(layout: MessageLayout, value: bytes, meaning: LossyMeaning | None) -> bytes:
    form = canonical(layout)
    meant = None if meaning is None else meaning(form.from_binary(value))
    return value if meant is None else form.to_binary(meant)


def judge_strange(e: StrangeLabelEvidence) -> tuple[Divergence, ...]:
    """Return the divergences if the codec or Kafka does not read or refuse a strange blob as it should."""
    return tuple(replace(each, part=FramePart.EMBEDDED) for each in _judge_strange(e))


def _judge_strange(e: StrangeLabelEvidence) -> Iterator[Divergence]:
    if e.strange.read:
        check, whose = Check.TOLERANCE, "bytes that Kafka reads"
        yield from _judge_decoded(e, check, whose, e.decoded, None)
    elif isinstance(e.decoded, Unsupported):
        yield from left_out(Check.TOLERANCE, e.subject, e.decoded)
    elif not (isinstance(e.decoded, Refused) or _leaves(e.decoded)):
        summary, kind = "a label that is not known is not refused", kind_of(e.decoded, ACCEPTED)
        said = _words(e.decoded)
        yield Divergence(Check.TOLERANCE, e.subject, summary, codec=said, oracle="refused", kind=kind)
    for reply, meaning in e.reread:
        reads = isinstance(reply, OracleBlob)
        if e.strange.oracle_reads is not None and reads != e.strange.oracle_reads:
            summary = "Kafka does not treat a strange label as it is said to"
            said = "read" if e.strange.oracle_reads else "refused"
            words = "read" if isinstance(reply, OracleBlob) else refusal_words(reply)
            yield Divergence(Check.TOLERANCE, "layout", summary, codec=said, oracle=words)
        elif e.strange.read and isinstance(reply, OracleBlob):
            sent, read = _meant(e.layout, e.expected, meaning), _meant(e.layout, reply.value, meaning)
            if sent != read:
                summary = "Kafka reads another value after a strange label"
                yield from value_differences(e.layout, Check.TOLERANCE, "layout", summary, sent, read)


def _unread(blob: EmbeddedBlob, left_bytes: int) -> Refused:
    """Return the refusal of a reader that stops before the end of the blob."""
    whole = len(blob.data)
    words = f"it reads {whole - left_bytes} of {whole} bytes"
    return Refused(STOPPED_EARLY, words, offset=whole - left_bytes, foreign=True)


def _leaves(reply: BlobReply) -> bool:
    return isinstance(reply, DecodedBlob | ReencodedBlob) and reply.left_bytes > 0


def _words(reply: BlobReply) -> str:
    match reply:
        case EncodedBlob(blob) | ReencodedBlob(blob):
            return f"{len(blob.data)} bytes"
        case Unsupported():
            return f"unsupported ({reply.reason}): {reply.message}"
        case DecodedBlob(label, value):
            return f"{label}: {value_words(value)}"
        case Sized(size):
            return f"size {size}"
        case Refused():
            return f"refuses: {reply.message}"
        case Crashed():
            return f"crashes: {reply.error}: {reply.message}"
