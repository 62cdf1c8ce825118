"""The mutations phase: valid bytes of a cell with one hostile change each, read in limited processes.

The codec's answers depend on the bytes and the layout alone, so where the next release has the cell alike
they are held, and only that release's classes are asked again.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.checks import MalformedSubject, sites_of
from wireproof.model import (
    Answer,
    CaseSource,
    Cell,
    LimitedAdapter,
    Mutation,
    OracleFrame,
    OracleReply,
    OracleValue,
    Phase,
)
from wireproof.run.alike import Mutated
from wireproof.run.bench import Bench
from wireproof.run.frames import FULLEST
from wireproof.run.judged_mutations import MutationRecord, judge_mutations
from wireproof.run.plan import MutationSet
from wireproof.run.retrial import Retrial, closed_at_end, retrials_of
from wireproof.run.trial import Trial
from wireproof.run.values import Subject

__all__ = ["prove_mutations", "read_with", "spoiled"]

BASES = frozenset(
    {
        "message/default",
        FULLEST,
        "message/fullest-known",
        "message/nulls",
        "message/leaf-nulls",
        "_tags/among-known",
    }
)
"""The enumerated cases whose bytes are spoiled: between them every field, tag and marker, there and null."""
_LARGEST_BYTES = 8192
"""A base above this size is left out: every byte of it is a cut of its own."""
_BATCH = 2048
_HEADER = {"correlationId": 7, "clientId": "wireproof"}
"""What the headers of spoiled frames hold, beside the message's identity."""


def prove_mutations(trial: Trial, only: str = "", after: Collection[str] = ()) -> None:
    """The mutations of every base through all codecs and Kafka, as many as the options say.

    Args:
        only: the name of the one mutation to try; all where it is empty.
        after: the names of those before it that are asked first, and not judged.
    """
    held = None if only else trial.bench.mutations.recall(trial.layout, trial.options.mutations)
    if held is None:
        mutated: Sequence[Mutated] = list(_wanted(trial, only, after))
        answers = _answers(trial, mutated)
        if not only:
            trial.bench.mutations.keep(trial.layout, trial.options.mutations, mutated, answers)
    else:
        mutated, answers = held
    trial.announce(Phase.MUTATIONS, [mutated[0].name, mutated[-1].name] if mutated else [])
    frames_at = sum(not each.framed for each in mutated)
    judged_from = len(mutated) - 1 if only and mutated else 0
    retrials = retrials_of(trial, _asked(trial), partial(_read_all, trial), mutated)
    with closed_at_end(retrials):
        for start, end in ((0, frames_at), (frames_at, len(mutated))):
            for at in range(max(start, judged_from), end, _BATCH):
                part = slice(at, min(at + _BATCH, end))
                _judge_part(trial, mutated, answers, part, retrials)


def _wanted(trial: Trial, only: str, after: Collection[str]) -> Iterator[Mutated]:
    """The mutations to try. One by its name may be of the bytes of another, which come but once in a run."""
    sliced = trial.options.mutations is MutationSet.SLICE
    if not only:
        yield from spoiled(trial.bench, trial.subject, sliced=sliced)
        return
    before: list[Mutated] = []
    for each in spoiled(trial.bench, trial.subject, repeats=True):
        if each.name == only:
            yield from (*before, each)
            return
        if each.name in after:
            before.append(each)


def _judge_part(
    trial: Trial,
    mutated: Sequence[Mutated],
    answers: Sequence[Sequence[Answer]],
    part: slice,
    retrials: Sequence[Retrial],
) -> None:
    """A part that is bodies or frames throughout."""
    framed = mutated[part.start].framed
    cell, layout, oracle = trial.cell, trial.layout, trial.subject.oracle
    inputs = [each.data for each in mutated[part]]
    replies: Sequence[OracleReply | OracleFrame]
    if framed:
        replies = oracle.read_frames(cell, layout, trial.bench.layouts.headers(cell), inputs)
    else:
        replies = oracle.read(cell, layout, inputs)
    header = trial.bench.layouts.header(cell) if framed else None
    subjects = [MalformedSubject(each.name, cell.release, layout, header) for each in _asked(trial)]
    given = [each[part] for each in answers]
    record = MutationRecord(trial.recorder, Phase.MUTATIONS, trial.comparison, retrials)
    judge_mutations(record, subjects, mutated[part], given, replies)


def _answers(trial: Trial, mutated: Sequence[Mutated]) -> list[Sequence[Answer]]:
    """What each codec makes of all of them, each in its own process at the same time."""
    asked = _asked(trial)
    if len(asked) == 1:
        return [_read_all(trial, asked[0], mutated)]
    with ThreadPoolExecutor(max_workers=max(1, len(asked))) as threads:
        return list(threads.map(lambda each: _read_all(trial, each, mutated), asked))


