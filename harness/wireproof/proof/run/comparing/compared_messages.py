"""Record sets, embedded messages, and messages with record sets in a comparison of codecs.

If the sets are not compressed, the written bytes are compared; else the message without the sets, and the
sets as Kafka's readers see them. To read, a codec decodes the message and then each of its sets.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.records import RecordSet, highest_magic, record_set_layout, to_value
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Adapter, Decode, Decoded, Encode, Encoded, Reencoded, Reply, Unsupported
from wireproof.model.agreement import ORACLE_NAME, CodecTask
from wireproof.model.case_source import FieldPath, MessageRecords, at, filled
from wireproof.model.cell import Phase
from wireproof.model.divergence import Divergence
from wireproof.model.embedding import (
    BlobReply,
    DecodedBlob,
    EmbeddedBlob,
    EncodedBlob,
    OracleBlob,
    ReencodedBlob,
)
from wireproof.model.oracle import OracleReply, OracleValue
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.values.embedded_message import BlobEvidence
from wireproof.proof.checks.values.record_set import RecordEvidence, is_plain
from wireproof.proof.run.comparing.answer_comparison import (
    READING,
    WRITING,
    ComparableAnswer,
    Comparison,
    first_place,
    rewritten,
    unanswered,
)
from wireproof.proof.run.core.prepared_cases import CellTarget, binary_or_none

PACKS: Final = "compresses"
"""The answer of a codec that writes compressed data: its result is the view of Kafka's readers."""

JudgedSet: TypeAlias = tuple[RecordEvidence, tuple[Divergence, ...]]
"""The answers of one codec about a set, and their judgement."""


def compare_sets(
    comparison: Comparison, case_id: str, seen: Sequence[JudgedSet], made: Sequence[OracleReply]
) -> None:
    """Record which codecs agree about one set.

    Args:
        seen: the judged answers of each codec that may be asked for the set.
        made: the set as Kafka writes it; empty if Kafka cannot, or if foreign bytes are to be read.
    """
    if not seen:
        return
    first, _ = seen[0]
    found = [(each.subject, divergences) for each, divergences in seen]
    theirs = next((each for each in made if isinstance(each, OracleValue)), None)
    if theirs is not None:
        data = theirs.written + first.records.tail
        plain = is_plain(first.records)
        right: ComparableAnswer = ("writes", data) if plain else (PACKS, theirs.value)
        said = {each.subject: _written(each, plain=plain) for each, _ in seen}
        _record(comparison, CodecTask.ENCODE, first.expected, right, said, found, case_id)
    elif first.encoded is None and first.data is not None and isinstance(first.reread, OracleValue):
        data = first.data
    else:
        return  # only the codecs have written it
    said = {each.subject: _read(each, _reply_to(each, data), data) for each, _ in seen}
    _record(comparison, CodecTask.DECODE, data, ("reads", first.expected), said, found, case_id)


def _record(
    comparison: Comparison,
    question: CodecTask,
    asked: bytes,
    right: ComparableAnswer,
    said: Mapping[str, ComparableAnswer | None],
    found: Iterable[tuple[str, Sequence[Divergence]]],
    case_id: str,
    *,
    about: str = "",
    writing: Collection[Check] = WRITING,
) -> None:
    """Report the answers to a question to the comparison.

    Args:
        found: the divergences of each codec, by its name.
        about: the words before the field at which the answers differ.
        writing: the checks of what a codec writes.
    """
    differing = (divergences for name, divergences in found if said[name] not in (None, right))
    place = first_place(differing, writing if question is CodecTask.ENCODE else READING)
    comparison.reported(question, asked, {ORACLE_NAME: right, **said}, f"{about} {place}".strip(), case_id)


def _written(e: RecordEvidence, *, plain: bool) -> ComparableAnswer | None:
    if not isinstance(e.encoded, Encoded):
        return unanswered(e.encoded)
    if plain:
        return "writes", e.encoded.data
    if isinstance(e.reread, OracleValue):
        return PACKS, e.reread.value
    return "writes what Kafka does not read", e.encoded.data


