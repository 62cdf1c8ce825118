"""The repairs that an audit prints.

Each repair removes an entry, or narrows it so that it explains less. So no printed command excuses a failure.
`wireproof ledger accept` does that, for a user who has looked at the finding.
"""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wireproof.model import LedgerProblem
from wireproof.verdict.ledger.entry import Entry
from wireproof.verdict.ledger.evidence import Evidence
from wireproof.verdict.ledger.spans import Extent


def command_line(command: str, source: str, *words: str) -> str:
    """Return ``wireproof ledger COMMAND --ledger FILE WORDS``, quoted for a shell."""
    return shlex.join(["wireproof", "ledger", command, "--ledger", source, *words])


_AT_ONCE: Final = 40
"""The most lines of evidence that one command removes."""


class EntryFault(StrEnum):
    """The kinds of faults of an entry."""

    PASSED = "passed"
    """Its cause was tried and showed nowhere."""
    OVER_BROAD = "over-broad"
    """It covers more versions or releases than those that show its cause."""
    STALE = "stale"
    """It is about a message or version that does not exist."""
    OTHER_KIND = "other-kind"
    """Its place fails, but in another way."""
    NO_EVIDENCE = "no-evidence"
    """It is for all messages and has no evidence of any place: it explains nothing."""
    DOUBLED = "doubled"
    """Another entry explains the same."""
    EXPIRED = "expired"
    EXCEEDED = "exceeded"
    """A run counts more of what it does not judge than the bounds allow."""
    SLACK = "slack"
    """A warning: a run of the same scope counts less than the bounds allow."""
    EXPIRES_SOON = "expires-soon"
    """A warning."""


@dataclass(frozen=True, slots=True)
class Repairs:
    """Makes the problems of a ledger, each with its repair.

    Attributes:
        source: the ledger's file, as the user wrote it.
    """

    source: str

    def narrow(
        self, entry: Entry, fault: EntryFault, message: str, left: Sequence[Extent], *, fails: bool = True
    ) -> LedgerProblem:
        """Return the problem whose repair keeps only these extents of the entry."""
        command = "narrow" if left else "remove"
        words = [word for extent in left for word in ("--to", str(extent))]
        return LedgerProblem(
            entry.id, fault, message, command_line(command, self.source, entry.id, *words), fails
        )

    def without(
        self, entry: Entry, fault: EntryFault, message: str, gone: Evidence, *, fails: bool = True
    ) -> LedgerProblem:
        """Return the problem whose repair removes these places, or the first of many, from the evidence."""
        words = gone.words()
        if not entry.seen - gone:
            repair = command_line("remove", self.source, entry.id)
            return LedgerProblem(entry.id, fault, message, repair, fails)
        if len(words) > _AT_ONCE:
            message += f"; the command removes {_AT_ONCE} of {len(words)} lines: type it, then run again"
        options = [word for each in words[:_AT_ONCE] for word in ("--without", each)]
        repair = command_line("narrow", self.source, entry.id, *options)
        return LedgerProblem(entry.id, fault, message, repair, fails)
