"""Messages with record sets in them in a comparison: what each codec writes and reads of both together.

Bytes are held side by side where the sets are not compressed; else the message without the sets, and
what Kafka's readers show of these. What is read is the message and each set, by the same codec.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import RecordSet, highest_magic, record_set_layout, to_value
from wireproof.model.adapter import Adapter, Decode, Decoded, Encode, Encoded, Reencoded, Reply, Unsupported
from wireproof.model.agreement import ORACLE_NAME, CodecTask
from wireproof.model.case_source import FieldPath, MessageRecords
from wireproof.model.cell import Phase
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.values.record_set import is_plain
from wireproof.proof.run.comparing.answer_comparison import (
    READING,
    WRITING,
    ComparableAnswer,
    Comparison,
    first_place,
    unanswered,
)
from wireproof.proof.run.comparing.compared_sets import PACKS
from wireproof.proof.run.core.prepared_cases import CellTarget
from wireproof.proof.run.core.record_paths import at, filled

AskSet: TypeAlias = Callable[[RecordSet, Encode | Decode], Reply]


@dataclass(frozen=True, slots=True)
class ComparedCodec:
    """One codec in a comparison.

    Attributes:
        messages: its adapter of messages; None where it has none for the cell.
        sets: the codec's answer to a question about the set at a place; `Unsupported` where it is not asked.
        found: how its answers were judged.
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
    """Note who agrees with whom about one message with record sets.

    Args:
        theirs: the sets as Kafka writes them, by their places; nothing is compared where one is missing.
    """
    if theirs.keys() != message.sets.keys():
        return
    contents = _Contents(target, message, theirs)
    body = contents.body
    if body is None:
        return
    case_id = target.cell.case_id(Phase.RECORDS, message.name)
    for question, right, asked, checks, said in (
        (
            CodecTask.ENCODE,
            contents.shown(body),
            contents.value_binary,
            WRITING,
            {each.name: contents.written(each) for each in carriers},
        ),
        (
            CodecTask.DECODE,
            ("reads", contents.expected),
            body,
            READING,
            {each.name: contents.read(each, body) for each in carriers},
        ),
    ):
        found = (each.found for each in carriers if said[each.name] not in (None, right))
        about = f"with records {first_place(found, checks)}".strip()
        comparison.reported(question, asked, {ORACLE_NAME: right, **said}, about, case_id)


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
        """Kafka's bytes of it; None where it does not write it."""
        (reply,) = self.target.oracle.write(self.target.cell, self.target.layout, [self.value_binary])
        return reply.written if isinstance(reply, OracleValue) else None

    @property
    def expected(self) -> bytes:
        """The canonical form of the message, then those of the sets."""
        return self.value_binary + b"".join(map(_binary, self.message.sets.values()))

    def shown(self, body: bytes) -> ComparableAnswer:
        """The comparable answer of a message that was written."""
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
                return ("reads", self.expected) if again == body else ("reads, and writes otherwise", again)
            case _:
                return unanswered(reply)

    def _contents_of(self, carrier: ComparedCodec, value: dict[str, Any]) -> ComparableAnswer | None:
        try:
            read = canonical(self.target.layout).to_binary(value)
        except CodecError:
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
    try:
        return canonical(record_set_layout(highest_magic(records))).to_binary(value)
    except CodecError:
        return b""
