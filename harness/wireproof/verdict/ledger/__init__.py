"""The ledger of one testee's known deviations.

A run receives a `Ledger` (as `wireproof.proof.run.KnownDeviations`) and an `audit` for its end. The package
`run` imports nothing of this package.
"""

from wireproof.verdict.ledger.accepting import Acceptance, Terms, accept
from wireproof.verdict.ledger.audit import LIFETIME, AuditScope, audit, check_alone
from wireproof.verdict.ledger.bounds import CountScope
from wireproof.verdict.ledger.entry import Entry, ReasonKind
from wireproof.verdict.ledger.evidence import Evidence, parse_words
from wireproof.verdict.ledger.files.event_reading import ObservedCauses, merged_causes, read_events
from wireproof.verdict.ledger.files.ledger_reading import NEW_FILE, LedgerError, read_ledger
from wireproof.verdict.ledger.known_causes import LedgerCause
from wireproof.verdict.ledger.ledger import CombinedLedger, Ledger
from wireproof.verdict.ledger.repairs import Catalogue, EntryFault, command_line
from wireproof.verdict.ledger.spans import Extent, Versions

__all__ = [
    "LIFETIME",
    "NEW_FILE",
    "Acceptance",
    "AuditScope",
    "Catalogue",
    "CombinedLedger",
    "CountScope",
    "Entry",
    "Evidence",
    "Extent",
    "EntryFault",
    "Ledger",
    "LedgerCause",
    "LedgerError",
    "ReasonKind",
    "ObservedCauses",
    "Terms",
    "Versions",
    "accept",
    "merged_causes",
    "audit",
    "check_alone",
    "command_line",
    "parse_words",
    "read_events",
    "read_ledger",
]
