"""The search for the causes of a different end: which variation, of which message, of which answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from wireproof.traffic.capture.varying.program_runs import ProgramEnd, ProgramResult
from wireproof.traffic.capture.varying.varied_run import VariationChoice

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
