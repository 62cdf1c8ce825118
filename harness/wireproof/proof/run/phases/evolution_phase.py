"""The evolution phase of one cell: fields, tags and bytes of other versions and other releases.

- Each field that the version lacks, set: dropped or refused as `ignorable` says, by the codec and by Kafka.
- Tagged fields that a later release may add: the cell's own release keeps their bytes. The layout is grown
  by such fields; with several releases in the run, each pair that differs by tagged fields is tried too.
- Tags that other versions of the message have: refused.
- Versions one beyond the lowest and the highest: no side knows them, testees included.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.errors import UnsupportedVersionError
from kafkawire.schema import Effect, MessageLayout, absences, compare_layouts, with_absent_fields
from wireproof.model.adapter import Claimant, Decode, Encode, Reencode, Request
from wireproof.model.case_source import AbsentCase
from wireproof.model.cell import Cell, Phase
from wireproof.model.coverage.cell_coverage import Coverage
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.state.call_scripts import judge_neighbour
from wireproof.proof.checks.values.foreign_tags import judge_newer
from wireproof.proof.checks.values.other_versions import (
    judge_absent,
    judge_beyond,
    judge_bounds,
    judge_reserved,
)
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.prepared_cases import FULLEST, CellTarget
from wireproof.proof.run.properties.call_states import bytes_of
from wireproof.proof.run.properties.kept_tags import judge_other_release, read_again
from wireproof.proof.run.properties.value_refusals import promises_refusals, record_trust

BEFORE = frozenset({"message/default", "message/nulls", f"{FULLEST}-known"})
"""Cases that an older release writes for a newer one: without unknown tags, which the newer one may know."""

AFTER = BEFORE | {FULLEST}


def prove_evolution(context: CellContext) -> None:
    """Run all parts of the phase for one cell."""
    _try_absent(context)
    _try_grown(context)
    _try_reserved(context)
    _try_releases(context)
    _try_bounds(context)
    try_versions_beyond(context)


def has_evolution(layout: MessageLayout) -> bool:
    """True if the cell must have a case: a middle version without tags and with all fields has none."""
    at_an_end = layout.version in (layout.versions.lowest, layout.versions.highest)
    return layout.flexible or at_an_end or any(True for _ in absences(layout))


def _record(
    context: CellContext,
    name: str,
    size: int,
    found: Iterable[Divergence],
    asked: dict[str, Any] | bytes | None = None,
) -> bool:
    """Record one case; return whether it failed: it did not if all its divergences are excused."""
    return bool(context.recorder.record(Phase.EVOLUTION, name, found, size=size, asked=asked))


# Fields that the version lacks.


def _try_absent(context: CellContext) -> None:
    cases = list(context.environment.source.absent(context.layout))
    if not cases:
        return
    context.announce(Phase.EVOLUTION, [case.name for case in cases])
    whole = with_absent_fields(context.layout)
    binaries = [canonical(whole).to_binary(case.value) for case in cases]
    written = context.target.oracle.write(context.cell, whole, binaries)
    questions = [Encode(case.value) for case in cases]
    encoded = [each.ask(context.cell, context.layout, questions) for each in context.target.adapters]
    for adapter, replies in zip(context.target.adapters, encoded, strict=True):
        refused = [reply for case, reply in zip(cases, replies, strict=True) if case.refused_at]
        record_trust(context, adapter, refused)
    for index, case in enumerate(cases):
        found = [
            divergence
            for adapter, replies in zip(context.target.adapters, encoded, strict=True)
            if not case.refused_at or promises_refusals(adapter)
            for divergence in judge_absent(
                context.layout, adapter.name, case.refused_at, replies[index], written[index]
            )
        ]
        failed = _record(context, case.name, len(binaries[index]), found, case.value)
        if not failed:
            held = any(promises_refusals(adapter) for adapter in context.target.adapters)
            _meet_absent(context.coverage, case, excused=bool(found) or not held)


def _meet_absent(coverage: Coverage, case: AbsentCase, *, excused: bool) -> None:
    """Count the classes of a case that is proven, or whose divergences are all excused."""
    match bool(case.refused_at), excused:
        case True, False:
            coverage.met_refused(case.refused_at, case.value)
        case True, True:
            coverage.excused_refused(case.refused_at, case.value)
        case False, False:
            coverage.met_absent(case.value)
        case _:
            coverage.excused_absent(case.value)


# Tagged fields that this release does not know.


def _try_grown(context: CellContext) -> None:
    """Try an invented future release, whose layout has additional tagged fields in each struct."""
    grown = context.environment.source.grown(context.layout)
    if grown is None:
        return
    layout, cases = grown
    names = [f"grown/{name}" for name, _ in cases]
    writer = interpret_layout(layout)
    bodies = [writer.encode(value) for _, value in cases]
    _try_kept(context, context.target, names, bodies)
    if context.environment.foreign:
        return  # such a codec needs a released layout
    wants: list[bytes | None] = [canonical(layout).to_binary(value) for _, value in cases]
    older = list(_whole(context, context.layout, BEFORE))
    old_writer = interpret_layout(context.layout)
    names += [f"ungrown/{name}" for name, _ in older]
    bodies += [old_writer.encode(value) for _, value in older]
    wants += [None] * len(older)
    # The last codec alone: compiling every grown layout would take most of the time.
    for adapter in context.target.adapters[-1:]:
        decoded, again = read_again(adapter, context.cell, layout, bodies)
        for name, body, want, one, two in zip(names, bodies, wants, decoded, again, strict=True):
            _record(context, name, len(body), judge_newer(layout, adapter.name, body, want, one, two), body)


def _try_kept(
    context: CellContext, reader: CellTarget, names: Sequence[str], bodies: Sequence[bytes]
) -> None:
    """Try bytes of another release with the codecs and the oracle of `reader`: they must come back equal."""
    context.announce(Phase.EVOLUTION, names)
    oracle = reader.oracle.reread(reader.cell, reader.layout, bodies)
    for adapter in reader.adapters:
        found = judge_other_release(reader, adapter, bodies, oracle)
        for name, body, divergences in zip(names, bodies, found, strict=True):
            _record(context, name, len(body), divergences, body)


def _whole(
    context: CellContext, layout: MessageLayout, names: frozenset[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases of the whole message that have these names."""
    return ((name, value) for name, value in context.environment.source.whole(layout) if name in names)


