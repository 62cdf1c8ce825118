"""Parts of events, each from its JSON: cells, divergences with their bytes, counts, coverage, causes."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from wireproof.model import (
    ByteEvidence,
    Cell,
    CellId,
    Divergence,
    FramePart,
    MalformedVerdict,
    NamedBytes,
    ObservedCause,
    ObservedDeviation,
    Phase,
)
from wireproof.model.coverage import CellCoverage
from wireproof.proof.checks import Check

__all__ = [
    "Json",
    "cause_of",
    "cell_of",
    "coverage_of",
    "divergences_of",
    "fields_of",
    "known_at_of",
    "phases_of",
    "verdicts_of",
]

Json: TypeAlias = Mapping[str, Any]
"""An object of JSON."""


def fields_of(line: Json) -> dict[str, Any]:
    """Return the members of an event but its name."""
    return {name: value for name, value in line.items() if name != "event"}


def cell_of(line: Json) -> Cell:
    """Return the cell of an event."""
    return CellId.parse(line["cell"]).in_module(sys.intern(line["module"]))


def divergences_of(line: Json) -> tuple[Divergence, ...]:
    """Return the divergences of a failure, at least one."""
    found = tuple(map(_divergence, line["divergences"]))
    if not found:
        raise ValueError("a failure has no divergence")
    return found


def _divergence(parsed: Json) -> Divergence:
    Check(parsed["check"])  # reports look it up
    sides = parsed.get("bytes")
    if sides is None:
        return Divergence(**parsed)
    evidence = ByteEvidence(**{side: _named_bytes(found) for side, found in sides.items()})
    return Divergence(**{**parsed, "bytes": evidence})


def _named_bytes(parsed: Json) -> NamedBytes:
    bytes.fromhex(parsed["hex"])  # raises for other text
    names = tuple((int(start), int(end), str(name)) for start, end, name in parsed["fields"])
    return NamedBytes(parsed["hex"], parsed["start"], parsed["length"], names)


def phases_of(counts: Json) -> dict[Phase, int]:
    """Return the counts of each phase."""
    return {Phase(phase): count for phase, count in counts.items()}


def verdicts_of(counts: Json) -> dict[MalformedVerdict, int]:
    """Return the counts of each verdict on malformed bytes."""
    return {MalformedVerdict(verdict): count for verdict, count in counts.items()}


def coverage_of(parsed: Json) -> CellCoverage:
    """Return the coverage of a cell."""
    return CellCoverage(
        covered=parsed["met"],
        reachable=parsed["reachable"],
        unreachable=parsed["unreachable"],
        missing=_interned(parsed["missing"]),
        excused=_interned(parsed["excused"]),
        contradicted=_interned(parsed["contradicted"]),
        below_floor=parsed["belowFloor"],
    )


def _interned(names: Iterable[str]) -> tuple[str, ...]:
    """The names of classes: those of a message's versions are mostly the same."""
    return tuple(map(sys.intern, names))


def cause_of(parsed: Json) -> ObservedCause:
    """Return a cause of failures."""
    return ObservedCause(
        phase=Phase(parsed["phase"]),
        check=parsed["check"],
        subject=parsed["subject"],
        field=parsed["field"],
        type=parsed["type"],
        kind=parsed["kind"],
        cases=parsed["cases"],
        case_id=parsed["case"],
        summary=parsed["summary"],
        part=FramePart(parsed["part"]),
    )


def known_at_of(parsed: Json) -> ObservedDeviation:
    """Return a place at which a known deviation showed."""
    return ObservedDeviation(parsed["entry"], FramePart(parsed["part"]), parsed["field"], parsed["cases"])
