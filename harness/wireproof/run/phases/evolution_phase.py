"""The evolution phase of one cell: what other versions and other releases mean to it.

- Each field that the version lacks, set: dropped or refused as `ignorable` says, by the codec and by Kafka.
- Tagged fields that a later release may add: the cell's own release keeps their bytes. The layout is grown
  by such fields; with several releases in the run, each pair that differs by tagged fields is tried too.
- Tags that other versions of the message have: refused.
- Versions one beyond the lowest and the highest: no side knows them, testees included.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.errors import CodecError, UnsupportedVersionError
from kafkawire.schema import Effect, MessageLayout, absences, compare_layouts, with_absent_fields
from wireproof.checks import (
    KeptEvidence,
    as_not_read,
    is_not_kept,
    judge_absent,
    judge_bounds,
    judge_kept,
    judge_newer,
    judge_reserved,
)
from wireproof.coverage import Coverage
from wireproof.model import (
    AbsentCase,
    Adapter,
    Cell,
    Decode,
    Decoded,
    Divergence,
    Encode,
    OracleReply,
    OracleValue,
    Phase,
    Reply,
)
from wireproof.run.attribution.field_isolation import blame_parts
from wireproof.run.attribution.unknown_tags import blame_tags, without_tags
from wireproof.run.context.cell_context import Trial
from wireproof.run.core.frame_cases import FULLEST
from wireproof.run.core.prepared_cases import Subject
from wireproof.run.properties.refused_values import promises_refusals, record_trust
from wireproof.run.properties.versions_beyond import try_versions_beyond

__all__ = ["has_evolution", "prove_evolution"]

_BEFORE = frozenset({"message/default", "message/nulls", f"{FULLEST}-known"})
"""What an older release writes for a newer one: no unknown tags, whose numbers the newer one may know."""

_AFTER = _BEFORE | {FULLEST}


def prove_evolution(trial: Trial) -> None:
    """All of it, for one cell."""
    _try_absent(trial)
    _try_grown(trial)
    _try_reserved(trial)
    _try_releases(trial)
    _try_bounds(trial)
    try_versions_beyond(trial)


def has_evolution(layout: MessageLayout) -> bool:
    """Whether there has to be a case: a version in the middle, without tags and with all fields, has none."""
    at_an_end = layout.version in (layout.versions.lowest, layout.versions.highest)
    return layout.flexible or at_an_end or any(True for _ in absences(layout))


def _record(trial: Trial, name: str, size: int, found: Sequence[Divergence]) -> bool:
    """Record one case; whether it failed: not where all that was found is excused."""
    told = trial.recorder.excused(tuple(found))
    if told:
        trial.recorder.failed(Phase.EVOLUTION, name, told)
    trial.recorder.count(Phase.EVOLUTION, 1, size, 1 if told else 0)
    return bool(told)


# Fields that the version lacks.


def _try_absent(trial: Trial) -> None:
    cases = list(trial.bench.source.absent(trial.layout))
    if not cases:
        return
    trial.announce(Phase.EVOLUTION, [case.name for case in cases])
    whole = with_absent_fields(trial.layout)
    binaries = [canonical(whole).to_binary(case.value) for case in cases]
    written = trial.subject.oracle.write(trial.cell, whole, binaries)
    encoded = [_encode(trial, adapter, cases) for adapter in trial.subject.adapters]
    for adapter, replies in zip(trial.subject.adapters, encoded, strict=True):
        refused = [reply for case, reply in zip(cases, replies, strict=True) if case.refused_at]
        record_trust(trial, adapter, refused)
    for index, case in enumerate(cases):
        found = [
            divergence
            for adapter, replies in zip(trial.subject.adapters, encoded, strict=True)
            if not case.refused_at or promises_refusals(adapter)
            for divergence in judge_absent(
                trial.layout, adapter.name, case.refused_at, replies[index], written[index]
            )
        ]
        failed = _record(trial, case.name, len(binaries[index]), found)
        if not failed and trial.coverage is not None:
            held = any(promises_refusals(adapter) for adapter in trial.subject.adapters)
            _meet_absent(trial.coverage, case, excused=bool(found) or not held)


def _meet_absent(coverage: Coverage, case: AbsentCase, *, excused: bool) -> None:
    """The classes of a case that is proven, or of which all that diverged is excused."""
    match bool(case.refused_at), excused:
        case True, False:
            coverage.met_refused(case.refused_at, case.value)
        case True, True:
            coverage.excused_refused(case.refused_at, case.value)
        case False, False:
            coverage.met_absent(case.value)
        case _:
            coverage.excused_absent(case.value)


def _encode(trial: Trial, adapter: Adapter, cases: Sequence[AbsentCase]) -> list[Reply]:
    return adapter.ask(trial.cell, trial.layout, [Encode(case.value) for case in cases])


# Tagged fields that this release does not know.


def _try_grown(trial: Trial) -> None:
    """A release to come, made up: its layout has tagged fields more in each struct."""
    grown = trial.bench.source.grown(trial.layout)
    if grown is None:
        return
    layout, cases = grown
    names = [f"grown/{name}" for name, _ in cases]
    writer = interpret_layout(layout)
    bodies = [writer.encode(value) for _, value in cases]
    _try_kept(trial, trial.subject, names, bodies)
    if trial.bench.foreign:
        return  # such a codec cannot be made for a layout that nobody released
    wants: list[bytes | None] = [canonical(layout).to_binary(value) for _, value in cases]
    older = list(_whole(trial, trial.layout, _BEFORE))
    old_writer = interpret_layout(trial.layout)
    names += [f"ungrown/{name}" for name, _ in older]
    bodies += [old_writer.encode(value) for _, value in older]
    wants += [None] * len(older)
    # The last codec alone: making the compiled twin of every grown layout would take most of the time.
    for adapter in trial.subject.adapters[-1:]:
        decoded, again = _read_again(adapter, trial.cell, layout, bodies)
        for name, body, want, one, two in zip(names, bodies, wants, decoded, again, strict=True):
            _record(trial, name, len(body), judge_newer(layout, adapter.name, body, want, one, two))


def _try_kept(trial: Trial, reader: Subject, names: Sequence[str], bodies: Sequence[bytes]) -> None:
    """Bytes of another release through the codecs and the oracle of `reader`: they come back as they were."""
    trial.announce(Phase.EVOLUTION, names)
    oracle = reader.oracle.reread(reader.cell, reader.layout, bodies)
    codec = interpret_layout(reader.layout)

    def without(index: int) -> bytes | None:
        try:
            value = without_tags(codec.decode(bodies[index]))
        except CodecError:
            return None
        return None if value is None else codec.encode(value)

    for adapter in reader.adapters:
        found = _judge_kept(reader, adapter, bodies, oracle)
        found = blame_tags(found, without, partial(_judge_kept, reader, adapter), bytes)
        plain = [without(index) or body if found[index] else body for index, body in enumerate(bodies)]
        found = _not_read_at_all(reader, adapter, plain, found)
        for name, body, divergences in zip(names, bodies, found, strict=True):
            _record(trial, name, len(body), divergences)


def _not_read_at_all(
    reader: Subject,
    adapter: Adapter,
    plain: Sequence[bytes],
    found: Sequence[tuple[Divergence, ...]],
) -> list[tuple[Divergence, ...]]:
    """The divergences; bytes that are not read without unknown tagged fields either say nothing of these: the
    codec does not decode Kafka's bytes, and that is told, at the field at fault.

    Args:
        plain: the bytes without unknown tagged fields.
    """
    codec = interpret_layout(reader.layout)

    def told(bodies: Sequence[bytes], seen: Sequence[tuple[Divergence, ...]]) -> list[tuple[Divergence, ...]]:
        places = [place for place, each in enumerate(seen) if any(map(is_not_kept, each))]
        replies = adapter.ask(reader.cell, reader.layout, [Decode(bodies[place]) for place in places])
        unread = dict(zip(places, replies, strict=True))
        return [
            tuple(as_not_read(each, unread[place]) if place in unread else each for each in divergences)
            for place, divergences in enumerate(seen)
        ]

    def judge(values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...]]:
        bodies = [codec.encode(value) for value in values]
        return told(bodies, _judge_kept(reader, adapter, bodies))

    def value_of(index: int) -> dict[str, Any] | None:
        try:
            return codec.decode(plain[index])
        except CodecError:
            return None

    return blame_parts(reader.layout, told(plain, found), value_of, judge)


def _judge_kept(
    reader: Subject,
    adapter: Adapter,
    bodies: Sequence[bytes],
    oracle: Sequence[OracleReply] | None = None,
) -> list[tuple[Divergence, ...]]:
    """What one codec makes of bytes of another release.

    Args:
        oracle: the answers of Kafka's classes; they are asked where it is None.
    """
    if oracle is None:
        oracle = reader.oracle.reread(reader.cell, reader.layout, bodies)
    decoded, again = _read_again(adapter, reader.cell, reader.layout, bodies)
    return [
        judge_kept(KeptEvidence(reader.layout, adapter.name, *evidence))
        for evidence in zip(bodies, decoded, again, oracle, strict=True)
    ]


def _read_again(
    adapter: Adapter, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]
) -> tuple[list[Reply], list[Reply | None]]:
    """The codec's answers for the bodies, and its bytes for what it decoded."""
    decoded = adapter.ask(cell, layout, [Decode(body) for body in bodies])
    values = [reply.value for reply in decoded if isinstance(reply, Decoded)]
    encoded = iter(adapter.ask(cell, layout, [Encode(value) for value in values]))
    return decoded, [next(encoded) if isinstance(reply, Decoded) else None for reply in decoded]


