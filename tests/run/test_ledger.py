"""Runs of codecs with known deviations: excused divergences, problems of the ledger, and fixes."""

import io
import shlex
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.run import deviant_codecs
from tests.support.commands.forked_command import run_command
from tests.support.environments import small_environment
from tests.support.environments.ledgers import CATALOGUE, cause, entry
from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import FramePart, Phase
from wireproof.proof.run.core.cell_events import CellResult, FailedCase
from wireproof.proof.run.core.environment import all_cells
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import LedgerFinding, RunEvent, RunFooter, RunHeader
from wireproof.verdict.ledger.accepting import Terms, accept
from wireproof.verdict.ledger.audit import audit
from wireproof.verdict.ledger.entry import Entry, ReasonKind
from wireproof.verdict.ledger.files.event_reading import read_events
from wireproof.verdict.ledger.files.ledger_reading import read_ledger
from wireproof.verdict.ledger.files.repairing import added
from wireproof.verdict.report.events.event_json import EventFile

CELLS = list(all_cells(small_environment.schemas()))
PINGS = [cell for cell in CELLS if cell.message == "PingRequest"]
TODAY = date.today()
TERMS = Terms(ReasonKind.BUG, "me", TODAY, TODAY + timedelta(days=180))

NULL = small_environment.NullAsEmpty
_DATES: dict[str, Any] = {"since": TODAY, "expires": TERMS.expires}

KNOWN = (
    entry(kind="empty-for-null", **_DATES),
    entry(id="ping-null-taken", check="refusal", kind="accepted", versions="0", **_DATES),
)
"""The deviations of `NULL`: other bytes where null is allowed, no refusal where it is not."""


@dataclass
class Ran:
    events: list[RunEvent]

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def code(self) -> ExitCode:
        return self.of(RunFooter)[0].exit_code

    @property
    def known(self) -> dict[str, int]:
        return self.of(RunFooter)[0].totals.known

    @property
    def problems(self) -> list[LedgerProblem]:
        return [event.problem for event in self.of(LedgerFinding)]

    @property
    def faults(self) -> dict[str, str]:
        return {problem.entry: problem.fault for problem in self.problems}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "known.toml"


def write(place: Path, *entries: Entry) -> None:
    place.write_text(added("", entries), encoding="utf-8")


def run(place: Path | None, wrong: Any = NULL, cells: Any = PINGS, **parts: Any) -> Ran:
    """Run with the ledger at a place, or without one if the place is None."""
    phases = parts.pop("phases", (Phase.ENUMERATED,))
    ledger = None if place is None else read_ledger(place.read_text(encoding="utf-8"), str(place))
    options = RunOptions(phases=phases, examples=50, shrink_s=0.2, known=ledger)
    judge = None
    if ledger is not None:
        judge = partial(audit, ledger, phases=phases, catalogue=CATALOGUE, today=TODAY)
    engine = small_environment.engine(small_environment.make(wrong=wrong), options, audit=judge, **parts)
    return Ran(list(engine.run(cells)))


def type_it(command: str) -> None:
    """Run the command as it was printed, in its own process."""
    words = shlex.split(command)
    assert words[0] == "wireproof"
    ran = run_command(Path.cwd(), *words[1:], env={})
    assert ran.returncode == 0, ran.stderr


def test_an_explained_divergence_does_not_fail(place: Path):
    """It is counted for its entry, no case fails, and no class of values is uncovered."""
    write(place, *KNOWN)
    ran = run(place, cells=CELLS, phases=small_environment.PHASES)

    assert ran.code is ExitCode.PROVEN
    assert set(ran.known) == {"ping-null", "ping-null-taken"}
    assert ran.of(FailedCase) == []
    assert ran.of(RunFooter)[0].totals.failed_cases == 0
    null = next(
        event for event in ran.of(CellResult) if event.cell == small_environment.cell("PingRequest", 2)
    )
    assert null.known["ping-null"] > 0
    assert null.coverage.excused
    shown = {(each.entry, each.part, each.field): each.cases for each in null.known_at}
    assert shown == {("ping-null", FramePart.MESSAGE, "name"): null.known["ping-null"]}


def test_an_unexplained_divergence_fails(place: Path):
    """The ledger has one entry for two causes: the other cause is a divergence, whatever is wrong with the
    ledger."""
    write(place, KNOWN[0], entry(id="stale", message="PongRequest"))
    ran = run(place)

    assert ran.code is ExitCode.DIVERGENCE
    assert {event.divergences[0].check for event in ran.of(FailedCase)} == {"refusal"}
    assert ran.faults == {"stale": "stale"}


