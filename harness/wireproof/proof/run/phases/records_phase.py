"""The records phase of one cell: messages whose records fields hold record sets.

First the message is judged like any other value, then the content of its fields: Kafka reads the records in
the message that the codec wrote, and the codecs read the records in the message that Kafka wrote.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import (
    RecordSet,
    highest_magic,
    record_set_layout,
    record_set_spec,
    to_canonical,
    to_value,
)
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import ScalarType
from wireproof.model.adapter import (
    Adapter,
    Claimant,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Reencoded,
    Reply,
    Unsupported,
)
from wireproof.model.case_source import FieldPath, MessageRecords, at, filled, path_words
from wireproof.model.cell import RECORDS_MODULE, Case, Cell, FramePart, Phase
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleReply, OracleValue
from wireproof.proof.checks.check_table import Check, left_out
from wireproof.proof.checks.difference_kinds import kind_of
from wireproof.proof.checks.evidence_text import refusal_words, reply_words
from wireproof.proof.checks.values.record_set import judge_content, judge_view
from wireproof.proof.run.comparing.compared_messages import ComparedCodec, compare_messages
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.context.value_judgement import judge_batch
from wireproof.proof.run.core.prepared_cases import CellTarget, prepare, without_form


def carries_records(layout: MessageLayout) -> bool:
    """True if any field of the message holds record sets."""
    return any(field.scalar is ScalarType.RECORDS for _, _, field in layout.walk() if not field.struct)


def try_messages_with_records(context: CellContext) -> None:
    """Try the messages of the cell with record sets in them."""
    if carries_records(context.layout):
        for message in context.record_source.messages(context.cell, context.layout):
            if context.wants(message.name):
                context.announce(Phase.RECORDS, [message.name])
                _judge(context, message)


def _judge(context: CellContext, message: MessageRecords) -> None:
    """Judge one message and record the divergences; if codecs are compared, those of each codec."""
    codecs, target = context.environment.records, context.target
    attempts = [_Attempt(context, message, target, codecs[0])]
    if context.comparison is not None:
        # A codec that does not claim the message is not asked for the sets in it either.
        asked = [each for each in target.adapters if not isinstance(each, Claimant) or each.ways(target.cell)]
        own = [(codec, [each for each in asked if each.name == codec.name]) for codec in codecs]
        attempts = [
            _Attempt(context, message, replace(target, adapters=adapters), codec)
            for codec, adapters in own
            if adapters
        ]
    verdicts = [attempt.verdict() for attempt in attempts]
    if context.comparison is not None:
        pairs = zip(attempts, verdicts, strict=True)
        carriers = [attempt.carrier(verdict.found) for attempt, verdict in pairs]
        compare_messages(context.comparison, target, message, attempts[0].made_by_kafka()[0], carriers)
    found = [each for verdict in verdicts for each in verdict.found]
    size = sum(verdict.size for verdict in verdicts)
    context.recorder.record(Phase.RECORDS, message.name, found, verdicts[0].value, size=size)
    if not found:
        context.coverage.met(verdicts[0].value)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The result of an attempt.

    Attributes:
        value: the message with the codec's bytes in its fields, if the codec wrote any.
    """

    found: list[Divergence]
    value: dict[str, Any]
    size: int


