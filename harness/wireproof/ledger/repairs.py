"""The repairs that an audit prints.

Each leaves an entry that explains less than before, or takes it out. So nothing that a run prints excuses a
failure: that is done by `wireproof ledger accept`, by somebody who has looked at the finding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wireproof.ledger.entry import Entry
from wireproof.ledger.evidence import Evidence
from wireproof.ledger.files.ledger_reading import command_line
from wireproof.ledger.spans import Extent
from wireproof.model import LedgerProblem

__all__ = ["EntryFault", "Repairs"]

_AT_ONCE: Final = 40
"""Lines of evidence that one command takes out."""


class EntryFault(StrEnum):
    """What can be wrong with an entry."""

    PASSED = "passed"
    """What it says fails has passed, wherever it was tried."""
    OVER_BROAD = "over-broad"
    """It says more versions or releases than those that show it."""
    STALE = "stale"
    """It is about something that does not exist."""
    OTHER_KIND = "other-kind"
    """Its place fails, but in another way."""
    NO_EVIDENCE = "no-evidence"
    """It is for all messages, and names no place where it was observed: it explains nothing."""
    DOUBLED = "doubled"
    """Another entry says the same."""
    EXPIRED = "expired"
    EXPIRES_SOON = "expires-soon"
    """A warning."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """Problems of a ledger, each with its command.

    Attributes:
        source: the ledger's file, as the user wrote it.
    """

    source: str

    def narrow(
        self, entry: Entry, fault: EntryFault, message: str, left: Sequence[Extent], *, fails: bool = True
    ) -> LedgerProblem:
        """The problem whose repair leaves this much of the entry."""
        command = "narrow" if left else "remove"
        words = [word for extent in left for word in ("--to", str(extent))]
        return LedgerProblem(
            entry.id, fault, message, command_line(command, self.source, entry.id, *words), fails
        )

    def without(
        self, entry: Entry, fault: EntryFault, message: str, gone: Evidence, *, fails: bool = True
    ) -> LedgerProblem:
        """The problem whose repair takes these places out of the entry's evidence; of many the first ones."""
        words = gone.words()
        if not entry.seen - gone:
            repair = command_line("remove", self.source, entry.id)
            return LedgerProblem(entry.id, fault, message, repair, fails)
        if len(words) > _AT_ONCE:
            message += f"; the command takes out {_AT_ONCE} of {len(words)} lines: run again after it"
        options = [word for each in words[:_AT_ONCE] for word in ("--without", each)]
        repair = command_line("narrow", self.source, entry.id, *options)
        return LedgerProblem(entry.id, fault, message, repair, fails)
