"""The questions that end a codec's process, the questions skipped because of them, and the time limits.

A question that hangs a codec, or ends its process, is asked twice before it is reported. Later questions of
the same cause are skipped, under the name of the reported case; all others are asked. A hang costs seconds,
so its cause is the mutation operator alone (``tag-count-huge``), at any field. The cause of a crash is the
operator and the field of the message, at any version. A thorough run (`HangBudget.every_place`) tries the
operator of a hang at each field, with a short time limit. All processes of a run share their findings and
one budget.

A ledger states the known ends (`ExpectedEnd`). A run asks only the case that the ledger names for each.
Therefore a run that meets no other end skips the same questions, whatever its cells and their order.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from wireproof.model.cell import Cell

HANG: Final = "hang"
"""The end of a codec that gave no answer in time."""
NOT_ALONE: Final = "though no question does it alone"
"""Words about a codec that ends again and again, although no single question ends a fresh process."""
HANG_BUDGET_S: Final = 60.0
"""Seconds of a run that may be spent on questions without an answer, over all processes."""
EVERY_HANG_S: Final = 6 * 3600.0
"""The same for a run that tries an operator at every field although it hung the codec at another field."""
VALUES: Final = "values"
"""The kind of place of questions about valid values and their bytes. Their operator is the operation."""
_WIDESPREAD_DEATHS: Final = 12
"""Fields of messages at which an operator ends the codec before it is skipped everywhere."""
_MOST_VALUES: Final = 6
_MOST_VALUES_HUNG: Final = 2
"""Valid values that may end or hang the codec in one operation of a cell before that operation is skipped in
the cell. One is enough if the operation has answered none before."""
_AT_FIRST: Final = ", the first of the cell"
"""After the name of a cause: the operation ended the codec at its first right value, so one end is enough."""
_OF: Final = ": "
"""The separator of cell and operation in the name of a cause; no case id contains it."""


@dataclass(frozen=True, slots=True)
class MutationSite:
    """The change of malformed bytes, and its place.

    Attributes:
        operator: such as ``count-negative``.
        path: the field, without indices; ``""`` is the message.
        kind: the kind of place: the field's type, which a codec reads alike everywhere.
        name: the name of the case in its cell: ``PHASE/NAME``.
    """

    operator: str
    path: str
    kind: str
    name: str = field(default="", compare=False)

    @property
    def right(self) -> bool:
        """Return whether the value or bytes are valid. All such questions of an operation share one site."""
        return self.kind == VALUES

    def __str__(self) -> str:
        if self.right:
            return f"{self.operator} of a value" if self.operator else "a value"
        return f"{self.operator} at {self.path or 'the message'}"


_SOME_VALUE: Final = MutationSite("", "", VALUES)
"""The site of a question that was given none."""


@dataclass(frozen=True, slots=True)
class CodecEnd:
    """A question that ended a codec's process or hung it, as soon as that is certain.

    Attributes:
        subject: the codec.
        error: ``hang``, ``process`` or ``protocol``.
        words: how it ended, in words.
        case: ``PHASE/NAME`` in its cell; empty if the question is about a valid value.
        site: the mutation and its place, in words.
        left_s: seconds that the run may still spend on hangs.
        at: the site itself.
    """

    subject: str
    error: str
    words: str
    case: str
    site: str
    left_s: float
    at: MutationSite = _SOME_VALUE


@dataclass(frozen=True, slots=True)
class ExpectedEnd:
    """A known end of a codec, by malformed bytes.

    Attributes:
        subject: the codec; empty for any codec.
        error: ``hang`` or ``process``.
        operator: such as ``count-huge``.
        case: ``MESSAGE/VERSION/PHASE/NAME``: the one question of this cause that is asked, in any release.
        places: the messages and fields at which the operator ends the codec; not used for a hang.
    """

    subject: str
    error: str
    operator: str
    case: str
    places: frozenset[tuple[str, str]] = frozenset()


class HangBudget:
    """The seconds that a run may spend on hangs, the sites that are known, and whom to notify of each.

    Args:
        total_s: processor time; for a codec that sleeps, the time spent waiting for it.

    Attributes:
        every_place: a hang's operator is skipped only at the field where it hung the codec.
        spent_s: what this process spent.
        elsewhere_s: what the other processes of the run spent.
        cell: the current cell.
        closed: whether a question was suspected when no time was left to try it again.
    """

    def __init__(self, total_s: float = HANG_BUDGET_S) -> None:
        self.total_s = total_s
        self.every_place = False
        self.spent_s = 0.0
        self.elsewhere_s = 0.0
        self.cell: Cell | None = None
        self.closed = False
        self.notify: Callable[[CodecEnd], None] = _ignore
        self._ends = _EndsByOperator()
        self._expected = _EndsByOperator()
        self._expectations: Sequence[ExpectedEnd] = ()
        self._cases: set[str] = set()

    @property
    def all_spent_s(self) -> float:
        """The seconds that all processes spent."""
        return self.spent_s + self.elsewhere_s

    @property
    def left_s(self) -> float:
        return max(0.0, self.total_s - self.all_spent_s)

    @property
    def cell_id(self) -> str:
        return "" if self.cell is None else self.cell.id

    def spend(self, seconds: float) -> None:
        """Charge one attempt that had no answer in time."""
        self.spent_s += seconds

    def expect(self, ends: Sequence[ExpectedEnd]) -> None:
        """State the known ends; what was stated before is forgotten."""
        if ends == self._expectations:
            return
        self._expectations, self._expected = ends, _EndsByOperator()
        self._cases = {each.case for each in ends}
        for each in ends:
            if each.error == HANG:
                self._expected.add_hang(each.subject, each.operator, each.case)
                continue
            for message, path in each.places:
                self._expected.add_death(each.subject, message, each.operator, path, each.case)

    def learn(self, end: CodecEnd, cell: Cell | None) -> None:
        """Keep the site of a reported question, of this process or another."""
        site, message = end.at, "" if cell is None else cell.message
        if site.right:
            return
        if cell is not None:
            self._cases.discard(f"{message}/{cell.version}/{site.name}")
        name = site.name if cell is None else f"{cell.id}/{site.name}"
        self._ends.add(end.subject, message, site.operator, site.path, name)
        if end.error == HANG:
            self._ends.add_hang(end.subject, site.operator, name)
        else:
            self._ends.add_death(end.subject, message, site.operator, site.path, name)

    def known(self, subject: str, site: MutationSite) -> str:
        """The case from which a site is known to end a codec; empty if it is not known to."""
        if self._is_open_case(site):
            return ""
        place, everywhere = (self._message, site.operator, site.path), not self.every_place
        return (
            self._ends.known(subject, *place, everywhere=everywhere)
            or self._expected.known(subject, *place, everywhere=everywhere)
            or self._expected.known("", *place, everywhere=everywhere)
        )

    def hanging(self, subject: str, site: MutationSite) -> str:
        """The case from which a site's operator is known to hang a codec at any field; empty if none is."""
        if self._is_open_case(site):
            return ""
        return (
            self._ends.hanging(subject, site.operator)
            or self._expected.hanging(subject, site.operator)
            or self._expected.hanging("", site.operator)
        )

    def skip(self, subject: str, site: MutationSite, same_as: str) -> None:
        """Keep the site of a question that was abandoned because a reported case has the same cause."""
        self._ends.add(subject, self._message, site.operator, site.path, same_as)

    def _is_open_case(self, site: MutationSite) -> bool:
        """Return whether a ledger names the question, which has not ended the codec yet in this run."""
        if self.cell is None or not self._cases:
            return False
        return f"{self.cell.message}/{self.cell.version}/{site.name}" in self._cases

    @property
    def _message(self) -> str:
        return "" if self.cell is None else self.cell.message


