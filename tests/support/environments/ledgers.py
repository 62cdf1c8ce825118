"""Entries of a ledger, and cells as a run reports them, for tests."""

from dataclasses import replace
from datetime import date
from typing import Any

from tests.support.environments import small_environment
from wireproof.model.agreement import ObservedCause, ObservedDeviation
from wireproof.model.cell import Cell, FramePart, Phase
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.proof.run.core.environment import all_cells
from wireproof.verdict.ledger.entry import Entry, ReasonKind
from wireproof.verdict.ledger.evidence import Evidence, Location
from wireproof.verdict.ledger.repairs import Catalogue
from wireproof.verdict.ledger.spans import Releases, Versions

TODAY = date(2026, 11, 21)
CATALOGUE = Catalogue(all_cells(small_environment.schemas()))

ENTRY = Entry(
    id="ping-null",
    message="PingRequest",
    versions=Versions.parse("1-3"),
    releases=Releases(),
    check="bytes",
    kind="differs",
    reason_kind=ReasonKind.BUG,
    reason="null is written as empty",
    owner="me",
    since=TODAY,
    expires=date(2027, 5, 20),
    field="name",
    phases=(Phase.ENUMERATED,),
)

TEXT = """\
# Known.
format = 7

# Reported to them.
[[deviation]]
reason-kind = "bug"
reason = "null is written as empty"
owner = "me"
entries = [
  { id = "ping-null", message = "PingRequest", versions = "1-3", field = "name", check = "bytes", \
kind = "differs", phases = ["enumerated"], since = 2026-11-21, expires = 2099-05-20 },
]
"""

OLD_TEXT = """\
# Known.
format = 6

# Reported to them.
[[entry]]
id = "ping-null"   # a name
message = "PingRequest"
versions = "1-3"
field = "name"
check = "bytes"
kind = "differs"
phases = ["enumerated"]
reason-kind = "bug"
reason = "null is written as empty"
owner = "me"
since = 2026-11-21
expires = 2099-05-20
"""
"""The same, as wireproof 0.1.0 wrote it before format 7."""


def entry(**parts: Any) -> Entry:
    """`ENTRY` with other parts; versions and releases as text."""
    if "versions" in parts:
        parts["versions"] = Versions.parse(parts["versions"])
    if "releases" in parts:
        parts["releases"] = Releases.parse(parts["releases"])
    return replace(ENTRY, **parts)


def place(
    version: int, field: str = "name", message: str = "PingRequest", part: FramePart = FramePart.MESSAGE
) -> Location:
    """A place of the small release."""
    return Location(part, message, version, field)


def wild(*places: Location, **parts: Any) -> Entry:
    """An entry for all messages that was observed at some places."""
    plain = {"id": "wild", "message": "*", "versions": "all", "field": "", "type": "string"}
    return entry(**{**plain, "seen": Evidence.of(places), **parts})


def shown(entry_id: str, *fields: str, part: FramePart = FramePart.MESSAGE) -> tuple[ObservedDeviation, ...]:
    """The places of a cell at which an entry explained something."""
    return tuple(ObservedDeviation(entry_id, part, field, 2) for field in fields)


def done(version: int, *known: str, message: str = "PingRequest", **parts: Any) -> CellResult:
    """A cell of the small release that was judged, and the entries it met."""
    cell = Cell(parts.pop("release", small_environment.RELEASE), "clients", message, version)
    met = dict.fromkeys(known, 2)
    return CellResult(cell, {Phase.ENUMERATED: 50}, 500, parts.pop("failed", 0), 0.1, known=met, **parts)


def cause(version: int, **parts: Any) -> ObservedCause:
    """Make a cause as the environment's codec shows it."""
    case = f"1.0.0/PingRequest/{version}/enumerated/name/null"
    plain = ObservedCause(
        Phase.ENUMERATED,
        "bytes",
        "codec",
        "name",
        "string",
        "differs",
        2,
        case,
        "the bytes differ from Kafka's",
    )
    return replace(plain, **parts)
