"""Runs of codecs whose mistakes are known by their causes: predicted answers are excused, and no others."""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from tests.support.environments.ledgers import CATALOGUE
from wireproof.base.exit_codes import ExitCode
from wireproof.model.adapter import Reply, Request
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import CaseId, Cell, Phase
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.run.core.cell_events import CellResult, FailedCase
from wireproof.proof.run.core.environment import WorkerEnvironment, all_cells, header_layouts
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import LedgerFinding, RunEvent, RunFooter
from wireproof.proof.run.engine.case_replay import replay
from wireproof.verdict.ledger.accepting import Terms, accept
from wireproof.verdict.ledger.audit import AuditScope, audit
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.files.event_reading import read_events
from wireproof.verdict.ledger.files.ledger_reading import LedgerError, read_ledger
from wireproof.verdict.ledger.files.repairing import LedgerRepair, added
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.report.events.event_json import EventFile

PINGS = [cell for cell in all_cells(small_environment.schemas()) if cell.message == "PingRequest"]
TODAY = date.today()
TERMS = Terms(ReasonKind.BUG, "me", TODAY, TODAY + timedelta(days=180))
PHASES = (Phase.ENUMERATED,)
SUBJECT = "kafkawire[compiled]"


class Writes(small_environment.NullAsEmpty):
    """A codec that writes another name in place of null, in some versions."""

    def __init__(
        self, layout: MessageLayout, *, instead: str = "", versions: Sequence[int] = (0, 1, 2, 3)
    ) -> None:
        super().__init__(layout)
        self._instead = instead if layout.version in versions else None

    def encode(self, value: dict[str, Any]) -> bytes:
        if self._instead is not None and value.get("name", "") is None:
            value = {**value, "name": self._instead}
        return self._codec.encode(value)


class ObservedAdapter(KafkawireAdapter):
    """An adapter whose replies an observer settles, as those of a testee."""

    def __init__(self, make: Callable[[MessageLayout], Any], observer: AnswerObserver) -> None:
        super().__init__(SUBJECT, make, header_layouts(small_environment.schemas()))
        self._observer = observer

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        replies = super().ask(cell, layout, requests)
        return [
            self._observer.settle(layout, None, request, reply, whole=False)
            for request, reply in zip(requests, replies, strict=True)
        ]


def observed(make: Callable[[MessageLayout], Any]) -> WorkerEnvironment:
    observer = AnswerObserver()
    environment = small_environment.make()()
    return replace(environment, adapters=[ObservedAdapter(make, observer)], observer=observer)


class Ran:
    """The events of a run."""

    def __init__(self, events: list[RunEvent]) -> None:
        self.cells = [event for event in events if isinstance(event, CellResult)]
        self.problems: list[LedgerProblem] = [
            event.problem for event in events if isinstance(event, LedgerFinding)
        ]
        self.footer = next(event for event in events if isinstance(event, RunFooter))
        stream = io.StringIO()
        for event in events:
            EventFile(stream)(event)
        self.lines = stream.getvalue().splitlines()

    @property
    def code(self) -> ExitCode:
        return self.footer.exit_code

    @property
    def causes(self) -> set[tuple[CodecDirection, str, str]]:
        found = [each.diagnosis for each in self.cells if each.diagnosis is not None]
        deviations = [cause.deviation for diagnosis in found for cause in diagnosis.causes]
        return {(each.direction, each.trigger, each.action) for each in deviations}


def run(make: Callable[[MessageLayout], Any], text: str = "", cells: Sequence[Cell] = PINGS) -> Ran:
    """Run with the ledger in a text; without one if it is empty."""
    ledger = read_ledger(text, "known.toml") if text else None
    options = RunOptions(phases=PHASES, shrink_s=0.1, known=ledger)
    judge = None
    if ledger is not None:
        asked = AuditScope((SUBJECT,))
        judge = partial(audit, ledger, phases=PHASES, catalogue=CATALOGUE, today=TODAY, asked=asked)
    return Ran(list(small_environment.engine(partial(observed, make), options, audit=judge).run(cells)))


def accepted(ran: Ran, text: str = "") -> str:
    """Return the ledger after ``ledger accept``; it has causes alone."""
    ledger = read_ledger(text, "known.toml") if text else Ledger((), "known.toml")
    found = accept(ledger, read_events(ran.lines), TERMS, CATALOGUE)
    assert found.new == []
    return added(text or "format = 7\n", causes=found.causes)