class _EndsByOperator:
    """Ends of codecs, by operator: at fields of messages, and everywhere."""

    def __init__(self) -> None:
        self._at: dict[tuple[str, str, str, str], str] = {}
        self._places: dict[tuple[str, str], set[tuple[str, str]]] = {}
        self._everywhere: dict[tuple[str, str], str] = {}
        self._hanging: dict[tuple[str, str], str] = {}

    def add(self, subject: str, message: str, operator: str, path: str, case: str) -> None:
        """Keep one field at which an operator ends a codec."""
        self._at.setdefault((subject, message, operator, path), case)

    def add_hang(self, subject: str, operator: str, case: str) -> None:
        self._hanging.setdefault((subject, operator), case)

    def add_death(self, subject: str, message: str, operator: str, path: str, case: str) -> None:
        """Keep one field at which an operator ends a codec's process."""
        self.add(subject, message, operator, path, case)
        places = self._places.setdefault((subject, operator), set())
        places.add((message, path))
        if len(places) >= _WIDESPREAD_DEATHS:
            self._everywhere.setdefault((subject, operator), case)

    def known(self, subject: str, message: str, operator: str, path: str, *, everywhere: bool) -> str:
        """The case of an operator at a field; empty where none is known.

        Args:
            everywhere: whether an operator that hangs the codec, or ends it at many fields, counts here too.
        """
        found = self._at.get((subject, message, operator, path), "")
        if found or not everywhere:
            return found
        by_operator = subject, operator
        return self._hanging.get(by_operator) or self._everywhere.get(by_operator, "")

    def hanging(self, subject: str, operator: str) -> str:
        """The case from which an operator is known to hang a codec; empty if none is known."""
        return self._hanging.get((subject, operator), "")


