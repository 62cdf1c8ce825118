"""Whole frames of a request or response (size, header, body), and valid frames after refused ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import TAGS
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.adapter import (
    Adapter,
    Claimant,
    Decode,
    DecodedFrame,
    DecodeFrame,
    Encoded,
    EncodeFrame,
    Reply,
    Request,
)
from wireproof.model.cell import Case, FramePart, Phase
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleReply, OracleValue
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.values.message_value import judge_instance
from wireproof.proof.checks.values.whole_frame import (
    FrameEvidence,
    judge_cut_header,
    judge_frame,
    judge_frame_again,
)
from wireproof.proof.run.attribution.field_isolation import attribute_to_tags, isolate_fields, without_tags
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.prepared_cases import (
    HEADER_CASES,
    SMALL_BYTES,
    PreparedCase,
    header_cases,
    header_cell,
    header_identity,
    prepare,
)
from wireproof.proof.run.properties.stream_feeding import STREAMS, claims_streams, feed_frame

_MORE_BODIES: Final = 64
"""Boundary cases of the body that are framed if neither the default nor the fullest body could be."""

_MOST_HEADERS: Final = 16
"""Most headers that cannot be written to try in each cell."""

_FRAMING: Final = {"frame", "unframe"} | STREAMS


def prove_frames(context: CellContext) -> None:
    """Try each small boundary case of the header with the default body, and then the fullest body."""
    header_layout = context.environment.layouts.header(context.cell)
    if header_layout is None:
        return
    try_frames(
        context, list(header_cases(context.environment.source, context.cell, context.layout, header_layout))
    )
    adapters = context.target.adapters
    if any(_FRAMING & each.idle(context.cell) for each in adapters if isinstance(each, Claimant)):
        try_frames(context, list(_small_bodies(context, header_layout)))


def _small_bodies(context: CellContext, header_layout: MessageLayout) -> Iterator[Case]:
    """Frames of other bodies, for codecs whose types hold neither the default nor the fullest one."""
    fixed = header_identity(context.cell, context.layout, header_layout)
    for case in islice(context.cases(), _MORE_BODIES):
        item = prepare(context.layout, case)
        if item.problem is None and len(item.expected) <= SMALL_BYTES:
            yield Case(context.cell, Phase.FRAME, f"body-{case.name}", case.value, fixed)


def try_frames(context: CellContext, cases: Sequence[Case]) -> None:
    """Ask every codec and the oracle for frames of header and body."""
    context.announce(Phase.FRAME, [case.name for case in cases])
    header_layout = context.environment.layouts.headers(context.cell)[context.layout.header_version or 0]
    proven = [_Frames(context, each, header_layout).tried(cases) for each in context.target.adapters]
    for index, case in enumerate(cases):
        if all(each[index] for each in proven):
            context.coverage.met(case.value)
            context.coverage.met_header(case.header or {})


@dataclass(frozen=True, slots=True)
class _Frames:
    """The frames of one cell, for one codec."""

    context: CellContext
    adapter: Adapter
    header_layout: MessageLayout

    def tried(self, cases: Sequence[Case]) -> list[bool]:
        """Judge and record frames; return for each whether it is proven."""
        found = self._judge(cases)
        parts = self._by_its_parts(cases, found)
        agreeing = [case for case, each in zip(cases, found, strict=True) if not each]
        placed = self._placed(cases, found)
        for case, divergences, of_parts in zip(cases, placed, parts, strict=True):
            reported = tuple(map(_reported, divergences, of_parts))
            if case.name.startswith(HEADER_CASES):
                reported = tuple(map(_of_the_header, reported))
            self._record(case, reported)
        if claims_streams(self.context, self.adapter):
            self._feed(agreeing)
        if agreeing and self.context.comparison is None:
            (frame,) = self._kafkas([self._prepared(agreeing[0])])
            if frame is not None:
                self._try_refused_headers(agreeing[0], frame)
        return [not divergences for divergences in placed]

    def _feed(self, proven: Sequence[Case]) -> None:
        """Feed the first and the last proven frame in parts: the last one has the fullest body."""
        chosen = [*proven[:1], *proven[1:][-1:]]
        for case, frame in zip(chosen, self._kafkas(list(map(self._prepared, chosen))), strict=True):
            if frame is not None:
                feed_frame(self.context, self.adapter, case, frame)

    def _record(self, case: Case, found: tuple[Divergence, ...]) -> None:
        """Report and count one frame."""
        context = self.context
        divergences = context.recorder.excused(Phase.FRAME, case.name, found, case.value)
        header, body = self._prepared(case)
        if divergences:
            text = None if header.problem else canonical(self.header_layout).to_json(case.header or {})
            frame = header.expected + body.expected
            asked = len(frame).to_bytes(4) + frame
            context.recorder.failed(Phase.FRAME, case.name, divergences, case.value, text, asked=asked)
        elif found:
            context.coverage.excused(case.value)
            context.coverage.excused_header(case.header or {})
        size = len(header.expected) + len(body.expected)
        context.recorder.count(Phase.FRAME, 1, size, 1 if divergences else 0)

    def _placed(
        self, cases: Sequence[Case], found: Sequence[tuple[Divergence, ...]]
    ) -> list[tuple[Divergence, ...]]:
        """The divergences, each placed at its cause: at the unknown tagged fields of header or body, or at
        the field of the body that is at fault."""

        def without(index: int) -> Case | None:
            case = cases[index]
            header, value = without_tags(case.header or {}), without_tags(case.value)
            if header is None and value is None:
                return None
            return replace(
                case,
                header=case.header if header is None else header,
                value=case.value if value is None else value,
            )

        def key(case: Case) -> bytes:
            return b"".join(part.expected for part in self._prepared(case))

        def judge_bodies(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
            return self._judge([replace(cases[0], value=value) for value in values])

        placed = attribute_to_tags(found, without, self._judge, key)
        layout = self.context.layout
        return isolate_fields(layout, placed, lambda index: cases[index].value, judge_bodies)

    def _judge(self, cases: Sequence[Case]) -> list[tuple[Divergence, ...]]:
        """The divergences of the codec's frames.

        Kafka reads the codec's frame. The codec reads Kafka's frame, or its own if Kafka wrote none.
        """
        context = self.context
        prepared = list(map(self._prepared, cases))
        encoded = self._ask([EncodeFrame(case.header or {}, case.value) for case in cases])
        ours = [reply.data if isinstance(reply, Encoded) else None for reply in encoded]
        theirs = self._kafkas(prepared)
        own = [one if other in (None, one) else None for one, other in zip(ours, theirs, strict=True)]
        foreign = [None if other == one else other for one, other in zip(ours, theirs, strict=True)]
        decoded, decoded_oracle = map(self._decode, (own, foreign))
        written = [frame for frame in ours if frame is not None]
        headers = context.environment.layouts.headers(context.cell)
        reframed = iter(context.target.oracle.reframe(context.cell, context.layout, headers, written))
        found: list[tuple[Divergence, ...]] = []
        for index, (header, body) in enumerate(prepared):
            evidence = FrameEvidence(
                layout=context.layout,
                header_layout=self.header_layout,
                subject=self.adapter.name,
                header=header.expected,
                body=body.expected,
                encoded=encoded[index],
                decoded=decoded[index],
                reframed=None if ours[index] is None else next(reframed),
                decoded_oracle=decoded_oracle[index],
            )
            problems = tuple(item.problem for item in (header, body) if item.problem is not None)
            found.append(problems or tuple(judge_frame(evidence)))
        return found

    def _by_its_parts(
        self, cases: Sequence[Case], found: Sequence[tuple[Divergence, ...]]
    ) -> list[tuple[bool, ...]]:
        """Return for each divergence whether the codec fails on the header or the body alone, so that the
        frame is not the cause.

        The codec is asked to read Kafka's bytes of each part alone. If it fails in the same way at the same
        field, the part is the cause.
        """
        context, adapter = self.context, self.adapter
        asked = [index for index, each in enumerate(found) if any(map(_unread, each))]
        alone: dict[int, set[tuple[str, str]]] = {index: set() for index in asked}
        prepared = {index: self._prepared(cases[index]) for index in asked}
        header = header_cell(context.cell, self.header_layout), self.header_layout
        for part, (cell, layout) in enumerate((header, (context.cell, context.layout)) if asked else ()):
            binaries = [prepared[index][part].expected for index in asked]
            written = context.target.oracle.write(cell, layout, binaries)
            made = [
                (i, each) for i, each in zip(asked, written, strict=True) if isinstance(each, OracleValue)
            ]
            replies = adapter.ask(cell, layout, [Decode(each.written) for _, each in made])
            for (index, each), reply in zip(made, replies, strict=True):
                judged = judge_instance(layout, adapter.name, each, reply, None)
                alone[index] |= {(one.path, one.kind) for one in judged if one.check == Check.DECODE}
        return [
            tuple(_unread(each) and (each.path, each.kind) in alone.get(index, ()) for each in divergences)
            for index, divergences in enumerate(found)
        ]

    def _kafkas(self, prepared: Sequence[tuple[PreparedCase, PreparedCase]]) -> list[bytes | None]:
        """Kafka's own frames; None if it does not write the header or the body, by a known bug."""
        cell, oracle = self.context.cell, self.context.target.oracle
        sound = [all(part.problem is None for part in both) for both in prepared]
        both = [parts for parts, right in zip(prepared, sound, strict=True) if right]
        own = header_cell(cell, self.header_layout)
        headers = oracle.write(own, self.header_layout, [header.expected for header, _ in both])
        bodies = oracle.write(cell, self.context.layout, [body.expected for _, body in both])
        frames = iter([_frame(header, body) for header, body in zip(headers, bodies, strict=True)])
        return [next(frames) if right else None for right in sound]

    def _ask(self, requests: Sequence[Request]) -> list[Reply]:
        return self.adapter.ask(self.context.cell, self.context.layout, requests)

    def _decode(self, frames: Sequence[bytes | None]) -> list[Reply | None]:
        """The codec's answer to each frame; None in place of a missing frame."""
        replies = iter(self._ask([DecodeFrame(frame) for frame in frames if frame is not None]))
        return [None if frame is None else next(replies) for frame in frames]

    def _prepared(self, case: Case) -> tuple[PreparedCase, PreparedCase]:
        head = Case(self.context.cell, Phase.FRAME, case.name, case.header or {})
        return prepare(self.header_layout, head), prepare(self.context.layout, case)

    def _try_refused_headers(self, case: Case, frame: bytes) -> None:
        """Ask for frames whose header must be refused, and for a valid frame after each.

        Args:
            case: a frame that the codec has proven.
        """
        recorder, subject = self.context.recorder, self.adapter.name
        valid: list[Request] = [EncodeFrame(case.header or {}, case.value), DecodeFrame(frame)]
        before = self._ask(valid)
        refused: list[Request] = [*self._cut_headers(case, frame), *self._impossible_headers(case)]
        replies = iter(self._ask([request for each in refused for request in (each, *valid)]))
        for request in refused:
            reply, after = next(replies), [next(replies) for _ in valid]
            if isinstance(request, DecodeFrame):
                found = judge_cut_header(subject, len(request.data), reply)
                recorder.record(Phase.FRAME, case.name, found, asked=request.data)
            for one, two, asked in zip(before, after, (case.value, frame), strict=True):
                answered = isinstance(one, Encoded | DecodedFrame)
                found = judge_frame_again(subject, one, two) if answered else ()
                recorder.record(Phase.FRAME, case.name, found, asked=asked)

    def _cut_headers(self, case: Case, frame: bytes) -> Iterator[DecodeFrame]:
        """The frame cut at each byte of its header, with the size of the remaining bytes."""
        for left in range(interpret_layout(self.header_layout).size(case.header or {})):
            yield DecodeFrame(left.to_bytes(PREFIX_BYTES) + frame[PREFIX_BYTES : PREFIX_BYTES + left])

    def _impossible_headers(self, case: Case) -> Iterator[EncodeFrame]:
        """Headers that no codec can write, before the same body."""
        refused = self.context.environment.source.refused(self.header_layout)
        for _, header, _ in islice(refused, _MOST_HEADERS):
            yield EncodeFrame({**(case.header or {}), **header}, case.value)


def _frame(header: OracleReply, body: OracleReply) -> bytes | None:
    if not (isinstance(header, OracleValue) and isinstance(body, OracleValue)):
        return None
    content = header.written + body.written
    return len(content).to_bytes(4) + content


def _reported(divergence: Divergence, of_a_part: bool) -> Divergence:
    """The divergence; its check becomes `DECODE` if a part of the frame is the cause."""
    return replace(divergence, check=Check.DECODE) if of_a_part else divergence


def _of_the_header(divergence: Divergence) -> Divergence:
    """The divergence of a frame whose body is the default one: in the header, unless a field is named."""
    unplaced = not divergence.part and divergence.path in ("", TAGS)
    return replace(divergence, part=FramePart.HEADER) if unplaced else divergence


def _unread(divergence: Divergence) -> bool:
    return divergence.check == Check.FRAME_DECODE and not divergence.unsupported