def _try_releases(context: CellContext) -> None:
    """Try each newer release with other tagged fields: its bytes in this release, and ours in that one."""
    before = context.layout
    for cell in context.environment.layouts.newer(context.cell):
        layout = context.environment.layouts.of(cell)
        news = bool(compare_layouts(before, layout))
        before = layout
        if news and differ_by_tags(context.layout, layout):
            there = CellTarget(
                cell, layout, context.target.adapters, context.environment.oracles[cell.release]
            )
            _try_carried(context, there, context.target, f"from-{cell.release}", AFTER)
            _try_carried(context, context.target, there, f"to-{cell.release}", BEFORE)


def differ_by_tags(older: MessageLayout, newer: MessageLayout) -> bool:
    """True if they read each other, and one has tagged fields that the other lacks."""
    effects = {change.effect for change in compare_layouts(older, newer)}
    return Effect.TAGGED in effects and not any(each.misread for each in effects)


def _try_carried(
    context: CellContext, writer: CellTarget, reader: CellTarget, label: str, names: frozenset[str]
) -> None:
    """Try bytes of the writer's classes with the reader's codecs and classes."""
    cases = list(_whole(context, writer.layout, names))
    form = canonical(writer.layout)
    values = [form.to_binary(value) for _, value in cases]
    written = writer.oracle.write(writer.cell, writer.layout, values)
    sound = [
        (f"{label}/{name}", reply.written)
        for (name, _), reply in zip(cases, written, strict=True)
        if isinstance(reply, OracleValue)
    ]
    _try_kept(context, reader, [name for name, _ in sound], [body for _, body in sound])


# Tags of other versions.


