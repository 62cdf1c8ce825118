"""Mutations of valid bytes of a cell, as Kafka writes them, and a codec's answers to them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model.case_source import CaseSource
from wireproof.model.cell import Phase
from wireproof.model.malformed_input import Answer, LimitedAdapter, Mutation
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.difference_kinds import sites_of
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.prepared_cases import (
    FULLEST,
    CellTarget,
    MutatedCase,
    header_cell,
    header_identity,
)

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
"""The enumerated cases that are mutated: together they have every field, tag and marker, set and null."""
_LARGEST_BYTES = 8192
"""A base above this size is left out: each of its bytes makes another cut."""
_HEADER = {"correlationId": 7, "clientId": "wireproof"}
"""Fields of the headers of mutated frames, in addition to those that identify the message."""


def read_mutated(
    adapter: LimitedAdapter,
    layout: MessageLayout,
    header: MessageLayout | None,
    mutated: Sequence[MutatedCase],
    phase: Phase = Phase.MUTATIONS,
) -> list[Answer]:
    """The answers of a codec to malformed bodies, or to frames if there is a header."""
    data = [each.data for each in mutated]
    sites = sites_of(layout, [(each.mutation, f"{phase}/{each.name}") for each in mutated])
    if header is None:
        return adapter.decode_all(layout, data, sites)
    return adapter.decode_frames(header, layout, data, sites)


def make_mutations(
    environment: WorkerEnvironment, target: CellTarget, *, sliced: bool = False, repeats: bool = False
) -> Iterator[MutatedCase]:
    """The mutations of the bases of a cell, without repeated bytes; bodies, then frames.

    Args:
        sliced: use each operator once at each kind of place, and not at every place.
        repeats: yield equal bytes under each of their names.
    """
    source, layout = environment.source, target.layout
    seen: set[bytes] | None = None if repeats else set()
    bodies = list(_bodies(source, target))
    part = source.slice() if sliced else None
    for base, body in bodies:
        yield from _spoiled(base, body, source.mutations(layout, body, part), seen, framed=False)
    header_layout = environment.layouts.header(target.cell)
    if header_layout is None or not bodies:
        return
    headers, (_, body) = environment.layouts.headers(target.cell), bodies[0]
    seen, part = None if repeats else set(), source.slice() if sliced else None
    for base, header in _headers(target, header_layout):
        frame = (len(header) + len(body)).to_bytes(4) + header + body
        changes = source.frame_mutations(headers, layout, header, body, part)
        yield from _spoiled(f"frame/{base}", frame, changes, seen, framed=True)


def _spoiled(
    base: str, data: bytes, mutations: Iterable[Mutation], seen: set[bytes] | None, *, framed: bool
) -> Iterator[MutatedCase]:
    if seen is not None:
        seen.add(data)
    for mutation in mutations:
        changed = mutation.apply(data)
        if seen is not None:
            if changed in seen:
                continue
            seen.add(changed)
        yield MutatedCase(f"{base}/{mutation.name}", mutation, changed, framed)


def _bodies(source: CaseSource, target: CellTarget) -> Iterator[tuple[str, bytes]]:
    """Valid bytes as Kafka writes them: the codec's own encoder is not under test here."""
    cell, layout = target.cell, target.layout
    values = {name: value for name, value in _base_values(source, target) if name in BASES}
    bases = {name: canonical(layout).to_binary(value) for name, value in values.items()}
    written = target.oracle.write(cell, layout, list(bases.values()))
    for name, reply in zip(bases, written, strict=True):
        # A value that Kafka cannot write by a known bug has no bytes.
        if isinstance(reply, OracleValue) and len(reply.written) <= _LARGEST_BYTES:
            yield name.removeprefix("message/"), reply.written


def _base_values(source: CaseSource, target: CellTarget) -> Iterator[tuple[str, dict[str, Any]]]:
    """The cases that contain the bases. Large cases are left out, as they take longer than all others."""
    yield from source.whole(target.layout)
    if target.layout.root.tagged:
        yield from ((case.name, case.value) for case in source.enumerated(target.cell, target.layout))


def _headers(target: CellTarget, layout: MessageLayout) -> Iterator[tuple[str, bytes]]:
    """The header's bytes: plain, and with an unknown tag if the header has tags."""
    known = {field.name for field in layout.root.fields}
    fields = {**header_identity(target.cell, target.layout, layout), **_HEADER}
    value = {name: each for name, each in fields.items() if name in known}
    values = {"plain": value, **({"tagged": {**value, "_tags": {9: b"\x07"}}} if layout.flexible else {})}
    cell = header_cell(target.cell, layout)
    binaries = [canonical(layout).to_binary(each) for each in values.values()]
    for name, reply in zip(values, target.oracle.write(cell, layout, binaries), strict=True):
        if isinstance(reply, OracleValue):
            yield name, reply.written