def _reply_to(e: RecordEvidence, data: bytes) -> Reply | None:
    """The codec's answer for these bytes."""
    if e.data == data:
        return e.decoded
    for made, reply in e.made:
        if isinstance(made, OracleValue) and made.written + e.records.tail == data:
            return reply
    return None


def _read(e: RecordEvidence, reply: Reply | None, data: bytes) -> ComparableAnswer | None:
    match reply:
        case Decoded(value):
            return _reads(e.layout, value)
        case Reencoded(again):
            return rewritten(again, data, e.expected)
        case _:
            return unanswered(reply)


def _reads(layout: MessageLayout, value: dict[str, Any]) -> ComparableAnswer:
    read = binary_or_none(layout, value)
    return ("reads no value", None) if read is None else ("reads", read)


AskSet: TypeAlias = Callable[[RecordSet, Encode | Decode], Reply]


@dataclass(frozen=True, slots=True)
class ComparedCodec:
    """One codec in a comparison.

    Attributes:
        messages: its adapter of messages; None if it has none for the cell.
        sets: returns its answer to a question about a record set; `Unsupported` if it is not asked.
        found: the divergences of its answers.
    """

    name: str
    messages: Adapter | None
    sets: AskSet
    found: Sequence[Divergence]


def compare_messages(
    comparison: Comparison,
    target: CellTarget,
    message: MessageRecords,
    theirs: Mapping[FieldPath, bytes],
    carriers: Sequence[ComparedCodec],
) -> None:
    """Record which codecs agree about one message with record sets.

    Args:
        theirs: the sets as Kafka writes them, by their paths; if one is missing, nothing is compared.
    """
    if theirs.keys() != message.sets.keys():
        return
    contents = _Contents(target, message, theirs)
    body = contents.body
    if body is None:
        return
    case_id = target.cell.case_id(Phase.RECORDS, message.name)
    found = [(each.name, each.found) for each in carriers]
    for question, right, asked, said in (
        (
            CodecTask.ENCODE,
            contents.shown(body),
            contents.value_binary,
            {each.name: contents.written(each) for each in carriers},
        ),
        (
            CodecTask.DECODE,
            ("reads", contents.expected),
            body,
            {each.name: contents.read(each, body) for each in carriers},
        ),
    ):
        _record(comparison, question, asked, right, said, found, case_id, about="with records")


@dataclass(slots=True)
class _Contents:
    target: CellTarget
    message: MessageRecords
    theirs: Mapping[FieldPath, bytes]

    @property
    def value(self) -> dict[str, Any]:
        """The message with Kafka's sets in it."""
        return filled(self.message.value, self.theirs)

    @property
    def value_binary(self) -> bytes:
        return canonical(self.target.layout).to_binary(self.value)

    @property
    def body(self) -> bytes | None:
        """Kafka's bytes of the message; None if Kafka does not write it."""
        (reply,) = self.target.oracle.write(self.target.cell, self.target.layout, [self.value_binary])
        return reply.written if isinstance(reply, OracleValue) else None

    @property
    def expected(self) -> bytes:
        """The canonical binary of the message, then those of its sets."""
        return self.value_binary + b"".join(map(_binary, self.message.sets.values()))

    def shown(self, body: bytes) -> ComparableAnswer:
        """The comparable answer for a written message."""
        if all(map(is_plain, self.message.sets.values())):
            return "writes", body
        oracle, form = self.target.oracle, canonical(self.target.layout)
        (reread,) = oracle.reread(self.target.cell, self.target.layout, [body])
        if isinstance(reread, OracleValue):
            held = form.from_binary(reread.value)
            views = oracle.read_records([at(held, path) for path in self.message.sets])
            reported = [each.value for each in views if isinstance(each, OracleValue)]
            if len(reported) == len(views):
                without = form.to_binary(filled(held, dict.fromkeys(self.message.sets, b"")))
                return PACKS, without + b"".join(reported)
        return "writes what Kafka does not read", body

    def written(self, carrier: ComparedCodec) -> ComparableAnswer | None:
        """The answer of a codec to the message and its sets; Kafka's sets are used if it writes none."""
        if carrier.messages is None:
            return None
        ours = dict(self.theirs)
        for path, records in self.message.sets.items():
            reply = carrier.sets(records, Encode(to_value(records)))
            if isinstance(reply, Encoded):
                ours[path] = reply.data
            elif not isinstance(reply, Unsupported):
                return unanswered(reply)
        value = filled(self.message.value, ours)
        (whole,) = carrier.messages.ask(self.target.cell, self.target.layout, [Encode(value)])
        return self.shown(whole.data) if isinstance(whole, Encoded) else unanswered(whole)

    def read(self, carrier: ComparedCodec, body: bytes) -> ComparableAnswer | None:
        """The answer of a codec to Kafka's bytes."""
        if carrier.messages is None:
            return None
        (reply,) = carrier.messages.ask(self.target.cell, self.target.layout, [Decode(body)])
        match reply:
            case Decoded(value):
                return self._contents_of(carrier, value)
            case Reencoded(again):
                return rewritten(again, body, self.expected)
            case _:
                return unanswered(reply)

    def _contents_of(self, carrier: ComparedCodec, value: dict[str, Any]) -> ComparableAnswer | None:
        read = binary_or_none(self.target.layout, value)
        if read is None:
            return "reads no value", None
        if read != self.value_binary:
            return "reads", read
        for path, records in self.message.sets.items():
            reply = carrier.sets(records, Decode(at(value, path)))
            match reply:
                case Decoded(found):
                    read += _binary_of(records, found)
                case Unsupported() | Reencoded():
                    read += _binary(records)
                case _:
                    return unanswered(reply)
        return "reads", read


