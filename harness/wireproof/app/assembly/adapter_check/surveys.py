"""All questions of ``wireproof testee check``, and the lines of its report about the answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from wireproof.app.assembly.adapter_check.boundaries import BoundarySurvey, newest
from wireproof.app.assembly.adapter_check.known_values import KnownValues
from wireproof.app.assembly.adapter_check.own_input import InputSurvey
from wireproof.app.assembly.adapter_check.survey import Survey
from wireproof.model import PRIMITIVES_MODULE, RECORDS_MODULE, Cell
from wireproof.proof.adapters.testee import TesteeAdapter
from wireproof.proof.run import Layouts

__all__ = ["Surveys", "some", "boundary_lines", "known_lines", "limit_lines"]

_LISTED: Final = 12


@dataclass(slots=True)
class Surveys:
    """The answers of a testee.

    Attributes:
        first: for every operation, about the default instance.
        boundaries: encoding and decoding, about fullest instances and boundary values.
        inputs: answers that a library cannot have given.
        known: plain values that are read or written otherwise.
        orderly: true if the process stopped cleanly before the last questions, which a new one answers.
    """

    first: Survey = field(default_factory=Survey)
    boundaries: BoundarySurvey = field(default_factory=BoundarySurvey)
    inputs: InputSurvey = field(default_factory=InputSurvey)
    known: KnownValues = field(default_factory=KnownValues)
    orderly: bool = True

    def ask(self, adapter: TesteeAdapter, layouts: Layouts, cells: Sequence[Cell]) -> None:
        """Ask everything about the claimed cells."""
        chosen = newest(cells)
        for cell in cells:
            self.first.ask(adapter, layouts, cell)
            self.known.ask(adapter, layouts, cell)
            if cell.module not in (RECORDS_MODULE, PRIMITIVES_MODULE):
                self.inputs.ask(adapter, layouts, cell)
        for cell in cells:
            whole = cell in chosen or cell.module == RECORDS_MODULE
            self.boundaries.ask(adapter, layouts, cell, fullest=not whole)
        self.orderly = adapter.end()
        self.inputs.ask_afresh(adapter, layouts)


def boundary_lines(survey: BoundarySurvey) -> Iterator[str]:
    """The lines about boundary values: how many were answered, and the failures."""
    counts = ", ".join(f"{count} {what}" for what, count in sorted(survey.answered.items()))
    yield f"fullest instances and boundary values: {counts or 'none'}"
    for words, cases in survey.failures.items():
        yield f"  {len(cases)} {words}, such as {cases[0]}"


def known_lines(survey: KnownValues) -> Iterator[str]:
    """The lines about plain values: how many answers are right, and the places of the others."""
    wrong = survey.wrong - survey.known
    known = f", {survey.known} as the ledger says" if survey.known else ""
    yield f"plain values: {survey.answered - survey.wrong} right{known}, {wrong} altered"
    for words, cases in survey.altered.items():
        yield f"the codec or its adapter is at fault at {some(cases)}: {words}"
    if survey.altered:
        yield "  to decide: print the codec's own object for the value, beside the value of the adapter"


def limit_lines(survey: BoundarySurvey, name: str) -> Iterator[str]:
    """The lines about the values that a limit excludes, and the results of the library with them."""
    covered = survey.limits.get(name)
    if covered is None:
        yield "  it leaves out no fullest instance and no boundary value"
        return
    classes = [f"{count} {kind}" for kind, count in covered.classes.most_common()]
    counts = f"{covered.answers} of {survey.answered.total()} answers"
    yield f"  it leaves out {counts}, at {some(sorted(covered.places))}"
    yield f"  these values are: {some(classes)}"
    case, words = covered.example
    yield f"  such as {case}" + (f": {words[:200]}" if words else "")
    anyway = [f"{count} {what}" for what, count in covered.anyway.most_common()]
    yield f"  past the limit the library did: {some(anyway)}"


def some(names: Sequence[str]) -> str:
    """The first names of a list, in a line."""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