def test_each_cause_of_a_run_can_be_accepted(place: Path):
    """Events become entries, which give a proven run: in one step, with Hypothesis, frames and all."""
    lines = _lines(run(None, cells=CELLS, phases=small_environment.PHASES), small_environment.PHASES)
    ledger = read_ledger(added("", ()), "")
    new = accept(ledger, read_events(lines), TERMS, CATALOGUE).new
    assert [(each.check, str(each.extent), each.subject) for each in new] == [
        ("refusal", "all/0", "kafkawire[compiled]"),
        ("bytes", "all/1-3", "kafkawire[compiled]"),
    ]
    write(place, *new)
    assert run(place, cells=CELLS, phases=small_environment.PHASES).code is ExitCode.PROVEN


def _lines(ran: Ran, phases: tuple[Phase, ...]) -> list[str]:
    stream = io.StringIO()
    listener = EventFile(stream)
    subjects = ("kafkawire[compiled]", "kafkawire[interpreted]")
    listener(RunHeader("1", (), 0, ("1.0.0",), {}, subjects, phases, len(CELLS), {}))
    for event in ran.events:
        listener(event)
    return stream.getvalue().splitlines()


def test_a_fixed_codec_ends_with_6_until_the_entry_is_removed(place: Path):
    """The printed commands leave a ledger with which the run is proven."""
    write(place, *KNOWN)
    ran = run(place, wrong=None)
    assert ran.code is ExitCode.LEDGER
    assert ran.faults == {"ping-null": "passed", "ping-null-taken": "passed"}
    for problem in ran.problems:
        type_it(problem.repair)
    assert read_ledger(place.read_text(), "").entries == ()
    assert run(place, wrong=None).code is ExitCode.PROVEN


def test_a_too_broad_entry_is_narrowed_as_printed(place: Path):
    """Version 3 was fixed: the other versions stay known."""
    write(place, *KNOWN)
    ran = run(place, wrong=deviant_codecs.null_as_empty_at_first)
    assert (ran.code, ran.faults) == (ExitCode.LEDGER, {"ping-null": "over-broad"})
    type_it(ran.problems[0].repair)
    assert str(read_ledger(place.read_text(), "").entries[0].extent) == "all/1-2"
    assert run(place, wrong=deviant_codecs.null_as_empty_at_first).code is ExitCode.PROVEN


def test_another_kind_is_a_divergence_that_names_the_entry(place: Path):
    """The codec crashes where it accepted a value that it must refuse: exit code 1, and the entry with its
    kind."""
    write(place, KNOWN[1])
    ran = run(place, wrong=deviant_codecs.NullCrashes, cells=PINGS[:1])
    assert ran.code is ExitCode.DIVERGENCE
    (failed,) = ran.of(FailedCase)
    assert failed.divergences[0].kind == "crashed:AttributeError"
    assert failed.divergences[0].near == (
        "ping-null-taken is about this place, for kind accepted; this is crashed:AttributeError"
    )
    assert [(each.fault, each.repair) for each in ran.problems] == [("other-kind", "")]


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (entry(id="odd", message="PongRequest"), "stale"),
        (entry(id="odd", field="count", versions="7-9"), "stale"),
        (entry(id="odd", versions="2", kind="empty-for-null"), "doubled"),
        (entry(id="odd", field="count", kind="invalid", versions="2-3", since=date(2020, 1, 1)), "passed"),
    ],
)
def test_another_problem_is_fixed_as_printed(place: Path, more: Entry, fault: str):
    """The known deviation stays; the command removes the other entry."""
    write(place, *KNOWN, more)
    ran = run(place)
    assert (ran.code, ran.faults) == (ExitCode.LEDGER, {"odd": fault})
    type_it(ran.problems[0].repair)
    assert run(place).code is ExitCode.PROVEN


def test_an_expired_entry_fails_until_it_is_renewed(place: Path):
    """It still explains its divergences. The run fails for its date, and prints no command that renews it."""
    old = entry(kind="empty-for-null", since=date(2020, 1, 1), expires=TODAY - timedelta(days=1))
    write(place, old, KNOWN[1])
    ran = run(place)
    assert (ran.code, ran.faults) == (ExitCode.LEDGER, {"ping-null": "expired"})
    assert ran.of(FailedCase) == []
    assert [each.repair for each in ran.problems] == [""]
    type_it(f"wireproof ledger amend --ledger {place} ping-null --expires {TERMS.expires}")
    assert run(place).code is ExitCode.PROVEN


@pytest.mark.parametrize(("days", "warned"), [(0, True), (30, True), (31, False)])
def test_an_entry_that_expires_soon_is_a_warning(place: Path, days: int, warned: bool):
    """The warning is reported from thirty days before to the last day."""
    soon = entry(kind="empty-for-null", since=date(2020, 1, 1), expires=TODAY + timedelta(days=days))
    write(place, soon, KNOWN[1])
    ran = run(place)
    assert (ran.code, ran.faults) == (ExitCode.PROVEN, {"ping-null": "expires-soon"} if warned else {})
    assert ran.of(RunFooter)[0].totals.ledger_problems == 0


