"""The ledger of a run, and the one cause that a run tries again."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import Final

from kafkawire.schema import compare_layouts
from wireproof.app.assembly.inputs.bundled_schemas import snapshots, with_primitives
from wireproof.app.assembly.inputs.cell_lookup import cell_in
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.files.replacement import write_output
from wireproof.base.text.parsing import read_text
from wireproof.base.text.wording import did_you_mean, echo
from wireproof.kafka.releases.release_table import table
from wireproof.model.cell import CaseId, Cell, Phase
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.run.core.environment import Layouts, all_cells
from wireproof.proof.run.core.run_events import AcceptedDeviation
from wireproof.proof.run.engine.engine import Audit
from wireproof.verdict.ledger.accepting import Terms, accept
from wireproof.verdict.ledger.audit import AuditScope, audit
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.files.event_reading import read_events
from wireproof.verdict.ledger.files.ledger_reading import NEW_FILE, LedgerError, read_ledger
from wireproof.verdict.ledger.known_causes import is_same
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.ledger.repairs import Catalogue, command_line
from wireproof.verdict.report.events.event_reader import EventFileError, read_event_file
from wireproof.verdict.report.lines.cause_outcome import LAST_CAUSES
from wireproof.verdict.report.run_summary import RunSummary

NO_LEDGER: Final = "none"
"""The value of ``--ledger`` for a run without any ledger, not even the testee's own."""


def ledger_path(named: str | None, own: str | None) -> str | None:
    """The ledger that ``--ledger`` names, else the testee's own; None for no ledger."""
    path = named or own
    return None if path == NO_LEDGER else path


@dataclass(frozen=True, slots=True)
class LedgerInUse:
    """The ledger of a run; empty if there is none.

    Attributes:
        terms: the terms of its entries, by id.
        of: the codec version of the ledger, if another version is under test; then no run audits the ledger.
    """

    known: Ledger | None = None
    audit: Audit | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    of: str = ""
    terms: Mapping[str, AcceptedDeviation] = field(default_factory=dict)


def use_ledger(
    ledger: Ledger | None, phases: Collection[Phase], asked: AuditScope | None = None
) -> LedgerInUse:
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
    """The ledger in a file; `FatalError` if the file cannot be read, or is not a ledger."""
    ledger = read_ledger(ledger_text(path), path)
    if ledger.outdated:
        repair = command_line("migrate", path)
        echo(f"{path} was written by an older wireproof; type: {repair}", err=True)
    return ledger


def read_current(path: str) -> tuple[str, Callable[[str], str]]:
    """Return the text of a ledger to edit, in the present format, and a function from old to present ids.

    The text of a file with faults is unchanged, because the edits may repair it.
    """
    from wireproof.verdict.ledger.files.repairing import migrated

    text = ledger_text(path)
    try:
        current, _ = migrated(text)
        return current, read_ledger(current, path).resolved
    except LedgerError:
        return text, str


def ledger_text(path: str) -> str:
    """The text of a file; `FatalError` if it cannot be read."""
    try:
        return read_text(Path(path))
    except OSError as error:
        advice = "`wireproof ledger accept` writes one from a run's events."
        raise FatalError(f"cannot read {path}: {error.strerror}", advice) from error
    except ValueError as error:
        raise FatalError(f"{path} is not valid: {error}", "", ExitCode.LEDGER) from error


def write_text(path: str, text: str, before: str = "") -> None:
    """Replace the text of a file in one step, so that a reader sees either the old or the new text.

    Args:
        before: the old text. If it is a valid ledger, the new text must be valid, too.

    Raises:
        FatalError: the file cannot be written, or the text is not a ledger. The file is unchanged.
    """
    fault = _fault_of(text, path)
    if fault is not None and _fault_of(before, path) is None:
        raise FatalError(f"{path} is left as it was; this would be no ledger:\n{fault}", "", ExitCode.LEDGER)
    with as_fatal(OSError, what=f"cannot write {path}: "):
        write_output(Path(path), text)


def _fault_of(text: str, path: str) -> str | None:
    try:
        read_ledger(text or NEW_FILE, path)
    except LedgerError as error:
        return str(error)
    return None


