"""The ledger's file: read, written, and handed to a run."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

from kafkawire.schema import compare_layouts
from wireproof.app.assembly.inputs.cell_lookup import cell_in
from wireproof.app.assembly.inputs.run_inputs import with_primitives
from wireproof.app.assembly.inputs.schema_snapshots import snapshots
from wireproof.base.fatal import FatalError
from wireproof.base.files import write_output
from wireproof.base.text.output import echo
from wireproof.base.text.parsing import read_text
from wireproof.kafka.releases import table
from wireproof.model import Phase
from wireproof.proof.run import AcceptedDeviation, Audit, ExitCode, Layouts, all_cells
from wireproof.verdict.ledger import (
    NEW_FILE,
    AuditScope,
    Catalogue,
    Ledger,
    LedgerError,
    audit,
    command_line,
    read_ledger,
)

NO_LEDGER: Final = "none"
"""In place of a file: not even that of the testee."""


def ledger_path(named: str | None, own: str | None) -> str | None:
    """The ledger that ``--ledger`` names, else the testee's own; None for no ledger."""
    path = named or own
    return None if path == NO_LEDGER else path


@dataclass(frozen=True, slots=True)
class LedgerInUse:
    """The ledger of a run; empty if there is none.

    Attributes:
        terms: the terms of its entries, by id.
        of: the version of the codec that it is about, if another is under test; then no run audits it.
    """

    known: Ledger | None = None
    audit: Audit | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    of: str = ""
    terms: Mapping[str, AcceptedDeviation] = field(default_factory=dict)


def use_ledger(
    ledger: Ledger | None, phases: Collection[Phase], asked: AuditScope | None = None
) -> LedgerInUse:
    """A ledger for a run of these phases."""
    if ledger is None:
        return LedgerInUse()
    today = date.today()
    judge = partial(audit, ledger, phases=frozenset(phases), catalogue=catalogue(), today=today, asked=asked)
    terms = {
        each.id: AcceptedDeviation(
            each.check, each.since.isoformat(), each.expires.isoformat(), each.owner, each.link
        )
        for each in ledger.entries
    } | {
        each.id: AcceptedDeviation(
            each.deviation.trigger, each.since.isoformat(), each.expires.isoformat(), each.owner, each.link
        )
        for each in ledger.causes
    }
    return LedgerInUse(ledger, judge, ledger.words(), terms=terms)


def open_ledger(path: str) -> Ledger:
    """The ledger in a file.

    Raises:
        FatalError: it cannot be read, or is none.
    """
    try:
        ledger = read_ledger(ledger_text(path), path)
        if ledger.outdated:
            repair = command_line("migrate", path)
            echo(f"{path} was written by an older wireproof; type: {repair}", err=True)
        return ledger
    except LedgerError as error:
        raise FatalError(str(error), "", ExitCode.LEDGER) from error


def read_current(path: str) -> tuple[str, Callable[[str], str]]:
    """The text of a ledger to be edited, in the form of today, and what its ids are now.

    A file with faults is given as it is, for edits are what repairs it.

    Raises:
        FatalError: it cannot be read.
    """
    from wireproof.verdict.ledger.files.ledger_editing import migrated

    text = ledger_text(path)
    try:
        current, _ = migrated(text)
        return current, read_ledger(current, path).resolved
    except LedgerError:
        return text, str


def ledger_text(path: str) -> str:
    """The text of a file.

    Raises:
        FatalError: it cannot be read.
    """
    try:
        return read_text(Path(path))
    except OSError as error:
        advice = "`wireproof ledger accept` writes one from a run's events."
        raise FatalError(f"cannot read {path}: {error.strerror}", advice, ExitCode.USAGE) from error
    except ValueError as error:
        raise FatalError(f"{path} is not valid: {error}", "", ExitCode.LEDGER) from error


def write_text(path: str, text: str, before: str = "") -> None:
    """Put a text in place of a file at once: a reader sees the old one or the new one.

    Args:
        before: what the file held. Where that was a ledger, the text has to be one.

    Raises:
        FatalError: it cannot be written, or is not a ledger; then the file is as it was.
    """
    fault = _fault_of(text, path)
    if fault is not None and _fault_of(before, path) is None:
        raise FatalError(f"{path} is left as it was; this would be no ledger:\n{fault}", "", ExitCode.LEDGER)
    try:
        write_output(Path(path), text)
    except OSError as error:
        raise FatalError(f"cannot write {path}: {error.strerror}", "", ExitCode.USAGE) from error


def _fault_of(text: str, path: str) -> str | None:
    try:
        read_ledger(text or NEW_FILE, path)
    except LedgerError as error:
        return str(error)
    return None


def catalogue() -> Catalogue:
    """The cells of every release that is known, from the project's own snapshots."""
    known = snapshots(table().choose("all"))
    releases = {release: with_primitives(schemas) for release, schemas in known.items()}
    layouts = Layouts(releases)

    def same_layout(message: str, version: int, one: str, other: str) -> bool:
        pair = (layouts.of(cell_in(releases[release], message, version)) for release in (one, other))
        return not compare_layouts(*pair)

    cells = (cell for schemas in releases.values() for cell in all_cells(schemas))
    return Catalogue(cells, same_layout)
