"""The search for the causes of a different end (variation, message, answer), and the overall verdict."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from wireproof.traffic.capture.varying.program_runs import BudgetOverError, ProgramEnd
from wireproof.traffic.capture.varying.varied_run import AnswerSite, VariationChoice, is_offer


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
    """A variation that the program cannot handle.

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
        fault: the reason why the program cannot be judged; ``""`` if it can.
        outcomes: the outcome of each variation, by its id.
        spoken: the number of requests of each API and version in all runs.
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
"""The most runs to find the index of an answer: enough for 10,000 answers."""


class ProgramAttempt(Protocol):
    """Runs the program with selections; raises `BudgetOverError`."""

    def __call__(self, selections: Sequence[VariationChoice], *, patient: bool) -> ProgramEnd:
        """Return the end. A run that is not patient has a shorter time limit: a hang then costs less."""


@dataclass(frozen=True, slots=True)
class FoundCause:
    """A set of selections with which the program ends otherwise.

    Attributes:
        end: the end of the run with exactly these selections.
        steady: false if a second run with the same selections ended as usual.
    """

    selections: tuple[VariationChoice, ...]
    end: ProgramEnd
    steady: bool = True
    narrowed: bool = True


@dataclass(frozen=True, slots=True)
class CauseSearch:
    """Finds causes by running the program with parts of the selections.

    Attributes:
        usual: the end of the unvaried program.
        counts: returns whether a selection with such an end is a finding; only findings are confirmed.
    """

    attempt: ProgramAttempt
    usual: ProgramEnd
    counts: Callable[[VariationChoice, ProgramEnd], bool] = lambda selection, end: True

    def differs(self, end: ProgramEnd) -> bool:
        """Return True if a run ended otherwise than the unvaried program."""
        return end.result != self.usual.result

    def find(
        self, selections: Sequence[VariationChoice], end: ProgramEnd, guesses: Sequence[VariationChoice] = ()
    ) -> FoundCause:
        """Return a cause among the selections of a run that ended otherwise, if possible a single selection.

        Args:
            guesses: selections to try alone before the others, if there are more than two.

        Raises:
            BudgetOverError: the search is not done.
        """
        rest = _suspects(selections, end)
        for guess in guesses if len(rest) > 2 else ():
            alone = self.attempt([guess], patient=False)
            if self.differs(alone):
                return self._confirmed(guess, alone)
            rest = [each for each in rest if each != guess]
        suspects = rest
        while len(suspects) > 1:
            first, second = suspects[: len(suspects) // 2], suspects[len(suspects) // 2 :]
            if end.seconds > self.usual.seconds:
                first, second = second, first  # a run without the cause ends sooner
            tried = self.attempt(_in_order(first, selections), patient=False)
            end, suspects = (tried, first) if self.differs(tried) else (end, second)
        cause = self._confirmed(suspects[0], end)
        return cause if cause.steady or len(rest) == 1 else self._find_patiently(_in_order(rest, selections))

    def _confirmed(self, suspect: VariationChoice, end: ProgramEnd) -> FoundCause:
        """Run the program with one selection: on its last answer of the run, then on all answers."""
        if end.log.selections == (suspect,) and not self.counts(suspect, end):
            return FoundCause((suspect,), end)
        sites = [site for site in end.log.sites if site.variation == suspect.variation]
        if len(sites) > 1 and not is_offer(suspect):
            smaller = suspect.on(sites[-1].message, sites[-1].index, sites[-1].index)
            tried = self.attempt([smaller], patient=True)
            if self.differs(tried):
                return FoundCause((smaller,), tried)
        tried = self.attempt([suspect], patient=True)
        return FoundCause((suspect,), tried, self.differs(tried))

    def _find_patiently(self, rest: Sequence[VariationChoice]) -> FoundCause:
        """Return a cause if no single selection is one, or the program is slow: check both halves."""
        end = self.attempt(rest, patient=True)
        if not self.differs(end):
            return FoundCause(tuple(rest), end, steady=False)
        while len(rest) > 1:
            for half in (rest[: len(rest) // 2], rest[len(rest) // 2 :]):
                end = self.attempt(half, patient=True)
                if self.differs(end):
                    rest = half
                    break
            else:
                # Neither half is a cause alone. An end that does not recur twice was the program's own.
                end = self.attempt(rest, patient=True)
                if not (self.differs(end) and self.differs(self.attempt(rest, patient=True))):
                    return FoundCause(tuple(rest), end, steady=False)
                return self._together(rest, end)
        return self._confirmed(rest[0], end)

    def _together(self, rest: Sequence[VariationChoice], end: ProgramEnd) -> FoundCause:
        """Return a minimal set of selections that ends the program otherwise (delta debugging, ddmin)."""
        parts = 2
        while parts < len(rest):
            parts = min(2 * parts, len(rest))
            size = -(-len(rest) // parts)
            for start in range(0, len(rest), size):
                smaller = [*rest[:start], *rest[start + size :]]
                tried = self.attempt(smaller, patient=True)
                if self.differs(tried):
                    rest, end, parts = smaller, tried, max(parts // 2 - 1, 1)
                    break
        return FoundCause(tuple(rest), end)

    def narrow(self, cause: FoundCause) -> FoundCause:
        """Reduce a cause of one selection to one message, then to as few of its answers as possible.

        An offer is not reduced: if only some answers offer the single version, the program has both ranges.
        """
        if len(cause.selections) != 1 or not cause.steady or is_offer(cause.selections[0]):
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
            end = self.attempt([smaller], patient=True)
            if self.differs(end):
                return FoundCause((smaller,), end)
        return cause

    def _on_answer(self, cause: FoundCause) -> FoundCause:
        (selection,) = cause.selections
        indices = [site.index for site in cause.end.log.sites]
        if not selection.message or not indices:
            return cause
        low, high = min(indices), max(indices)
        for _ in range(_MOST_STEPS):
            if low == high:
                return FoundCause((selection.on(selection.message, low, high),), cause.end)
            middle = (low + high) // 2
            for first, last in ((middle + 1, high), (low, middle)):
                smaller = selection.on(selection.message, first, last)
                end = self.attempt([smaller], patient=True)
                if self.differs(end):
                    cause, low, high = FoundCause((smaller,), end), first, last
                    break
            else:
                return cause
        return cause


def _in_order(
    some: Sequence[VariationChoice], selections: Sequence[VariationChoice]
) -> list[VariationChoice]:
    """Return some of the selections in their original order, in which they change an answer."""
    return [each for each in selections if each in some]


def _suspects(selections: Sequence[VariationChoice], end: ProgramEnd) -> list[VariationChoice]:
    """Return the selections that varied an answer of a run, the likely causes first.

    The later its first varied answer, the likelier a selection is: the program did less after that answer.
    """
    first: dict[str, int] = {}
    for number, site in enumerate(end.log.sites):
        first.setdefault(site.variation.id, number)
    met = [each for each in selections if each.variation.id in first] or selections
    return sorted(met, key=lambda each: -first.get(each.variation.id, 0))