@cache
def catalogue() -> Catalogue:
    """The cells of every known release, from the project's own snapshots, which are read once."""
    known = snapshots(table().choose("all"))
    releases = {release: with_primitives(schemas) for release, schemas in known.items()}
    layouts = Layouts(releases)

    def same_layout(message: str, version: int, one: str, other: str) -> bool:
        pair = (layouts.of(cell_in(releases[release], message, version)) for release in (one, other))
        return not compare_layouts(*pair)

    cells = (cell for schemas in releases.values() for cell in all_cells(schemas))
    return Catalogue(cells, same_layout)


@dataclass(frozen=True, slots=True)
class TriedCause:
    """A cause that a run tries again, with the other known deviations of the codec.

    Attributes:
        cells: the cells that showed it; empty for every cell of the deviation's scope.
        message: the one message to try for a cause of every message; empty for all messages.
        phases: the phases that showed it; empty for all.
        ledger: all known deviations, without the cause.
    """

    id: str
    deviation: Deviation
    cells: frozenset[Cell]
    phases: frozenset[Phase]
    ledger: Ledger
    message: str = ""

    def shows_in(self, cell: Cell) -> bool:
        """Test if the cause is about a cell."""
        if self.cells:
            return cell in self.cells
        return self.message in ("", cell.message) and self.deviation.covers(cell.message, cell.version)


def find_cause(config: RunConfig, testee: str, own_ledger: str | None) -> TriedCause | None:
    """Return the cause that a run's options name; None if they name none.

    The ledger is asked first, then the events of the last run.
    """
    if config.cause is None:
        return None
    path = ledger_path(config.ledger, None if config.ledger == NO_LEDGER else own_ledger)
    ledger = Ledger(()) if path is None else open_ledger(path)
    source = LAST_CAUSES if config.cause_from is None else config.cause_from
    for cause in ledger.causes if config.cause_from is None else ():
        if cause.id == config.cause:
            others = replace(ledger, causes=tuple(each for each in ledger.causes if each is not cause))
            shown = CaseId.parse(cause.case) if cause.case else None
            phases = frozenset({shown.phase} if shown else ())
            message = shown.cell.message if shown and not cause.deviation.scope else ""
            return TriedCause(cause.id, cause.deviation, frozenset(), phases, others, message)
    summary = _last_run(source, testee, is_named=config.cause_from is not None)
    ranked = summary.causes.ranked()
    for found in ranked:
        if found.id == config.cause:
            known = _accepted(ledger, source)
            left = (each for each in known.causes if not is_same(each.deviation, found.deviation))
            others = replace(known, causes=tuple(left))
            return TriedCause(
                found.id, found.deviation, frozenset(found.cells), frozenset(found.phases), others
            )
    ids = [*(each.id for each in ledger.causes), *(each.id for each in ranked)]
    advice = did_you_mean(config.cause, ids, f"The causes are {', '.join(ids)}." if ids else "")
    raise FatalError(
        f"there is no cause {config.cause!r} in the ledger, nor in the last run of {testee or 'this codec'}",
        advice or f"`wireproof run --testee {testee}` finds causes.",
    )


def _last_run(path: Path, testee: str, *, is_named: bool) -> RunSummary:
    """Return the last run; an empty one if there is no record of it, or if it is of another codec."""
    summary = RunSummary()
    if not (is_named or path.is_file()):
        return summary
    try:
        for event in read_event_file(path):
            summary(event)
    except (OSError, EventFileError) as error:
        if not is_named:
            return RunSummary()  # the record of another wireproof
        raise FatalError(f"cannot read {path}: {error}") from error
    return summary if is_named or summary.testee == testee else RunSummary()


def _accepted(ledger: Ledger, events: Path) -> Ledger:
    """Return a ledger with everything that a run found, so that these findings fail no other run."""
    today = date.today()
    terms = Terms(ReasonKind.BUG, "wireproof", today, today)
    try:
        with events.open(encoding="utf-8") as lines:
            return accept(ledger, read_events(lines), terms, catalogue()).applied(ledger)
    except (OSError, LedgerError) as error:
        raise FatalError(f"cannot read {events}: {error}") from error