@pytest.mark.parametrize(
    "part",
    [
        {"cells": [small_environment.cell("PingResponse", 1)]},
        {"cells": PINGS[:1]},
        {"phases": (Phase.FRAME,)},
        {"phases": (Phase.RANDOM,)},
        {"budget_s": 1e-6},
    ],
    ids=["another message", "another version", "another phase", "chance", "no time"],
)
def test_a_partial_run_makes_no_entry_stale(place: Path, part: dict[str, Any]):
    """The codec is right, and the entry was not tried: it has no problem."""
    write(place, KNOWN[0])
    assert run(place, wrong=None, **part).problems == []


def test_a_fault_of_state_is_known_where_it_was_observed(place: Path):
    """The codec leaves a tail unread: `accept` makes one entry for all messages from a run of some of them.
    In another message it is a finding that names the entry, until that finding is accepted."""
    some = [cell for cell in CELLS if cell.message != "PingResponse"]
    write(place)
    accept_all(place, run(place, wrong=deviant_codecs.TailIgnored, cells=some))
    (known,) = read_ledger(place.read_text(), "").entries
    assert (known.message, known.check) == ("*", "tail")
    assert run(place, wrong=deviant_codecs.TailIgnored, cells=some).code is ExitCode.PROVEN

    ran = run(place, wrong=deviant_codecs.TailIgnored, cells=CELLS)
    assert ran.code is ExitCode.DIVERGENCE
    assert {event.cell.message for event in ran.of(FailedCase)} == {"PingResponse"}
    near = {event.divergences[0].near for event in ran.of(FailedCase)}
    assert near == {
        f"{known.id} says the same of {len(known.seen.messages())} other messages (message), "
        "and was not observed in PingResponse"
    }
    assert ran.problems == []
    accept_all(place, ran)
    assert len(read_ledger(place.read_text(), "").entries) == 1
    assert run(place, wrong=deviant_codecs.TailIgnored, cells=CELLS).code is ExitCode.PROVEN
    fixed = run(place, wrong=None, cells=CELLS)
    assert (fixed.code, fixed.faults) == (ExitCode.LEDGER, {known.id: "passed"})


def test_fixed_places_are_removed_as_printed(place: Path):
    """The tail is left unread in one message alone: the printed command removes the evidence of the
    others."""
    write(place)
    accept_all(place, run(place, wrong=deviant_codecs.TailIgnored, cells=CELLS))
    ran = run(place, wrong=deviant_codecs.tail_ignored_in_pings, cells=CELLS)
    assert (ran.code, {*ran.faults.values()}) == (ExitCode.LEDGER, {"over-broad"})
    for problem in ran.problems:
        type_it(problem.repair)
    (known,) = read_ledger(place.read_text(), "").entries
    assert known.seen.messages() == ["PingRequest"]
    assert run(place, wrong=deviant_codecs.tail_ignored_in_pings, cells=CELLS).code is ExitCode.PROVEN


def accept_all(place: Path, ran: Ran) -> None:
    """Accept all divergences of a run."""
    (place.parent / "events.ndjson").write_text("\n".join(_lines(ran, (Phase.ENUMERATED,))), encoding="utf-8")
    words = f"--ledger {place} --reason-kind bug --owner me --primitives"
    type_it(f"wireproof ledger accept --from {place.parent / 'events.ndjson'} {words}")


def test_divergences_of_malformed_bytes_are_known_too(place: Path):
    """The same codec accepts frames with bytes after them: the entry is by operator."""
    options = {"wrong": deviant_codecs.TailIgnored, "cells": PINGS[:1], "phases": (Phase.MUTATIONS,)}
    ran = run(None, **options)
    assert ran.code is ExitCode.DIVERGENCE
    kinds = {each.kind for event in ran.of(CellResult) for each in event.causes}
    assert "laxer:append" in kinds
    write(
        place,
        *(
            entry(
                id=f"malformed-{number}", check=each.check, field=each.field, kind=each.kind, versions="0",
                phases=(Phase.MUTATIONS,), since=TODAY, expires=TERMS.expires,
            )
            for number, each in enumerate(ran.of(CellResult)[0].causes)
        ),
    )  # fmt: skip
    assert run(place, **options).code is ExitCode.PROVEN


def test_a_cause_is_counted_once_a_case():
    """A wrong value in wrong bytes is not a separate cause."""
    ran = run(None, cells=PINGS[2:3])
    (seen,) = ran.of(CellResult)[0].causes
    assert (seen.check, seen.field, seen.kind, seen.type) == ("bytes", "name", "empty-for-null", "string")
    assert seen == cause(
        2, subject="kafkawire[compiled]", kind="empty-for-null", cases=seen.cases, case_id=seen.case_id
    )
