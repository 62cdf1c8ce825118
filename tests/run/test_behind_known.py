"""A known deviation of a case hides no other one: bytes and values after it are compared again."""

import io
from datetime import date, timedelta
from typing import Any

import pytest

from tests.run import doubly_deviant_codecs as codecs
from tests.support.environments import small_environment
from tests.support.environments.ledgers import CATALOGUE
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Phase
from wireproof.proof.run.core.cell_events import FailedCase
from wireproof.proof.run.core.environment import all_cells
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunFooter, RunHeader
from wireproof.verdict.ledger.accepting import Terms, accept
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.files.event_reading import read_events
from wireproof.verdict.ledger.files.ledger_reading import read_ledger
from wireproof.verdict.ledger.files.repairing import added
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.report.events.event_json import EventFile

CELLS = [cell for cell in all_cells(small_environment.schemas()) if cell.message == "PingRequest"]
TODAY = date.today()
TERMS = Terms(ReasonKind.BUG, "me", TODAY, TODAY + timedelta(days=180))
VALUES = (Phase.ENUMERATED,)


def run(wrong: Any, phases: tuple[Phase, ...], ledger: Ledger | None = None) -> list[Any]:
    options = RunOptions(phases=phases, examples=30, shrink_s=0, known=ledger)
    return list(small_environment.engine(small_environment.make(wrong=wrong), options).run(CELLS))


def code(events: list[Any]) -> ExitCode:
    return next(each for each in events if isinstance(each, RunFooter)).exit_code


def ledger_of(wrong: Any, phases: tuple[Phase, ...]) -> Ledger:
    """Return a ledger that accepts all divergences of a codec."""
    stream = io.StringIO()
    listener = EventFile(stream)
    subjects = ("kafkawire[compiled]", "kafkawire[interpreted]")
    listener(RunHeader("1", (), 0, ("1.0.0",), {}, subjects, phases, len(CELLS), {}))
    for event in run(wrong, phases):
        listener(event)
    empty = read_ledger(added("", ()), "")
    new = accept(empty, read_events(stream.getvalue().splitlines()), TERMS, CATALOGUE).new
    return read_ledger(added("", new), "")


def found(events: list[Any]) -> set[tuple[str, str, str]]:
    """Return check, field and kind of all failures."""
    failed = [each for each in events if isinstance(each, FailedCase)]
    causes = [divergence.cause for each in failed for divergence in each.divergences]
    return {(check, field, kind) for check, field, _, kind in causes}


@pytest.mark.parametrize(
    ("known", "worse", "field", "phases"),
    [
        (codecs.TagsLost, codecs.AndAByteMore, "_tags", VALUES),
        (codecs.TagsLost, codecs.AndAByteMore, "_tags", (Phase.FRAME,)),
        (codecs.NullLost, codecs.AndAnotherNumber, "count", VALUES),
        (codecs.NullLost, codecs.AndAnElementMore, "hops", VALUES),
        (codecs.NullMisread, codecs.AndAnElementRead, "hops", VALUES),
        (codecs.NullMisread, codecs.AndTagsMadeUp, "_tags", VALUES),
    ],
)
def test_a_fault_after_a_known_deviation_fails(known: Any, worse: Any, field: str, phases: Any):
    """With the ledger of the old codec a run of the codec with one more bug fails, at that bug's field."""
    ledger = ledger_of(known, phases)
    assert ledger.entries
    assert code(run(known, phases, ledger)) is ExitCode.PROVEN

    events = run(worse, phases, ledger)
    assert code(events) is ExitCode.DIVERGENCE
    assert field in {place for _, place, _ in found(events)}


@pytest.mark.parametrize(
    "wrong",
    [
        codecs.AndAByteMore,
        codecs.AndAnotherNumber,
        codecs.AndAnElementMore,
        codecs.AndAnElementRead,
        codecs.AndTagsMadeUp,
    ],
)
def test_faults_after_another_are_accepted_with_it(wrong: Any):
    """The ledger of one run explains all differences of the next one, also those that the first run hid."""
    assert code(run(wrong, VALUES, ledger_of(wrong, VALUES))) is ExitCode.PROVEN


def test_a_fault_after_a_known_deviation_names_the_entry():
    """There is one cause, the number; the message names the entry that explains the divergence before it."""
    ledger = ledger_of(codecs.NullLost, VALUES)
    events = run(codecs.AndAnotherNumber, VALUES, ledger)
    assert found(events) == {("bytes", "count", "differs")}
    (failed, *_) = [each for each in events if isinstance(each, FailedCase)]
    entry = next(each.id for each in ledger.entries if each.check == "bytes")
    assert failed.divergences[0].near == f"{entry} explains only what comes before it"


def test_without_a_ledger_only_the_first_difference_is_reported():
    """Later differences may follow from the first, and would be a cause for each field."""
    assert {place for _, place, _ in found(run(codecs.AndAnotherNumber, VALUES))} == {"name"}


def test_a_fault_in_every_case_hides_no_other_bug():
    """The array differs after the number that is wrong everywhere, and is reported as a failure of its
    own."""
    events = run(codecs.AlwaysAnotherNumber, VALUES)
    heads = {each.divergences[0].cause[1] for each in events if isinstance(each, FailedCase)}
    assert {"count", "hops"} <= heads
    divergences = [each for event in events if isinstance(event, FailedCase) for each in event.divergences]
    near = {each.near for each in divergences if each.path == "hops"}
    assert "after decode count, which every case shows" in near
