"""Counts of a testee's deviations in a run: causes that nothing explains, and those that are known."""

from dataclasses import dataclass

from wireproof.model.cell import FramePart, Phase


@dataclass(frozen=True, slots=True)
class ObservedCause:
    """One cause of failures that nothing explains, as one phase of a cell met it.

    Attributes:
        check, subject, kind: those of the divergences.
        part: of the cell, in which they are.
        field: the path without indices; ``""`` is the message.
        type: of the field; empty where it is not known.
        cases: in how many cases.
        case_id: the first of them.
        summary: one sentence.
    """

    phase: Phase
    check: str
    subject: str
    field: str
    type: str
    kind: str
    cases: int
    case_id: str
    summary: str
    part: FramePart = FramePart.MESSAGE


@dataclass(frozen=True, slots=True)
class ObservedDeviation:
    """A place of a cell at which a known deviation showed.

    Attributes:
        entry: the id of the ledger's entry that explained it.
        part: of the cell.
        field: the path without indices; ``""`` is the message.
        cases: in how many cases.
    """

    entry: str
    part: FramePart
    field: str
    cases: int


@dataclass(frozen=True, slots=True)
class LedgerProblem:
    """A problem of an entry of the ledger.

    Attributes:
        entry: its id; ``bounds`` if the problem is about the bounds of the ledger.
        fault: in a word: ``passed``, ``over-broad``, ``stale``, ``other-kind``, ``no-evidence``,
            ``doubled``, ``expired``, ``expires-soon``; ``exceeded`` is of the ledger's bounds.
        message: one sentence.
        repair: the command to type: it never makes an entry explain more than it does. Empty where a person
            has to decide.
        fails: False for a warning.
    """

    entry: str
    fault: str
    message: str
    repair: str
    fails: bool = True

    @property
    def lines(self) -> list[str]:
        """The message, and the command to type if there is one."""
        return [self.message, *([f"type: {self.repair}"] if self.repair else [])]
