"""Requests that a codec did not get because it ended too often: neither a failure nor a proof."""

from tests.support.environments import small_environment
from tests.support.environments.ledgers import CATALOGUE, entry
from tests.wireproof.proof.run.engine import crashing_codecs
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Phase
from wireproof.proof.run.core.cell_events import CellResult, FailedCase
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunEvent, RunFooter
from wireproof.proof.run.engine.engine import Engine
from wireproof.verdict.ledger.audit import audit
from wireproof.verdict.ledger.ledger import Ledger

CELLS = [small_environment.cell("PingRequest", 2), small_environment.cell("PingResponse", 0)]
PHASES = (Phase.ENUMERATED, Phase.FRAME, Phase.EVOLUTION)


def run(*phases: Phase) -> list[RunEvent]:
    return list(Engine(crashing_codecs.make, RunOptions(phases=phases)).run(CELLS))


def done(events: list[RunEvent]) -> dict[str, CellResult]:
    return {event.cell.message: event for event in events if isinstance(event, CellResult)}


def footer(events: list[RunEvent]) -> RunFooter:
    return next(event for event in events if isinstance(event, RunFooter))


def test_a_case_that_was_not_asked_makes_the_run_incomplete() -> None:
    """Such a case is counted, fails no check and requires no class of values. The exit code is 7."""
    events = run(*PHASES)
    assert not [event for event in events if isinstance(event, FailedCase)]
    cells = done(events)
    assert cells["PingRequest"].not_asked > 100
    assert cells["PingResponse"].not_asked == 0
    assert not any(each.coverage is None or each.coverage.below_floor for each in cells.values())
    assert all("not-asked" not in each.unsupported for each in cells.values())
    end = footer(events)
    assert end.exit_code is ExitCode.BELOW_FLOOR
    assert (end.totals.not_asked, end.totals.cells_not_whole) == (cells["PingRequest"].not_asked, 1)


def test_malformed_inputs_that_were_not_asked_are_counted() -> None:
    """Of the inputs of a cell three are judged, one is left out by a limit, and the rest is reported as not
    asked."""
    events = run(Phase.MUTATIONS)
    cells = done(events)
    assert cells["PingRequest"].cases[Phase.MUTATIONS] == 4
    assert cells["PingRequest"].unsupported == {"enum": 1}
    assert cells["PingRequest"].not_asked > 100
    assert footer(events).exit_code is ExitCode.BELOW_FLOOR


def test_no_entry_is_stale_if_cases_were_not_asked() -> None:
    """The cause of an entry may have been in a request that was not asked."""
    (event,) = (each for each in done(run(*PHASES)).values() if each.not_asked)
    known = entry(versions="2", releases=event.cell.release)
    today = known.since
    assert not audit(Ledger((known,)), [event], phases=PHASES, catalogue=CATALOGUE, today=today)