def _try_reserved(context: CellContext) -> None:
    cases = list(context.environment.source.reserved_tags(context.layout))
    if not cases:
        return
    names = [name for name, _, _ in cases]
    bodies = [interpret_layout(carrier).encode(value) for _, carrier, value in cases]
    context.announce(Phase.EVOLUTION, names)
    oracle = context.target.oracle.reread(context.cell, context.layout, bodies)
    for adapter in context.target.adapters:
        replies = adapter.ask(context.cell, context.layout, [Decode(body) for body in bodies])
        for name, body, ours, theirs in zip(names, bodies, replies, oracle, strict=True):
            _record(context, name, len(body), judge_reserved(adapter.name, ours, theirs), body)


# Versions that the message does not have.


def _try_bounds(context: CellContext) -> None:
    versions = context.layout.versions
    ends = ((versions.lowest, versions.lowest - 1), (versions.highest, versions.highest + 1))
    for end, beyond in ends:
        if context.cell.version != end:
            continue
        name = f"version/{'below' if beyond < end else 'above'}"
        context.announce(Phase.EVOLUTION, [name])
        answer = context.target.oracle.bounds(context.cell, beyond)
        refused = _is_refused(context, beyond)
        _record(context, name, 0, judge_bounds(context.cell.release, context.layout, beyond, refused, answer))


def _is_refused(context: CellContext, version: int) -> bool:
    cell = context.cell
    try:
        context.environment.layouts.of(Cell(cell.release, cell.module, cell.message, version))
    except UnsupportedVersionError as error:
        return (error.message, error.version) == (cell.message, version)
    return False


_HIGHEST: Final = 32767
"""A version is an int16."""


def try_versions_beyond(context: CellContext) -> None:
    """Ask each testee for versions beyond its message's, and then for a valid value of the cell."""
    if context.comparison is not None:
        return
    for adapter in context.target.adapters:
        if isinstance(adapter, Claimant):
            for name, version in _beyond(context, adapter):
                _try_version(context, adapter, name, version)


def _beyond(context: CellContext, testee: Claimant) -> Iterator[tuple[str, int]]:
    """The versions that neither the release nor the testee has, each with the name of its case.

    There are none, unless the cell is the first or the last that the testee claims.
    """
    cell, versions = context.cell, context.layout.versions
    claimed = [each for each in versions if testee.claimed(replace(cell, version=each))]
    known = {*versions, *testee.known_versions(cell.message)}
    if claimed and cell.version == min(claimed):
        yield "version/below", min(known) - 1
    if claimed and cell.version == max(claimed) and max(known) < _HIGHEST:
        yield "version/above", max(known) + 1


def _try_version(context: CellContext, testee: Claimant, name: str, version: int) -> None:
    asked = _questions(context, testee)
    if not asked:
        return
    context.announce(Phase.EVOLUTION, [name])
    requests = list(asked.values())
    with context.environment.beside_cases():
        before = testee.ask(context.cell, context.layout, requests)
    there = replace(context.cell, version=version)
    replies = testee.ask_anyway(there, context.layout, requests)
    for (operation, request), reply in zip(asked.items(), replies, strict=True):
        found = judge_beyond(testee.name, version, operation, reply)
        value = request.value if isinstance(request, Encode) else None
        data = request.data if isinstance(request, Decode | Reencode) else None
        context.recorder.record(Phase.EVOLUTION, name, found, value, data)
    with context.environment.beside_cases():
        after = testee.ask(context.cell, context.layout, requests)
    summary = f"version {context.cell.version} is answered otherwise once version {version} was asked for"
    left = judge_neighbour(testee.name, context.cell, before, after)
    context.recorder.record(Phase.EVOLUTION, name, [replace(each, summary=summary) for each in left])


def _questions(context: CellContext, testee: Claimant) -> dict[str, Request]:
    """The claimed operations with the least instance of the cell, or with its bytes."""
    value = next(context.environment.source.enumerated(context.cell, context.layout)).value
    data = bytes_of(context, testee, value)
    every: dict[str, Request] = {"encode": Encode(value)}
    if data is not None:
        every |= {"decode": Decode(data), "reencode": Reencode(data)}
    claimed = testee.claimed(context.cell)
    return {operation: request for operation, request in every.items() if operation in claimed}
