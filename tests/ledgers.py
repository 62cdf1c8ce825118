"""Entries of a ledger, and cells as a run tells them, for tests."""

from dataclasses import replace
from datetime import date
from typing import Any

import small_bench
from wireproof.ledger import Catalogue, Entry, ReasonKind, Releases, Versions
from wireproof.model import CauseSeen, Cell, Phase
from wireproof.run import CellDone, all_cells

TODAY = date(2026, 11, 21)
CATALOGUE = Catalogue(all_cells(small_bench.schemas()))

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
format = 4

# Told to them.
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


def entry(**parts: Any) -> Entry:
    """`ENTRY` with other parts; versions and releases as text."""
    if "versions" in parts:
        parts["versions"] = Versions.parse(parts["versions"])
    if "releases" in parts:
        parts["releases"] = Releases.parse(parts["releases"])
    return replace(ENTRY, **parts)


def done(version: int, *known: str, message: str = "PingRequest", **parts: Any) -> CellDone:
    """A cell of the small release that was judged, and the entries it met."""
    cell = Cell(parts.pop("release", small_bench.RELEASE), "clients", message, version)
    shown = dict.fromkeys(known, 2)
    return CellDone(cell, {Phase.ENUMERATED: 50}, 500, parts.pop("failed", 0), 0.1, known=shown, **parts)


def cause(version: int, **parts: Any) -> CauseSeen:
    """A cause as the bench's codec shows it."""
    case = f"1.0.0/PingRequest/{version}/enumerated/name/null"
    plain = CauseSeen(
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
