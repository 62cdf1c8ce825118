"""The mutations phase: valid bytes of a cell with one hostile change each, read in limited processes.

The codec's answers depend on the bytes and the layout alone, so where the next release has the cell alike
they are held, and only that release's classes are asked again.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.checks import Judged, MalformedSubject, judge_malformed
from wireproof.model import (
    Answer,
    Cell,
    LimitedAdapter,
    Mutation,
    OracleFrame,
    OracleReply,
    OracleValue,
    Outcome,
    Phase,
)
from wireproof.run.alike import Mutated
from wireproof.run.frames import FULLEST
from wireproof.run.recorder import Recorder
from wireproof.run.trial import Trial

__all__ = ["judge_mutations", "prove_mutations"]

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


def prove_mutations(trial: Trial, only: str = "") -> None:
    """Every mutation of every base through all codecs and Kafka.

    Args:
        only: the name of the one mutation to try; all where it is empty.
    """
    held = None if only else trial.bench.mutations.recall(trial.layout)
    if held is None:
        mutated: Sequence[Mutated] = [each for each in _mutated(trial) if only in ("", each.name)]
        answers = _answers(trial, mutated)
        if not only:
            trial.bench.mutations.keep(trial.layout, mutated, answers)
    else:
        mutated, answers = held
    trial.announce(Phase.MUTATIONS, [mutated[0].name, mutated[-1].name] if mutated else [])
    frames_at = sum(not each.framed for each in mutated)
    for start, end in ((0, frames_at), (frames_at, len(mutated))):
        for at in range(start, end, _BATCH):
            _judge_part(trial, mutated, answers, slice(at, min(at + _BATCH, end)))


def _judge_part(
    trial: Trial, mutated: Sequence[Mutated], answers: Sequence[Sequence[Answer]], part: slice
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
    header = _header(trial) if framed else None
    subjects = [MalformedSubject(each.name, cell.release, layout, header) for each in trial.bench.limited]
    judge_mutations(trial.recorder, subjects, mutated[part], [given[part] for given in answers], replies)


def _answers(trial: Trial, mutated: Sequence[Mutated]) -> list[Sequence[Answer]]:
    """What each codec makes of all of them, each in its own process at the same time."""
    bodies = [each.data for each in mutated if not each.framed]
    frames = [each.data for each in mutated if each.framed]
    header = _header(trial)

    def ask(adapter: LimitedAdapter) -> Sequence[Answer]:
        answers = adapter.decode_all(trial.layout, bodies)
        return answers if header is None else answers + adapter.decode_frames(header, trial.layout, frames)

    with ThreadPoolExecutor(max_workers=max(1, len(trial.bench.limited))) as threads:
        return list(threads.map(ask, trial.bench.limited))


def _mutated(trial: Trial) -> Iterator[Mutated]:
    """The mutations of the bases, each bytes once; bodies, then frames."""
    source, layout = trial.bench.source, trial.layout
    seen: set[bytes] = set()
    bodies = list(_bodies(trial))
    for base, body in bodies:
        yield from _spoiled(base, body, source.mutations(layout, body), seen, framed=False)
    header_layout = _header(trial)
    if header_layout is None or not bodies:
        return
    headers, (_, body) = trial.bench.layouts.headers(trial.cell), bodies[0]
    seen.clear()
    for base, header in _headers(trial, header_layout):
        frame = (len(header) + len(body)).to_bytes(4) + header + body
        changes = source.frame_mutations(headers, layout, header, body)
        yield from _spoiled(f"frame/{base}", frame, changes, seen, framed=True)


def _spoiled(
    base: str, data: bytes, mutations: Iterable[Mutation], seen: set[bytes], *, framed: bool
) -> Iterator[Mutated]:
    seen.add(data)
    for mutation in mutations:
        changed = mutation.apply(data)
        if changed not in seen:
            seen.add(changed)
            yield Mutated(f"{base}/{mutation.name}", mutation, changed, framed)


def _bodies(trial: Trial) -> Iterator[tuple[str, bytes]]:
    """Valid bytes as Kafka writes them: the codec's own encoder is not what is on trial here."""
    cases = trial.bench.source.enumerated(trial.cell, trial.layout)
    bases = {case.name: canonical(trial.layout).to_binary(case.value) for case in cases if case.name in BASES}
    written = trial.subject.oracle.write(trial.cell, trial.layout, list(bases.values()))
    for name, reply in zip(bases, written, strict=True):
        # What Kafka cannot write by an erratum has no bytes.
        if isinstance(reply, OracleValue) and len(reply.written) <= _LARGEST_BYTES:
            yield name.removeprefix("message/"), reply.written


def _headers(trial: Trial, layout: MessageLayout) -> Iterator[tuple[str, bytes]]:
    """The header's bytes, plain, and with an unknown tag where it has tags."""
    identity = {"requestApiKey": trial.layout.api_key, "requestApiVersion": trial.cell.version}
    known = {field.name for field in layout.root.fields}
    value = {name: each for name, each in {**identity, **_HEADER}.items() if name in known}
    values = {"plain": value, **({"tagged": {**value, "_tags": {9: b"\x07"}}} if layout.flexible else {})}
    cell = Cell(trial.cell.release, trial.cell.module, layout.name, layout.version)
    binaries = [canonical(layout).to_binary(each) for each in values.values()]
    for name, reply in zip(values, trial.subject.oracle.write(cell, layout, binaries), strict=True):
        if isinstance(reply, OracleValue):
            yield name, reply.written


def _header(trial: Trial) -> MessageLayout | None:
    """The layout of the header that frames of the cell have; None where it has none."""
    version = trial.layout.header_version
    return None if version is None else trial.bench.layouts.headers(trial.cell).get(version)


def judge_mutations(
    recorder: Recorder,
    subjects: Sequence[MalformedSubject],
    mutated: Sequence[Mutated],
    answers: Sequence[Sequence[Answer]],
    replies: Sequence[OracleReply | OracleFrame],
) -> None:
    """Judge what each codec made of each, and record it.

    Args:
        answers: for each subject those to all of `mutated`.
    """
    for index, (each, reply) in enumerate(zip(mutated, replies, strict=True)):
        passed: tuple[Answer, Judged] | None = None
        for subject, given in zip(subjects, answers, strict=True):
            answer = given[index]
            if answer.outcome is Outcome.LEFT_OUT:
                recorder.left_out(Phase.MUTATIONS, answer.error, len(each.data))
                continue
            if passed is None or not _alike(answer, passed[0]):
                judged = judge_malformed(subject, each.mutation, each.data, answer, reply)
                passed = (answer, judged) if judged.divergence is None else None
            else:
                judged = passed[1]
            failed = _record(recorder, each, judged)
            recorder.count(Phase.MUTATIONS, 1, len(each.data), 1 if failed else 0)


def _alike(one: Answer, other: Answer) -> bool:
    """Whether two codecs gave the same answer: our twins do, and one judgement serves both."""
    return (one.outcome, one.error, one.value) == (other.outcome, other.error, other.value)


def _record(recorder: Recorder, each: Mutated, judged: Judged) -> bool:
    """Count a verdict and tell what is to be told of it; whether it failed."""
    recorder.judged(judged.verdict, judged.laxity.name if judged.laxity else "")
    if judged.divergence is None:
        return False
    if not judged.fails:
        recorder.unexplained(Phase.MUTATIONS, each.name, judged.divergence, each.data)
        return False
    divergences = recorder.excused((judged.divergence,))
    if divergences:
        recorder.failed(Phase.MUTATIONS, each.name, divergences, data=each.data)
    return bool(divergences)