@dataclass(slots=True)
class _Attempt:
    """One message, tried with a codec of record sets and with the message codecs that belong to it."""

    context: CellContext
    message: MessageRecords
    target: CellTarget
    codec: Adapter

    def verdict(self) -> _Verdict:
        """Ask Kafka and the codecs, and judge the answers."""
        value = self.message.value
        theirs, found = self.made_by_kafka()
        ours, refused = self._encoded(theirs)
        found += refused
        size = sum(map(len, ours.values()))
        if not _fails(found):
            value = filled(self.message.value, ours)
            found += self._as_values(value, filled(self.message.value, theirs))
        if not _fails(found):
            found += self._read_by_kafka(value)
            found += self._read_by_us(filled(self.message.value, theirs))
        return _Verdict(found, value, size)

    def carrier(self, found: Sequence[Divergence]) -> ComparedCodec:
        """The codec as a party of a comparison."""
        messages = next(iter(self.target.adapters), None)
        return ComparedCodec(self.codec.name, messages, self._ask, found)

    def _ask(self, records: RecordSet, request: Encode | Decode) -> Reply:
        """The answer of the codec of record sets; `Unsupported` if it does not claim such a set."""
        cell = Cell(self.context.cell.release, RECORDS_MODULE, record_set_spec().name, highest_magic(records))
        codec = self.codec
        if isinstance(codec, Claimant) and not codec.record_domain(cell).holds(records):
            return Unsupported("", "not claimed")
        (reply,) = codec.ask(cell, _layout(records), [request])
        return reply

    def _encoded(self, made: Mapping[FieldPath, bytes]) -> tuple[dict[FieldPath, bytes], list[Divergence]]:
        """The bytes of each field, as the codec of record sets writes them.

        Args:
            made: the bytes that Kafka writes; they are used if the codec does not support the set.
        """
        data: dict[FieldPath, bytes] = {}
        found: list[Divergence] = []
        for path, records in self.message.sets.items():
            reply = self._ask(records, Encode(to_value(records)))
            if isinstance(reply, Encoded):
                data[path] = reply.data
            elif isinstance(reply, Unsupported):
                data[path] = made.get(path, b"")
                found += left_out(Check.ENCODE, self.codec.name, reply)
            else:
                summary, words = "a valid record set is not encoded", reply_words(reply)
                kind = kind_of(reply)
                found.append(
                    Divergence(
                        Check.ENCODE,
                        self.codec.name,
                        summary,
                        path_words(path),
                        codec=words,
                        kind=kind,
                        part=FramePart.RECORD_SET,
                    )
                )
        return data, found

    def made_by_kafka(self) -> tuple[dict[FieldPath, bytes], list[Divergence]]:
        """The bytes of each field, as Kafka writes them."""
        sets = self.message.sets
        forms = [to_canonical(records, written=True) for records in sets.values()]
        data: dict[FieldPath, bytes] = {}
        found = []
        made = self.context.target.oracle.write_records(forms, parts=True)
        for (path, records), reply in zip(sets.items(), made, strict=True):
            if isinstance(reply, OracleValue):
                data[path] = reply.written + records.tail
            else:
                summary, words = "Kafka cannot write a record set that it should know", refusal_words(reply)
                found.append(Divergence(Check.ENCODE, "layout", summary, path_words(path), oracle=words))
        return data, found

    def _as_values(self, *values: Mapping[str, Any]) -> Iterator[Divergence]:
        """Judge the message with the codec's bytes, and with Kafka's, like any other value."""
        context = self.context
        items = [
            prepare(context.layout, Case(context.cell, Phase.RECORDS, self.message.name, dict(value)))
            for value in values
        ]
        for divergences in judge_batch(self.target, items):
            yield from divergences

    def _read_by_kafka(self, value: Mapping[str, Any]) -> Iterator[Divergence]:
        """The records that Kafka finds in the message that each codec wrote."""
        context = self.context
        bodies = []
        for adapter in self.target.adapters:
            (reply,) = adapter.ask(context.cell, context.layout, [Encode(dict(value))])
            if isinstance(reply, Encoded):  # other replies are judged by `_as_values`
                bodies.append(reply.data)
        for body in dict.fromkeys(bodies):
            (reread,) = context.target.oracle.reread(context.cell, context.layout, [body])
            yield from self._judge_views(reread)

    def _judge_views(self, reread: OracleReply) -> Iterator[Divergence]:
        assert isinstance(reread, OracleValue)
        held = canonical(self.context.layout).from_binary(reread.value)
        fields = [at(held, path) for path in self.message.sets]
        replies = self.context.target.oracle.read_records(fields)
        for (path, records), data, reply in zip(self.message.sets.items(), fields, replies, strict=True):
            found = judge_view(self.codec.name, data, to_canonical(records), len(records.tail), reply)
            yield from _within(path, found)

    def _read_by_us(self, value: Mapping[str, Any]) -> Iterator[Divergence]:
        """The records that our codecs find in the message that Kafka wrote."""
        context = self.context
        binary = canonical(context.layout).to_binary(dict(value))
        (written,) = context.target.oracle.write(context.cell, context.layout, [binary])
        assert isinstance(written, OracleValue)
        for adapter in self.target.adapters:
            (reply,) = adapter.ask(context.cell, context.layout, [Decode(written.written)])
            if isinstance(reply, Decoded):
                yield from self._judge_contents(reply.value)
            elif isinstance(reply, Reencoded):  # `_as_values` has checked that the bytes are the same
                yield from self._judge_contents(value)

    def _judge_contents(self, value: Mapping[str, Any]) -> Iterator[Divergence]:
        for path, records in self.message.sets.items():
            layout = _layout(records)
            reply = self._ask(records, Decode(at(value, path)))
            try:
                expected = canonical(layout).to_binary(to_value(records))
            except CodecError as error:
                found: Sequence[Divergence] = [without_form("record set", error)]
            else:
                whose = "Kafka's records"
                found = [*judge_content(layout, self.codec.name, Check.DECODE, whose, expected, reply)]
            yield from _within(path, found)


def _fails(found: Sequence[Divergence]) -> bool:
    """True if any divergence is more than a case that the codec's types cannot hold."""
    return any(not each.unsupported for each in found)


def _within(path: FieldPath, found: Iterator[Divergence] | Sequence[Divergence]) -> Iterator[Divergence]:
    """Divergences of a record set, with paths that begin at the message."""
    prefix = path_words(path)
    for each in found:
        inner = f"{prefix}/{each.path}" if each.path else prefix
        yield replace(each, path=inner, part=FramePart.RECORD_SET)


def _layout(records: RecordSet) -> MessageLayout:
    return record_set_layout(highest_magic(records))
