"""One case again, in this process."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kafkawire.canonical import canonical
from wireproof.model import Cell, Phase
from wireproof.run.bench import Bench
from wireproof.run.events import CaseFailed, ProverEvent
from wireproof.run.plan import RunOptions
from wireproof.run.prover import CLAIM_CASES
from wireproof.run.worker import prover_of

__all__ = ["CaseName", "NoSuchCaseError", "replay"]


class NoSuchCaseError(LookupError):
    """The cell has no case of this name."""


@dataclass(frozen=True, slots=True)
class CaseName:
    """``RELEASE/MESSAGE/VERSION/PHASE/NAME`` taken apart; NAME may hold slashes."""

    cell_id: str
    phase: Phase
    name: str

    @classmethod
    def parse(cls, text: str) -> "CaseName":
        """Take a case id apart.

        Raises:
            ValueError: it is none.
        """
        parts = text.split("/", 4)
        if len(parts) != 5 or parts[3] not in list(Phase):
            raise ValueError(f"{text!r} is no case: want RELEASE/MESSAGE/VERSION/PHASE/NAME")
        return cls("/".join(parts[:3]), Phase(parts[3]), parts[4])

    @property
    def seed(self) -> int:
        """The seed that an oracle's or a random case was made with."""
        digits = self.name.removeprefix("seed-").split("-")[0]
        return int(digits) if digits.isdecimal() else 0


def replay(
    bench: Bench, cell: Cell, case: CaseName, value: str | None = None, header: str | None = None
) -> Sequence[CaseFailed]:
    """The failures that the case has now; none where its divergence is gone.

    Args:
        value, header: canonical JSON of what was recorded; without it the case is made again by its name.

    Raises:
        NoSuchCaseError: the cell has no case of this name.
        kafkawire.errors.CodecError: what was recorded is no value of the cell.
    """
    failures: list[CaseFailed] = []

    def keep(event: ProverEvent) -> None:
        if isinstance(event, CaseFailed):
            failures.append(event)

    claim = case.phase is Phase.ENUMERATED and case.name.startswith(CLAIM_CASES)
    phases = (case.phase, Phase.FRAME) if claim else (case.phase,)
    options = RunOptions(phases=phases, seed=case.seed, shrink_s=0)
    prover = prover_of(cell)(bench, options, cell, keep, lambda phase, names: None)
    layout = bench.layouts.of(cell)
    by_name = {Phase.RECORDS: prover.try_fields, Phase.EMBEDDED: prover.try_blob}
    if case.phase in by_name:
        if not by_name[case.phase](case.name):
            raise NoSuchCaseError(case.name)
    elif value is not None:
        before = bench.layouts.headers(cell).get(layout.header_version or 0)
        header_value = canonical(before).from_json(header) if before and header is not None else None
        prover.try_value(case.phase, case.name, canonical(layout).from_json(value), header_value)
    elif case.phase is Phase.ENUMERATED and not claim:
        if not prover.try_named(case.name):
            raise NoSuchCaseError(case.name)
    elif case.phase is Phase.BULK:
        if not prover.try_number(case.name):
            raise NoSuchCaseError(case.name)
    elif case.phase is Phase.MUTATIONS:
        if not prover.try_mutation(case.name):
            raise NoSuchCaseError(case.name)
    else:
        prover.prove()
        failures = [failure for failure in failures if case.phase is Phase.SHAPE or _is(failure, case)]
    return [replace(failure, value=failure.value or value) for failure in failures]


def _is(failure: CaseFailed, case: CaseName) -> bool:
    return failure.case_id == f"{case.cell_id}/{case.phase}/{case.name}"