def _binary(records: RecordSet) -> bytes:
    return _binary_of(records, to_value(records))


def _binary_of(records: RecordSet, value: dict[str, Any]) -> bytes:
    return binary_or_none(record_set_layout(highest_magic(records)), value) or b""


JudgedBlob: TypeAlias = tuple[BlobEvidence, tuple[Divergence, ...]]
"""The answers of one codec about a value in its framing, and their judgement."""

_WRITING: Final = frozenset({Check.ENCODE, Check.BYTES})


def compare_blobs(comparison: Comparison, case_id: str, seen: Sequence[JudgedBlob]) -> None:
    """Record which codecs agree about one framed value; nothing if Kafka does not frame it."""
    if not seen or not isinstance(seen[0][0].written, OracleBlob):
        return
    first, theirs = seen[0][0], seen[0][0].written
    whole = theirs.blob.key is not None
    for question, right, asked in (
        (CodecTask.ENCODE, _writes(theirs.blob, with_key=whole), first.expected),
        (CodecTask.DECODE, ("reads", theirs.value), theirs.blob.data),
    ):
        said = {
            each.subject: _written_blob(each.encoded, with_key=whole)
            if question is CodecTask.ENCODE
            else _read_blob(each, theirs.blob)
            for each, _ in seen
        }
        found = [(each.subject, divergences) for each, divergences in seen]
        _record(comparison, question, asked, right, said, found, case_id, about="framed", writing=_WRITING)


def _writes(blob: EmbeddedBlob, *, with_key: bool) -> ComparableAnswer:
    """The bytes, after those of the record's key if Kafka writes one."""
    return "writes", (blob.key or b"" if with_key else b"") + blob.data


def _written_blob(reply: BlobReply, *, with_key: bool) -> ComparableAnswer | None:
    return _writes(reply.blob, with_key=with_key) if isinstance(reply, EncodedBlob) else unanswered(reply)


def _read_blob(e: BlobEvidence, theirs: EmbeddedBlob) -> ComparableAnswer | None:
    reply = e.decoded_oracle
    if reply is None and isinstance(e.encoded, EncodedBlob) and e.encoded.blob.data == theirs.data:
        reply = e.decoded
    match reply:
        case DecodedBlob(label, value):
            if label != e.label:
                return f"reads {label}", None
            return _reads(e.layout, value)
        case ReencodedBlob(blob):
            return rewritten(blob.data, theirs.data, e.expected)
        case _:
            return unanswered(reply)
