"""Judgement of frames: Kafka's classes must read each one whole and write it back; our codec must agree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.schema import ScalarType
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.base.text.stated_rule import StatedRule
from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import Oracle, OracleFrame, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import value_difference
from wireproof.proof.checks.evidence_text import refusal_words
from wireproof.proof.checks.values.whole_frame import differing_frames
from wireproof.proof.client_judge.sent_requests import RequestFault
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType, UnknownFrameType

ReadFrame: TypeAlias = tuple[StructValue, StructValue] | CodecError
"""Header and body as read by our own codec, or its error."""


@dataclass(frozen=True, slots=True)
class FrameFault:
    """A fault of a frame: the broken rule, a sentence, and the difference from Kafka if there is one."""

    rule: StatedRule
    words: str
    divergence: Divergence | None = None


@dataclass(frozen=True, slots=True)
class FrameJudge:
    """Judges the frames of one side, clients or brokers, by the classes of one release.

    Attributes:
        headers: the layouts of all versions of the frames' header.
        party: the sender, such as ``the client``.
        what, whose: a frame in sentences, such as ``it`` and ``its``.
        readable: the rule that Kafka reads a frame to its end.
        same_again: the rule that Kafka writes the bytes that it read.
        record_sets: the rule that Kafka reads the record sets in it.
    """

    oracle: Oracle
    naming: FrameIdentifier
    headers: Mapping[int, MessageLayout]
    party: str
    what: str
    whose: str
    readable: StatedRule
    same_again: StatedRule
    record_sets: StatedRule

    def by_cell(self, types: Iterable[FrameType | UnknownFrameType | None]) -> Mapping[Cell, list[int]]:
        """Return the indices of the frames of each cell; frames of no cell are left out."""
        together: dict[Cell, list[int]] = {}
        for index, named in enumerate(types):
            if isinstance(named, FrameType):
                cell = Cell(self.naming.release, named.module, named.message, named.version)
                together.setdefault(cell, []).append(index)
        return together

    def judge(
        self, cell: Cell, named: FrameType, frames: Sequence[bytes]
    ) -> Iterator[tuple[ReadFrame, list[FrameFault]]]:
        """Yield our own reading of each frame of a cell, and its faults. All frames are one batch.

        Raises:
            OracleError: Kafka's classes fail.
        """
        layout = named.layout
        replies = self.oracle.reframe(cell, layout, self.headers, frames)
        read = [self._read(named, each) for each in frames]
        for frame, reply, ours, sets in zip(frames, replies, read, self._records(layout, read), strict=True):
            yield ours, [*self._frame(layout, frame, reply, ours), *sets]

    def _read(self, named: FrameType, frame: bytes) -> ReadFrame:
        try:
            return self.naming.codec(named).decode(frame)
        except CodecError as error:
            return error

    def _frame(
        self, layout: MessageLayout, frame: bytes, reply: OracleFrame | Refusal, ours: ReadFrame
    ) -> Iterator[FrameFault]:
        if isinstance(reply, Refusal):
            words = f"Kafka does not read {self.what}: {refusal_words(reply)}"
            yield self._unread(words, f"refused:{reply.error}")
            return
        if reply.consumed_bytes != len(frame):
            words = f"Kafka reads {reply.consumed_bytes} of {self.whose} {len(frame)} bytes"
            yield self._unread(words, "tail")
        elif reply.written != frame:
            yield self._differs(layout, frame, reply)
        yield from self._ours(layout, frame, reply, ours)

    def _unread(self, words: str, kind: str) -> FrameFault:
        return FrameFault(self.readable, words, Divergence(Check.DECODE, self.party, words, kind=kind))

    def _differs(self, layout: MessageLayout, frame: bytes, reply: OracleFrame) -> FrameFault:
        """Locate the difference in the header, or at a field of the body."""
        header = self.headers[reply.header_version]
        written = fastest_codec(header).encode(canonical(header).from_binary(reply.header))
        words = f"Kafka writes other bytes for what it reads in {self.what}"
        divergence = differing_frames(
            header, layout, self.party, words, frame, reply.written, PREFIX_BYTES + len(written)
        )
        return FrameFault(self.same_again, words, divergence)

    def _ours(
        self, layout: MessageLayout, frame: bytes, reply: OracleFrame, ours: ReadFrame
    ) -> Iterator[FrameFault]:
        """Report differences between our codec and Kafka, because the summary relies on our codec."""
        if isinstance(ours, CodecError):
            if reply.written == frame:
                yield FrameFault(RequestFault.OURS, f"wireproof does not read {self.what}: {ours}")
            return
        value = canonical(layout).to_binary(ours[1])
        if value != reply.body:
            words = "wireproof reads another value than Kafka"
            divergence = value_difference(layout, Check.DECODE, "wireproof", words, value, reply.body)
            yield FrameFault(RequestFault.OURS, words, divergence)

    def _records(self, layout: MessageLayout, read: Sequence[ReadFrame]) -> list[list[FrameFault]]:
        """Return a fault for each record set that Kafka does not read, by frame."""
        found: list[list[FrameFault]] = [[] for _ in read]
        if not any(field.scalar is ScalarType.RECORDS for _, _, field in layout.walk() if not field.struct):
            return found
        places = [
            (index, path, data)
            for index, ours in enumerate(read)
            if not isinstance(ours, CodecError)
            for path, data in _record_sets(layout.root, ours[1], "")
        ]
        replies = self.oracle.read_records([data for _, _, data in places])
        for (index, path, _), reply in zip(places, replies, strict=True):
            if isinstance(reply, Refusal):
                words = f"Kafka does not read the record set: {refusal_words(reply)}"
                kind = f"refused:{reply.error}"
                divergence = Divergence(Check.DECODE, self.party, words, path, kind=kind, oracle=words)
                found[index].append(FrameFault(self.record_sets, words, divergence))
        return found


def _record_sets(struct: StructLayout, value: StructValue, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the content of all records fields with their paths."""
    for field in struct.fields:
        here = f"{path}.{field.name}" if path else field.name
        yield from _field_sets(field, value.get(field.name), here)


def _field_sets(field: FieldLayout, value: Any, path: str) -> Iterator[tuple[str, bytes]]:
    if value is None:
        return
    if field.struct is not None:
        elements = value if isinstance(value, list) else [value]
        for index, element in enumerate(elements):
            place = f"{path}[{index}]" if isinstance(value, list) else path
            yield from _record_sets(field.struct, element, place)
    elif field.scalar is ScalarType.RECORDS and value:
        yield path, bytes(value)
