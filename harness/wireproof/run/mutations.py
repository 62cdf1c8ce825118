"""Bytes that are wrong: codecs meet them in a confined process, Kafka's classes in this one."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.checks import MalformedEvidence, MalformedVerdict, judge_malformed
from wireproof.model import (
    Answer,
    Cell,
    Mutant,
    Mutation,
    OracleFrame,
    OracleReply,
    OracleValue,
    Outcome,
    Phase,
)
from wireproof.run.trial import Trial

__all__ = ["prove_mutations"]

_BATCH_CASES = 512
_BATCH_BYTES = 1 << 18
"""A batch ends at whichever comes first."""

_FRAME_VALUE = {"correlationId": 7, "clientId": "wireproof"}


@dataclass(frozen=True, slots=True)
class _Batch:
    mutants: Sequence[Mutant]
    framed: bool

    @property
    def inputs(self) -> list[bytes]:
        return [mutant.data for mutant in self.mutants]


@dataclass(frozen=True, slots=True)
class _Heard:
    """A batch with all that was answered to it."""

    batch: _Batch
    replies: Sequence[OracleReply | OracleFrame]
    answers: Sequence[Sequence[Answer | None]]


def prove_mutations(trial: Trial, only: str = "") -> int:
    """Every mutant of the cell; how many there were.

    Args:
        only: the name of the one mutant to try; all where it is empty.
    """
    wanted = _wanted(trial, only)
    confined, tried = trial.bench.confined, 0
    confined.open(trial.cell, trial.layout, _header(trial))
    heard: _Heard | None = None
    # The codecs work on a batch while Kafka's classes do, and while the one before it is judged.
    for batch in _batches(wanted, 1 if trial.careful else _BATCH_CASES):
        trial.announce(Phase.MUTATIONS, [mutant.name for mutant in batch.mutants])
        confined.send(batch.inputs, framed=batch.framed)
        if heard is not None:
            _judge(trial, heard)
        heard = _Heard(batch, _ask_kafka(trial, batch), confined.receive())
        tried += len(batch.mutants)
    if heard is not None:
        _judge(trial, heard)
    return tried


def _wanted(trial: Trial, only: str) -> Iterator[tuple[Mutant, bool]]:
    """The mutants, each with whether it is a frame; bytes that came by before are left out."""
    seen: set[bytes] = set()
    for framed, mutants in ((False, _bodies(trial)), (True, _frames(trial))):
        for mutant in mutants:
            if mutant.data not in seen and only in ("", mutant.name):
                seen.add(mutant.data)
                yield mutant, framed
        seen.clear()


def _bodies(trial: Trial) -> Iterator[Mutant]:
    source, layout = trial.bench.source, trial.layout
    for name, body in _bases(trial):
        yield from _mutants(name, body, source.mutations(layout, body))


def _bases(trial: Trial) -> Iterator[tuple[str, bytes]]:
    """The valid bytes that are mutated, as Kafka writes them."""
    cases = list(trial.bench.source.mutation_bases(trial.cell, trial.layout))
    values = [canonical(trial.layout).to_binary(case.value) for case in cases]
    written = trial.subject.oracle.write(trial.cell, trial.layout, values)
    for case, reply in zip(cases, written, strict=True):
        if isinstance(reply, OracleValue):  # what Kafka cannot write by an erratum has no bytes to mutate
            yield case.name, reply.written


def _frames(trial: Trial) -> Iterator[Mutant]:
    """The default message in a frame; the body's own bytes are mutated without one."""
    header_layout = _header(trial)
    if header_layout is None:
        return
    headers = trial.bench.layouts.headers(trial.cell)
    (_, body), *_ = _bases(trial)
    for name, header in _header_bases(trial, header_layout):
        size = (len(header) + len(body)).to_bytes(4)
        changes = trial.bench.source.frame_mutations(headers, trial.layout, header, body)
        yield from _mutants(f"frame/{name}", size + header + body, changes)