@pytest.fixture(scope="module")
def known() -> str:
    """The ledger of a codec that writes null as the empty string."""
    return accepted(run(Writes))


def test_a_mistake_has_a_cause_for_each_trigger():
    ran = run(Writes)

    assert ran.code is ExitCode.DIVERGENCE
    assert ran.causes == {
        (CodecDirection.ENCODE, "null", "empty"),
        (CodecDirection.ENCODE, "null-not-allowed", "empty"),
    }
    found = [each.diagnosis for each in ran.cells]
    assert all(each is not None and each.rest == 0 for each in found)


def test_a_known_cause_excuses_what_it_predicts(known: str):
    ran = run(Writes, known)

    assert ran.code is ExitCode.PROVEN
    assert set(ran.footer.totals.known) == {each.id for each in read_ledger(known, "known.toml").causes}
    null = next(each for each in ran.cells if each.cell.version == 2)
    assert null.coverage is not None
    assert null.coverage.excused, "a class that only excused answers met is not met"


def test_another_wrong_answer_at_the_same_place_is_a_finding(known: str):
    ran = run(partial(Writes, instead="none"), known)

    assert ran.code is ExitCode.DIVERGENCE
    assert all(each.diagnosis is None or each.diagnosis.failed for each in ran.cells)


def test_a_fixed_codec_makes_the_entry_a_fault_whose_repair_removes_it(known: str):
    ran = run(compile_layout, known)

    assert ran.code is ExitCode.LEDGER
    assert {each.fault for each in ran.problems} <= {"passed", "over-broad"}
    text = repaired(known, ran)
    assert read_ledger(text, "known.toml").causes == ()
    assert run(compile_layout, text).code is ExitCode.PROVEN


def test_a_cause_of_another_codec_excuses_nothing_and_is_not_audited(known: str):
    """Variants of a codec share a ledger; `accept` adds a cause of its own, and does not widen that one."""
    other = known.replace("messages =", 'subject = "kafkawire[interpreted]", messages =')
    ran = run(Writes, other)
    assert ran.code is ExitCode.DIVERGENCE
    assert run(partial(Writes, versions=()), other).code is ExitCode.PROVEN
    both = accepted(ran, other)
    assert len(read_ledger(both, "known.toml").causes) == 2 * len(read_ledger(known, "known.toml").causes)
    assert run(Writes, both).code is ExitCode.PROVEN
    subjects = [each.subject for each in read_ledger(both, "known.toml").causes]
    assert sorted(subjects) == [SUBJECT] * 3 + ["kafkawire[interpreted]"] * 3
    own = known.replace("messages =", f'subject = "{SUBJECT}", messages =')
    assert run(Writes, own).code is ExitCode.PROVEN


class ReadsAnother(Writes):
    """It also reads a name of its own where there is none."""

    def decode(self, data: bytes) -> dict[str, Any]:
        value = self._codec.decode(data)
        return {**value, "name": "another"} if value.get("name", "") is None else value


def test_a_replay_names_the_cause_of_a_part_of_a_failure(known: str):
    """The known cause predicts the bytes, and nothing the value that is read."""
    causes = read_ledger(known, "known.toml").known_causes
    options = RunOptions(phases=PHASES, shrink_s=0)
    failed = (
        event
        for event in small_environment.engine(partial(observed, ReadsAnother), options).run(PINGS)
        if isinstance(event, FailedCase) and {"bytes", "decode"} <= {each.check for each in event.divergences}
    )
    first = next(failed)
    (again,) = replay(observed(ReadsAnother), first.cell, CaseId.parse(first.case_id), causes=causes)
    entries = {each.check: each.entry for each in again.divergences}
    assert entries["bytes"] in {each.id for each in causes}
    assert entries["decode"] == ""


def test_a_version_that_is_right_leaves_the_scope(known: str):
    some = partial(Writes, versions=(0, 1, 3))
    ran = run(some, known)

    assert ran.code is ExitCode.LEDGER
    text = repaired(known, ran)
    null = [
        each.deviation for each in read_ledger(text, "known.toml").causes if each.deviation.trigger == "null"
    ]
    assert [each.scope for each in null] == [{"PingRequest": {1}}, {"PingRequest": {3}}]
    assert run(some, text).code is ExitCode.PROVEN