def skips_values(same_as: str) -> bool:
    """Return whether the skipped questions of this cause were valid values, not malformed bytes."""
    return _OF in same_as


def _ignore(_: CodecEnd) -> None:
    """Take no notice."""


class FatalSites:
    """The ends of one codec: the sites of malformed bytes, and the number of valid values.

    Args:
        subject: the codec.
        budget: shared by all codecs of this process.
    """

    def __init__(self, subject: str, budget: HangBudget | None = None) -> None:
        self.subject = subject
        self.budget = HangBudget() if budget is None else budget
        self._values: Counter[tuple[str, bool]] = Counter()
        self._answered: set[str] = set()
        self._dead: set[str] = set()
        self._first: dict[str, tuple[str, str]] = {}

    def forgive(self) -> None:
        """Forget how often valid values ended the codec, because another subject begins."""
        self._values.clear()
        self._answered.clear()
        self._dead.clear()
        self._first.clear()

    def answered(self, site: MutationSite | None) -> None:
        """Note that the codec answered: the question's operation does not end it at every valid value."""
        if site is not None and site.right:
            self._answered.add(site.operator)

    def ended_before(self, request: str) -> tuple[str, str] | None:
        """The error and its words, if this was the first valid value of its operation and it ended the codec.

        None for any other question. A judge that asks the question again gets the same answer.
        """
        return self._first.get(request)

    def add(self, site: MutationSite | None, error: str, words: str, request: str = "") -> None:
        """Keep the site of a question that ended the codec, and notify of it."""
        site = site or _SOME_VALUE
        if site.right:
            self._values[site.operator, error == HANG] += 1
            if site.operator and site.operator not in self._answered:
                self._dead.add(site.operator)
                self._first[request] = error, words
        end = CodecEnd(self.subject, error, words, site.name, str(site), self.budget.left_s, site)
        self.budget.learn(end, self.budget.cell)
        self.budget.notify(end)

    def same_as(self, site: MutationSite | None) -> str:
        """The case that ended the codec for the same cause (for valid values, cell and operation); empty if
        none is known.

        After some ends that no single question causes, all questions of the cell have the same cause.
        """
        if together := self._had_enough_values(_SOME_VALUE):
            return together
        if site is None or site.right:
            return self._had_enough_values(site or _SOME_VALUE)
        return self.budget.known(self.subject, site)

    def doubted(self, site: MutationSite | None) -> str:
        """The case of a known hang because of which a question gets a short time limit; empty if it gets the
        usual limit. Only a thorough run asks such questions."""
        if site is None or site.right or not self.budget.every_place:
            return ""
        return self.budget.hanging(self.subject, site)

    def skip(self, site: MutationSite, same_as: str) -> None:
        """Skip the field of a doubted question that had no answer in its short time."""
        self.budget.skip(self.subject, site, same_as)

    def _had_enough_values(self, site: MutationSite) -> str:
        ended, hung = self._values[site.operator, False], self._values[site.operator, True]
        cause = f"{self.budget.cell_id or 'this cell'}{_OF}{site}"
        if site.operator in self._dead:
            return f"{cause}{_AT_FIRST}"
        return cause if ended >= _MOST_VALUES or hung >= _MOST_VALUES_HUNG else ""

    def had_enough(self, site: MutationSite | None, verdict_s: float = 0.0) -> str:
        """The reason to leave out a question of no known cause; empty if it may be asked.

        Once no time is left to judge another hang, no malformed bytes are asked. If any other question is
        suspected after that, no question at all is asked.

        Args:
            verdict_s: the processor time that is needed to report a question that hangs.
        """
        budget = self.budget
        malformed = site is not None and not site.right
        if budget.closed or (malformed and budget.all_spent_s and budget.left_s < verdict_s):
            return f"not asked: {budget.all_spent_s:.0f} s of this run were spent on hangs"
        return ""

    def cannot_judge(self, verdict_s: float) -> bool:
        """Return whether no time is left to repeat a suspected question; then no more questions are asked.

        Args:
            verdict_s: as in `had_enough`; about half of it was spent when the question was suspected.
        """
        if self.budget.left_s < verdict_s / 2:
            self.budget.closed = True
        return self.budget.closed
