"""The cause that ``wireproof run --cause`` tries: of the ledger, or of the last run."""

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from wireproof.app.assembly.ledgers.ledger_in_use import NO_LEDGER, catalogue, ledger_path, open_ledger
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.wording import did_you_mean
from wireproof.model import CaseId, Cell, Phase
from wireproof.proof.config import RunConfig
from wireproof.proof.deviations import Deviation
from wireproof.verdict.ledger import Ledger, LedgerError, ReasonKind, Terms, accept, read_events
from wireproof.verdict.ledger.known_causes import is_same
from wireproof.verdict.report.events.event_reader import EventFileError, read_event_file
from wireproof.verdict.report.lines.cause_outcome import LAST_CAUSES
from wireproof.verdict.report.run_summary import RunSummary


@dataclass(frozen=True, slots=True)
class TriedCause:
    """A cause that a run tries again, with what else is known of the codec.

    Attributes:
        cells: those that showed it; empty for every cell of the deviation's scope.
        message: of a cause of every message the one that is tried; empty for all.
        phases: those that showed it; empty for all.
        ledger: all that is known, without the cause.
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

    Args:
        testee: the word that names the codec.
        own_ledger: the file of the testee's ledger; None if it has none.

    Raises:
        FatalError: there is no such cause, or a file cannot be read.
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
        ExitCode.USAGE,
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
        raise FatalError(f"cannot read {path}: {error}", "", ExitCode.USAGE) from error
    return summary if is_named or summary.testee == testee else RunSummary()


def _accepted(ledger: Ledger, events: Path) -> Ledger:
    """Return a ledger with everything else that a run found, so that it fails no other run."""
    today = date.today()
    terms = Terms(ReasonKind.BUG, "wireproof", today, today)
    try:
        with events.open(encoding="utf-8") as lines:
            return accept(ledger, read_events(lines), terms, catalogue()).applied(ledger)
    except (OSError, LedgerError) as error:
        raise FatalError(f"cannot read {events}: {error}", "", ExitCode.USAGE) from error
