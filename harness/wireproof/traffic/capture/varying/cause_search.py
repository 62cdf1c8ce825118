"""The search for the causes of a different end (variation, message, answer), and the verdict of it all."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from wireproof.traffic.capture.varying.program_runs import ProgramEnd, ProgramResult
from wireproof.traffic.capture.varying.varied_run import AnswerSite, VariationChoice


class VaryOutcome(StrEnum):
    """The effect of a variation on the program. The text is stable: reports hold it."""

    TAKEN = "taken"
    """The program ended as without it."""
    FOUND = "found"
    """The program ended otherwise: a finding."""
    UNMET = "unmet"
    """No answer of the program's run can be varied so."""
    NOT_SPOKEN = "not spoken"
    """The program did not use the only version that was offered."""
    NOT_CARRIED = "not carried"
    """The program ended otherwise, but the version has no field for what its usual requests say."""
    UNSTEADY = "unsteady"
    """The program ended otherwise once, and as usual in the next run with the same variation."""
    NOT_RUN = "not run"
    """The budget was over before, or there were enough findings."""


@dataclass(frozen=True, slots=True)
class VaryFinding:
    """A variation that the program does not take.

    Attributes:
        selections: the smallest selection found; more than one if the program takes each alone.
        usual, ended: the end without variation, and with it.
        site: the last varied answer of that run; None if it is not known.
        errors: the end of the program's stderr.
        narrowed: false if the budget ended the search.
    """

    selections: tuple[VariationChoice, ...]
    usual: str
    ended: str
    site: AnswerSite | None
    errors: str = field(repr=False)
    narrowed: bool = True


@dataclass(slots=True)
class VaryVerdict:
    """All results; filled while the runs go on.

    Attributes:
        fault: the reason why nothing can be said about the program; ``""`` if it can be judged.
        outcomes: of each variation, by its id.
        spoken: how many requests of each API and version came over all runs.
        over_budget: true if the budget ended the search.
    """

    fault: str = ""
    outcomes: dict[str, VaryOutcome] = field(default_factory=dict)
    findings: list[VaryFinding] = field(default_factory=list)
    spoken: Counter[tuple[str, int]] = field(default_factory=Counter)
    runs: int = 0
    usual_s: float = 0.0
    connections: int = 0
    over_budget: bool = False

    @property
    def counts(self) -> Mapping[VaryOutcome, int]:
        """The number of variations by outcome."""
        return Counter(self.outcomes.values())


_MOST_STEPS: Final = 14
"""Runs for the index of an answer: enough for 10,000 answers."""


class BudgetOverError(Exception):
    """No run can begin any more."""


Attempt = Callable[[Sequence[VariationChoice]], ProgramEnd]
"""Runs the program. Raises `BudgetOverError`."""


@dataclass(frozen=True, slots=True)
class FoundCause:
    """A set of selections with which the program ends otherwise.

    Attributes:
        end: of the run with exactly these.
        steady: false if a second run with the same selections ended as usual.
    """

    selections: tuple[VariationChoice, ...]
    end: ProgramEnd
    steady: bool = True
    narrowed: bool = True


class CauseSearch:
    """Finds causes by running the program with parts of the selections.

    Args:
        usual: the result of the unvaried program.
    """

    def __init__(self, attempt: Attempt, usual: ProgramResult) -> None:
        self._attempt = attempt
        self._usual = usual

    def differs(self, end: ProgramEnd) -> bool:
        """Return True if a run ended otherwise than the unvaried program."""
        return end.result != self._usual

    def find(
        self, selections: Sequence[VariationChoice], end: ProgramEnd, guesses: Sequence[VariationChoice] = ()
    ) -> FoundCause:
        """Return one cause among the selections of a run that ended otherwise: a single one if there is one.

        Args:
            guesses: selections to try alone before the others, if there are more than two.

        Raises:
            BudgetOverError: the search is not done.
        """
        met = {(site.variation.id, site.message) for site in end.log.sites}
        names = {name for name, _ in met}
        rest = [each for each in selections if each.variation.id in names] or list(selections)
        for guess in guesses if len(rest) > 2 else ():
            alone = self._attempt([guess])
            if self.differs(alone):
                return FoundCause((guess,), alone)
            rest = [each for each in rest if each != guess]
        while len(rest) > 1:
            for half in (rest[len(rest) // 2 :], rest[: len(rest) // 2]):
                end = self._attempt(half)
                if self.differs(end):
                    rest = half
                    break
            else:
                # Neither half alone: an end that does not come a third time was the program's own.
                end = self._attempt(rest)
                if not (self.differs(end) and self.differs(self._attempt(rest))):
                    return FoundCause(tuple(rest), end, steady=False)
                return self._together(rest, end)
        again = self._attempt(rest)
        return FoundCause(tuple(rest), again, self.differs(again))

    def _together(self, rest: Sequence[VariationChoice], end: ProgramEnd) -> FoundCause:
        """Return the least selections that together end the program otherwise (delta debugging, ddmin)."""
        parts = 2
        while parts < len(rest):
            parts = min(2 * parts, len(rest))
            size = -(-len(rest) // parts)
            for start in range(0, len(rest), size):
                smaller = [*rest[:start], *rest[start + size :]]
                tried = self._attempt(smaller)
                if self.differs(tried):
                    rest, end, parts = smaller, tried, max(parts // 2 - 1, 1)
                    break
        return FoundCause(tuple(rest), end)

    def narrow(self, cause: FoundCause) -> FoundCause:
        """Reduce a cause of one selection to one message, then to as few of its answers as possible."""
        if len(cause.selections) != 1 or not cause.steady:
            return cause
        try:
            return self._on_answer(self._on_message(cause))
        except BudgetOverError:
            return FoundCause(cause.selections, cause.end, narrowed=False)

    def _on_message(self, cause: FoundCause) -> FoundCause:
        (selection,) = cause.selections
        messages = list(dict.fromkeys(site.message for site in reversed(cause.end.log.sites)))
        if selection.message or not messages:
            return cause
        if len(messages) == 1:
            only = selection.on(messages[0], selection.first, selection.last)
            return FoundCause((only,), cause.end)
        for message in messages:
            smaller = selection.on(message, selection.first, selection.last)
            end = self._attempt([smaller])
            if self.differs(end):
                return FoundCause((smaller,), end)
        return cause

    def _on_answer(self, cause: FoundCause) -> FoundCause:
        (selection,) = cause.selections
        indices = [site.index for site in cause.end.log.sites]
        if not selection.message or not indices:
            return cause
        low, high = min(indices), max(indices)
        parts = [(high, high)] if low < high else []
        for _ in range(_MOST_STEPS):
            if low == high and not parts:
                return FoundCause((selection.on(selection.message, low, high),), cause.end)
            middle = (low + high) // 2
            for first, last in parts or [(low, middle), (middle + 1, high)]:
                smaller = selection.on(selection.message, first, last)
                end = self._attempt([smaller])
                if self.differs(end):
                    cause, low, high = FoundCause((smaller,), end), first, last
                    break
            else:
                if not parts:
                    return cause
            parts = []
        return cause
