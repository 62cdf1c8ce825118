"""Whole frames of a request or response: size, header, body."""

from collections.abc import Iterator, Sequence

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.checks import FrameEvidence, judge_frame
from wireproof.model import Adapter, Case, CaseSource, Cell, DecodeFrame, Encoded, EncodeFrame, Phase
from wireproof.run.trial import Trial
from wireproof.run.values import Prepared, prepare

__all__ = ["FULLEST", "header_cases", "prove_frames", "try_frames"]

FULLEST = "message/fullest"
"""The enumerated case that has every field off its default."""

_SMALL_BYTES = 512
"""Boundary cases of the header up to this size are tried before every cell; the header is a cell itself."""


def prove_frames(trial: Trial) -> None:
    """Each small boundary case of the header with the default body; the fullest body."""
    header_layout = trial.bench.layouts.header(trial.cell)
    if header_layout is not None:
        cases = header_cases(trial.bench.source, trial.cell, trial.layout, header_layout)
        try_frames(trial, list(cases))


def header_cases(
    source: CaseSource, cell: Cell, layout: MessageLayout, header_layout: MessageLayout
) -> Iterator[Case]:
    """Frames that differ in their headers, and one with the fullest body."""
    identity = {"requestApiKey": layout.api_key, "requestApiVersion": cell.version}
    known = {field.name for field in header_layout.root.fields}
    fixed = {name: value for name, value in identity.items() if name in known}
    header_cell = Cell(cell.release, cell.module, header_layout.name, header_layout.version)
    for case in source.enumerated(header_cell, header_layout):
        item = prepare(header_layout, case)
        if item.problem is None and len(item.expected) <= _SMALL_BYTES:
            yield Case(cell, Phase.FRAME, f"header-{case.name}", {}, {**case.value, **fixed})
    fullest = next((case for case in source.enumerated(cell, layout) if case.name == FULLEST), None)
    if fullest is not None:
        yield Case(cell, Phase.FRAME, f"body-{FULLEST}", fullest.value, fixed)


def try_frames(trial: Trial, cases: Sequence[Case]) -> None:
    """Frames of header and body through every codec and the oracle."""
    trial.announce(Phase.FRAME, [case.name for case in cases])
    header_layout = trial.bench.layouts.headers(trial.cell)[trial.layout.header_version or 0]
    proven = [True] * len(cases)
    for adapter in trial.subject.adapters:
        for index, agrees in enumerate(_judge(trial, adapter, header_layout, cases)):
            proven[index] &= agrees
    for case, agrees in zip(cases, proven, strict=True):
        if agrees and trial.coverage is not None:
            trial.met(case.value)
            trial.coverage.met_header(case.header or {})


def _judge(
    trial: Trial, adapter: Adapter, header_layout: MessageLayout, cases: Sequence[Case]
) -> Iterator[bool]:
    """Record the divergences of one codec's frames; whether each case has none."""
    cell, layout = trial.cell, trial.layout
    encoded = adapter.ask(cell, layout, [EncodeFrame(case.header or {}, case.value) for case in cases])
    frames = [reply.data for reply in encoded if isinstance(reply, Encoded)]
    decoded = iter(adapter.ask(cell, layout, [DecodeFrame(frame) for frame in frames]))
    reframed = iter(trial.subject.oracle.reframe(cell, layout, trial.bench.layouts.headers(cell), frames))
    for case, reply in zip(cases, encoded, strict=True):
        sound = isinstance(reply, Encoded)
        header, body = _prepared(trial, header_layout, case)
        evidence = FrameEvidence(
            layout=layout,
            header_layout=header_layout,
            subject=adapter.name,
            header=header.expected,
            body=body.expected,
            encoded=reply,
            decoded=next(decoded) if sound else None,
            reframed=next(reframed) if sound else None,
        )
        problems = tuple(item.problem for item in (header, body) if item.problem is not None)
        found = problems or judge_frame(evidence)
        divergences = trial.recorder.excused(found)
        if divergences:
            text = None if header.problem else canonical(header_layout).to_json(case.header or {})
            trial.recorder.failed(Phase.FRAME, case.name, divergences, case.value, text)
        elif found and trial.coverage is not None:
            trial.coverage.excused(case.value)
            trial.coverage.excused_header(case.header or {})
        size = len(header.expected) + len(body.expected)
        trial.recorder.count(Phase.FRAME, 1, size, 1 if divergences else 0)
        yield not found


def _prepared(trial: Trial, header_layout: MessageLayout, case: Case) -> tuple[Prepared, Prepared]:
    head = Case(trial.cell, Phase.FRAME, case.name, case.header or {})
    return prepare(header_layout, head), prepare(trial.layout, case)
