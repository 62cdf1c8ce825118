"""The ledger of one testee's known deviations.

A run is handed a `Ledger` (as `wireproof.model.Known`) and an `audit` for its end; it imports nothing of this
package.
"""

from wireproof.ledger.accepting import Accepted, Terms, accept
from wireproof.ledger.audit import LIFETIME, Asked, audit, check_alone
from wireproof.ledger.catalogue import Catalogue
from wireproof.ledger.entry import Entry, ReasonKind
from wireproof.ledger.event_reading import Seen, all_seen, read_events
from wireproof.ledger.evidence import Evidence, Location, parse_words
from wireproof.ledger.ledger import Ledger
from wireproof.ledger.reading import KIND, NEW_FILE, LedgerError, command_line, read_ledger
from wireproof.ledger.repairs import Fault
from wireproof.ledger.spans import Extent, Releases, Versions
from wireproof.ledger.together import Together

__all__ = [
    "KIND",
    "LIFETIME",
    "NEW_FILE",
    "Accepted",
    "Asked",
    "Catalogue",
    "Entry",
    "Evidence",
    "Extent",
    "Fault",
    "Ledger",
    "LedgerError",
    "Location",
    "ReasonKind",
    "Releases",
    "Seen",
    "Terms",
    "Together",
    "Versions",
    "accept",
    "all_seen",
    "audit",
    "check_alone",
    "command_line",
    "parse_words",
    "read_events",
    "read_ledger",
]