def _whole(
    trial: Trial, layout: MessageLayout, names: frozenset[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases of the whole message that have these names."""
    return ((name, value) for name, value in trial.bench.source.whole(layout) if name in names)


def _try_releases(trial: Trial) -> None:
    """Each newer release of the run that has tagged fields more or fewer: its bytes here, and ours there."""
    before = trial.layout
    for cell in trial.bench.layouts.newer(trial.cell):
        layout = trial.bench.layouts.of(cell)
        news = bool(compare_layouts(before, layout))
        before = layout
        if news and _differ_by_tags(trial.layout, layout):
            there = Subject(cell, layout, trial.subject.adapters, trial.bench.oracles[cell.release])
            _try_carried(trial, there, trial.subject, f"from-{cell.release}", _AFTER)
            _try_carried(trial, trial.subject, there, f"to-{cell.release}", _BEFORE)


def _differ_by_tags(older: MessageLayout, newer: MessageLayout) -> bool:
    """Whether they read each other, and one has tagged fields that the other lacks."""
    effects = {change.effect for change in compare_layouts(older, newer)}
    return Effect.TAGGED in effects and Effect.BYTES not in effects


def _try_carried(trial: Trial, writer: Subject, reader: Subject, label: str, names: frozenset[str]) -> None:
    """What the writer's own classes write, read by the reader's."""
    cases = list(_whole(trial, writer.layout, names))
    form = canonical(writer.layout)
    values = [form.to_binary(value) for _, value in cases]
    written = writer.oracle.write(writer.cell, writer.layout, values)
    sound = [
        (f"{label}/{name}", reply.written)
        for (name, _), reply in zip(cases, written, strict=True)
        if isinstance(reply, OracleValue)
    ]
    _try_kept(trial, reader, [name for name, _ in sound], [body for _, body in sound])


# Tags of other versions.


def _try_reserved(trial: Trial) -> None:
    cases = list(trial.bench.source.reserved_tags(trial.layout))
    if not cases:
        return
    names = [name for name, _, _ in cases]
    bodies = [interpret_layout(carrier).encode(value) for _, carrier, value in cases]
    trial.announce(Phase.EVOLUTION, names)
    oracle = trial.subject.oracle.reread(trial.cell, trial.layout, bodies)
    for adapter in trial.subject.adapters:
        replies = adapter.ask(trial.cell, trial.layout, [Decode(body) for body in bodies])
        for name, body, ours, theirs in zip(names, bodies, replies, oracle, strict=True):
            _record(trial, name, len(body), judge_reserved(adapter.name, ours, theirs))


# Versions that the message does not have.


def _try_bounds(trial: Trial) -> None:
    versions = trial.layout.versions
    ends = ((versions.lowest, versions.lowest - 1), (versions.highest, versions.highest + 1))
    for end, beyond in ends:
        if trial.cell.version != end:
            continue
        name = f"version/{'below' if beyond < end else 'above'}"
        trial.announce(Phase.EVOLUTION, [name])
        answer = trial.subject.oracle.bounds(trial.cell, beyond)
        refused = _is_refused(trial, beyond)
        _record(trial, name, 0, judge_bounds(trial.cell.release, trial.layout, beyond, refused, answer))


def _is_refused(trial: Trial, version: int) -> bool:
    cell = trial.cell
    try:
        trial.bench.layouts.of(Cell(cell.release, cell.module, cell.message, version))
    except UnsupportedVersionError as error:
        return (error.message, error.version) == (cell.message, version)
    return False