def _read_all(trial: Trial, adapter: LimitedAdapter, mutated: Sequence[Mutated]) -> Sequence[Answer]:
    """What one codec makes of all of them: of bodies first, then of frames."""
    answers = read_with(adapter, trial.layout, None, [each for each in mutated if not each.framed])
    header, frames = trial.bench.layouts.header(trial.cell), [each for each in mutated if each.framed]
    return answers if header is None else answers + read_with(adapter, trial.layout, header, frames)


def _asked(trial: Trial) -> Sequence[LimitedAdapter]:
    """The codecs that read the mutations: of our twins the slice asks the first alone.

    The compiled twin hands what it refuses to the interpreted one, which has to refuse it, too.
    """
    sliced = trial.options.mutations is MutationSet.SLICE
    twins = not trial.bench.foreign and not trial.bench.compared
    return trial.bench.limited[:1] if sliced and twins else trial.bench.limited


def read_with(
    adapter: LimitedAdapter,
    layout: MessageLayout,
    header: MessageLayout | None,
    mutated: Sequence[Mutated],
    phase: Phase = Phase.MUTATIONS,
) -> list[Answer]:
    """What a codec makes of malformed bodies, or of frames where there is a header."""
    data = [each.data for each in mutated]
    sites = sites_of(layout, [(each.mutation, f"{phase}/{each.name}") for each in mutated])
    if header is None:
        return adapter.decode_all(layout, data, sites)
    return adapter.decode_frames(header, layout, data, sites)


def spoiled(
    bench: Bench, subject: Subject, *, sliced: bool = False, repeats: bool = False
) -> Iterator[Mutated]:
    """The mutations of the bases of a cell, each bytes once; bodies, then frames.

    Args:
        sliced: each operator once at each kind of place, and not wherever it can be.
        repeats: the same bytes under each of their names.
    """
    source, layout = bench.source, subject.layout
    seen: set[bytes] | None = None if repeats else set()
    bodies = list(_bodies(source, subject))
    part = source.slice() if sliced else None
    for base, body in bodies:
        yield from _spoiled(base, body, source.mutations(layout, body, part), seen, framed=False)
    header_layout = bench.layouts.header(subject.cell)
    if header_layout is None or not bodies:
        return
    headers, (_, body) = bench.layouts.headers(subject.cell), bodies[0]
    seen, part = None if repeats else set(), source.slice() if sliced else None
    for base, header in _headers(subject, header_layout):
        frame = (len(header) + len(body)).to_bytes(4) + header + body
        changes = source.frame_mutations(headers, layout, header, body, part)
        yield from _spoiled(f"frame/{base}", frame, changes, seen, framed=True)


def _spoiled(
    base: str, data: bytes, mutations: Iterable[Mutation], seen: set[bytes] | None, *, framed: bool
) -> Iterator[Mutated]:
    if seen is not None:
        seen.add(data)
    for mutation in mutations:
        changed = mutation.apply(data)
        if seen is not None:
            if changed in seen:
                continue
            seen.add(changed)
        yield Mutated(f"{base}/{mutation.name}", mutation, changed, framed)


def _bodies(source: CaseSource, subject: Subject) -> Iterator[tuple[str, bytes]]:
    """Valid bytes as Kafka writes them: the codec's own encoder is not what is on trial here."""
    cell, layout = subject.cell, subject.layout
    values = {name: value for name, value in _base_values(source, subject) if name in BASES}
    bases = {name: canonical(layout).to_binary(value) for name, value in values.items()}
    written = subject.oracle.write(cell, layout, list(bases.values()))
    for name, reply in zip(bases, written, strict=True):
        # What Kafka cannot write by an erratum has no bytes.
        if isinstance(reply, OracleValue) and len(reply.written) <= _LARGEST_BYTES:
            yield name.removeprefix("message/"), reply.written


def _base_values(source: CaseSource, subject: Subject) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases that bases are among, without the large ones: to make these takes longer than all others."""
    yield from source.whole(subject.layout)
    if subject.layout.root.tagged:
        yield from ((case.name, case.value) for case in source.enumerated(subject.cell, subject.layout))


def _headers(subject: Subject, layout: MessageLayout) -> Iterator[tuple[str, bytes]]:
    """The header's bytes, plain, and with an unknown tag where it has tags."""
    own = subject.cell
    identity = {"requestApiKey": subject.layout.api_key, "requestApiVersion": own.version}
    known = {field.name for field in layout.root.fields}
    value = {name: each for name, each in {**identity, **_HEADER}.items() if name in known}
    values = {"plain": value, **({"tagged": {**value, "_tags": {9: b"\x07"}}} if layout.flexible else {})}
    cell = Cell(own.release, own.module, layout.name, layout.version)
    binaries = [canonical(layout).to_binary(each) for each in values.values()]
    for name, reply in zip(values, subject.oracle.write(cell, layout, binaries), strict=True):
        if isinstance(reply, OracleValue):
            yield name, reply.written