def test_a_cause_of_every_message_gets_exceptions_where_the_codec_is_right(known: str):
    everywhere = re.sub(r"messages = \[[^]]*\]", 'messages = ["*"]', known)
    some = partial(Writes, versions=(0, 1, 3))
    ran = run(some, everywhere)

    assert ran.code is ExitCode.LEDGER
    text = repaired(everywhere, ran)
    assert 'except = ["PingRequest 2"]' in text
    assert run(some, text).code is ExitCode.PROVEN
    assert run(Writes, text).code is ExitCode.DIVERGENCE, "an exception excuses nothing"


def test_a_cause_of_every_message_is_gone_only_where_the_cell_of_its_case_ran(known: str):
    everywhere = re.sub(r"messages = \[[^]]*\]", 'messages = ["*"]', known)
    elsewhere = re.sub(r'case = "[^"]*"', 'case = "1.0.0/OtherRequest/0/enumerated/name/null"', everywhere)

    assert "passed" in {each.fault for each in run(compile_layout, everywhere).problems}
    assert "passed" not in {each.fault for each in run(compile_layout, elsewhere).problems}


def test_a_cause_that_shows_elsewhere_too_widens_its_entry():
    first = accepted(run(partial(Writes, versions=(2,))))
    ran = run(partial(Writes, versions=(2, 3)), first)
    ledger = read_ledger(first, "known.toml")

    found = accept(ledger, read_events(ran.lines), TERMS, CATALOGUE)

    assert found.causes == []
    (wide,) = found.widened_causes.values()
    assert wide.deviation.scope == {"PingRequest": {2, 3}}


def test_two_causes_that_contradict_each_other_are_an_error(known: str):
    row = next(line for line in known.splitlines() if 'action = "empty"' in line)
    other = row.replace('id = "', 'id = "other-').replace('action = "empty"', 'action = "null"')

    with pytest.raises(LedgerError, match="says empty at the same place"):
        read_ledger(known.replace(row, f"{row}\n{other}"), "known.toml")


def repaired(text: str, ran: Ran) -> str:
    for problem in ran.problems:
        repair = LedgerRepair.parse(problem.repair)
        text = repair.apply(text, read_ledger(text, "known.toml"), [])
    return text


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('trigger = "null"', 'trigger = "nul"', "there is no trigger 'nul'"),
        ('action = "empty"', 'action = "vanish"', "has no action 'vanish'"),
        ('direction = "encode"', 'direction = "sideways"', "direction 'sideways' is unknown"),
        ('messages = ["PingRequest 1"]', "messages = []", 'write messages = ["*"]'),
        ('messages = ["PingRequest 1"]', 'messages = ["PingRequest one"]', "is not a message"),
        (
            'messages = ["PingRequest 1"]',
            'messages = ["PingRequest 1"], except = ["PingRequest 2"]',
            'except goes with messages = ["*"] only',
        ),
        ('owner = "me"', "owner = 3", "owner is not a text"),
        ('direction = "encode"', 'direction = "encode", ower = "me"', "unknown key 'ower'"),
    ],
)
def test_a_faulty_cause_is_one_clear_error(known: str, before: str, after: str, words: str, tmp_path: Path):
    assert before in known
    with pytest.raises(LedgerError, match=r"known\.toml:\d+: cause ") as error:
        read_ledger(known.replace(before, after), "known.toml")
    assert words in str(error.value)


class Changing(Writes):
    """A codec whose answers change from call to call."""

    def encode(self, value: dict[str, Any]) -> bytes:
        self.calls = getattr(self, "calls", 0) + 1
        return self._codec.encode(value) + bytes(self.calls % 2)


class Constant(Writes):
    """A codec that writes and reads the same whatever it is asked."""

    def encode(self, value: dict[str, Any]) -> bytes:
        return b"\x07"

    def decode_from(self, data: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return {}, len(data)


def test_a_codec_that_answers_otherwise_each_time_is_flaky():
    """The question and both answers are named."""
    found = [each.diagnosis for each in run(Changing, cells=PINGS[-1:]).cells if each.diagnosis]

    (request, one, other) = next(each.two_answers for each in found if each.two_answers)
    assert request.startswith("encode ")
    assert one != other
    assert not any(each.constant for each in found)


def test_answers_that_do_not_depend_on_the_input_have_no_deviation():
    """They are named in place of causes; no case is lost."""
    found = [each.diagnosis for each in run(Constant).cells if each.diagnosis]

    constant = [each for each in found if each.constant]
    assert constant
    assert all(each.rest == each.failed and not each.causes for each in constant)