def _header_bases(trial: Trial, layout: MessageLayout) -> Iterator[tuple[str, bytes]]:
    """The header's bytes, plain and with an unknown tag where it has tags."""
    identity = {"requestApiKey": trial.layout.api_key, "requestApiVersion": trial.cell.version}
    known = {field.name for field in layout.root.fields}
    value = {name: each for name, each in {**identity, **_FRAME_VALUE}.items() if name in known}
    values = {"plain": value, **({"tagged": {**value, "_tags": {9: b"\x07"}}} if layout.flexible else {})}
    cell = Cell(trial.cell.release, trial.cell.module, layout.name, layout.version)
    binaries = [canonical(layout).to_binary(each) for each in values.values()]
    for name, reply in zip(values, trial.subject.oracle.write(cell, layout, binaries), strict=True):
        if isinstance(reply, OracleValue):
            yield name, reply.written


def _header(trial: Trial) -> MessageLayout | None:
    version = trial.layout.header_version
    return None if version is None else trial.bench.layouts.headers(trial.cell).get(version)


def _mutants(base: str, data: bytes, mutations: Iterable[Mutation]) -> Iterator[Mutant]:
    return (Mutant(base, mutation, mutation.apply(data)) for mutation in mutations)


def _batches(wanted: Iterator[tuple[Mutant, bool]], most: int) -> Iterator[_Batch]:
    batch: list[Mutant] = []
    size, framed = 0, False
    for mutant, is_frame in wanted:
        if batch and (len(batch) >= most or size >= _BATCH_BYTES or is_frame != framed):
            yield _Batch(batch, framed)
            batch, size = [], 0
        framed = is_frame
        batch.append(mutant)
        size += len(mutant.data)
    if batch:
        yield _Batch(batch, framed)


def _ask_kafka(trial: Trial, batch: _Batch) -> Sequence[OracleReply | OracleFrame]:
    oracle, cell, layout = trial.subject.oracle, trial.cell, trial.layout
    if batch.framed:
        return oracle.read_frames(cell, layout, trial.bench.layouts.headers(cell), batch.inputs)
    return oracle.read(cell, layout, batch.inputs)


def _judge(trial: Trial, heard: _Heard) -> None:
    header = _header(trial) if heard.batch.framed else None
    tried = failed = size = 0
    for index, (mutant, reply) in enumerate(zip(heard.batch.mutants, heard.replies, strict=True)):
        answers = [each[index] for each in heard.answers]
        verdicts = list(_verdicts(trial, header, mutant, reply, answers))
        tried += bool(verdicts)
        failed += _record(trial, mutant, verdicts)
        size += len(mutant.data)
    trial.recorder.count(Phase.MUTATIONS, tried, size, failed)


def _verdicts(
    trial: Trial,
    header: MessageLayout | None,
    mutant: Mutant,
    reply: OracleReply | OracleFrame,
    answers: Sequence[Answer | None],
) -> Iterator[MalformedVerdict]:
    """Of each codec; none where the process had died too often. Codecs that answer alike are judged once."""
    passed: tuple[Outcome, bytes] | None = None
    for adapter, answer in zip(trial.subject.adapters, answers, strict=True):
        if answer is None or (answer.outcome, answer.value) == passed:
            continue
        verdict = judge_malformed(
            MalformedEvidence(trial.cell.release, trial.layout, header, adapter.name, mutant, answer, reply)
        )
        if verdict.divergence is None:
            passed = answer.outcome, answer.value
        yield verdict


def _record(trial: Trial, mutant: Mutant, verdicts: Sequence[MalformedVerdict]) -> bool:
    """Tell what is to be told of a mutant; whether it failed."""
    recorder = trial.recorder
    recorder.stricter(frozenset().union(*(verdict.laxities for verdict in verdicts)))
    failures = tuple(each.divergence for each in verdicts if each.fails and each.divergence)
    for verdict in verdicts:
        if verdict.divergence is not None and not verdict.fails:
            recorder.unexplained(Phase.MUTATIONS, mutant.name, verdict.divergence, mutant.data)
    if failures:
        recorder.failed(Phase.MUTATIONS, mutant.name, failures, data=mutant.data)
    return bool(failures)
