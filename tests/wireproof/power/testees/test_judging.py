"""Verdicts on mutants of a small testee in this process, with an oracle that needs no Java."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import pytest

from tests.support.environments import small_environment
from tests.support.testees.own_embedded import OwnEmbedded
from tests.support.testees.own_testee import OPERATIONS, OwnTestee
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Cell, Phase
from wireproof.model.codec_ends import MutationSite
from wireproof.model.divergence import Divergence
from wireproof.model.repertoire import CodecDirection
from wireproof.power.summary import (
    TESTEE_GOAL,
    BugClass,
    MutantDescription,
    MutantOutcome,
    MutantVerdict,
    MutationSummary,
)
from wireproof.power.testees.choosing import MutationFixtures, choose_mutants
from wireproof.power.testees.judging import MutantJudge
from wireproof.power.testees.mutant import AnswerMutant
from wireproof.power.testees.operator import AnswerOperator, predicting
from wireproof.power.testees.operators import OPERATORS
from wireproof.power.testees.plan_runner import PlanRunner, SessionFactory
from wireproof.power.testees.source_mutants import SourceMutant
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.deviations.catalogue.trigger import ENDINGS, VALUE_ACTIONS
from wireproof.proof.deviations.catalogue.triggers import TRIGGERS
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.run.core.environment import Layouts, all_cells, header_layouts
from wireproof.proof.run.core.plan import KnownDeviations, RunOptions
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.description.claimed_operations import Operation
from wireproof.proof.testees.session.in_process_testees import LiveObject
from wireproof.proof.testees.session.local_session import LocalSession
from wireproof.proof.testees.session.testee_session import (
    EndedAnswer,
    FailedAnswer,
    OkAnswer,
    ProtocolAnswer,
    TesteeSession,
    WrappedSession,
)
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.known_causes import LedgerCause
from wireproof.verdict.ledger.ledger import Ledger
from wireproof.verdict.report.mutants.mutation_report import json_text, tsv_line

SCHEMAS = small_environment.schemas()
HEADERS = header_layouts(SCHEMAS)
LAUNCH = Launch("ping", LiveObject(None))


class RequestHandler:
    """A handler of our own codec in the small release."""

    def __init__(self) -> None:
        messages = {name: SCHEMAS.modules["clients"][name] for name in ("PingRequest", "PingResponse")}
        self.testee = OwnTestee(messages, OwnEmbedded(SCHEMAS, ()))
        self.testee.operations = OPERATIONS

    def answer(self, request: Any) -> str:
        return json.dumps(self.testee.answer(request))


class Wide:
    """A ledger that excuses everything."""

    expected_ends = ()
    known_causes = ()
    cases = ()

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        return tuple(replace(each, entry="wide") for each in divergences)


class Slow(WrappedSession):
    """A testee that hangs: it refuses nothing in its time."""

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        answers = super().ask(questions, sites)
        return [
            EndedAnswer("hang", "slow") if isinstance(answer, FailedAnswer) else answer for answer in answers
        ]


class Learning(WrappedSession):
    """A testee that reports its first five refusals under one name, and later ones under another."""

    refusals = 0

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        answers = super().ask(questions, sites)
        for index, answer in enumerate(answers):
            if isinstance(answer, FailedAnswer):
                self.refusals += 1
                answers[index] = replace(answer, error="EARLY" if self.refusals <= 5 else "LATE")
        return answers


def opened(launch: Launch) -> TesteeSession:
    """Return the testee, which is slow if it is given less time than usual."""
    testee = LocalSession("ping", RequestHandler)
    return testee if launch.target.limits == LAUNCH.target.limits else Slow(testee)


def judge_of(known: KnownDeviations | None = None, opens: SessionFactory = opened) -> MutantJudge:
    cells = [cell for cell in all_cells(SCHEMAS) if cell.message.startswith("Ping")]
    runner = PlanRunner(
        small_environment.make()(),
        LAUNCH,
        opens,
        lambda testee, observer=None: TesteeAdapter(testee, HEADERS, observer=observer),
        known,
        RunOptions((Phase.ENUMERATED,)),
    )
    return MutantJudge("ping", runner, cells)


@pytest.fixture(scope="module")
def alone() -> Iterator[MutantJudge]:
    """A judge without a ledger, which judges one mutant after the other."""
    judge = judge_of()
    yield judge
    judge.runner.close()


@pytest.fixture(scope="module")
def beside() -> Iterator[MutantJudge]:
    """A judge with the ledger of two causes."""
    judge = judge_of(_null_as_empty())
    yield judge
    judge.runner.close()


@pytest.fixture(scope="module")
def masked() -> MutantVerdict:
    """The verdict on a mutant beside a ledger that excuses everything."""
    judge = judge_of(Wide())
    try:
        return judge.judge(chosen("null-as-empty"))
    finally:
        judge.runner.close()


@cache
def fixtures() -> MutationFixtures:
    testee = LocalSession("ping", RequestHandler)
    cells = [cell for cell in all_cells(SCHEMAS) if cell.message.startswith("Ping")]
    return MutationFixtures(testee.hello(), cells, Layouts({small_environment.RELEASE: SCHEMAS}).of, HEADERS)


def chosen(name: str) -> list[AnswerMutant]:
    return choose_mutants(fixtures(), [name], 0)


@pytest.mark.parametrize("name", ["null-as-empty", "half-width", "stops-early", "cut-accepted", "tag-lost"])
def test_a_mutant_is_killed_by_a_case_that_the_testee_passes(alone: MutantJudge, name: str) -> None:
    """The verdict names the case, and the number of cases until it."""
    verdict = alone.judge(chosen(name))

    assert verdict.outcome is MutantOutcome.KILLED
    assert verdict.mutant.operator == name
    assert verdict.cases >= 1
    assert verdict.killed_by is not None
    assert "/" in verdict.killed_by.scenario


@pytest.mark.parametrize("name", ["null-as-empty", "half-width", "cut-accepted", "unknown-tags-lost"])
def test_a_planted_bug_is_one_cause_of_its_kind_at_its_place(name: str) -> None:
    """The causes that a run would report of a killed mutant are those of its operator."""
    (mutant, *_) = chosen(name)
    judge = judge_of()
    judge.diagnoses = True
    try:
        found = judge.judge([mutant]).diagnosis
    finally:
        judge.runner.close()
    assert found is not None
    assert len(found.causes) == 1, found
    assert (found.right_family, found.right_scope, found.rest) == (True, True, 0)


def test_every_cause_of_an_operator_is_in_the_catalogue_of_deviations() -> None:
    """A word that no trigger or action has would never be right."""
    known = {
        f"{row.name} {action}"
        for row in TRIGGERS.values()
        for action in (*row.actions, *ENDINGS, *(VALUE_ACTIONS if row.name == "value" else ()))
    }
    predicted = {name: predicting(name) for name in OPERATORS}
    assert sum(bool(each) for each in predicted.values()) > 70
    assert {word for words in predicted.values() for word in words} <= known


def test_a_mutant_that_an_entry_excuses_is_masked(masked: MutantVerdict) -> None:
    """A run that passes because of the ledger has missed the bug: the entry is named."""
    assert masked.outcome is MutantOutcome.MASKED
    assert set(masked.excuses) == {"wide"}


def _null_as_empty() -> Ledger:
    """A ledger with two causes: null is written as empty, and read as empty."""
    today = date(2026, 1, 1)
    return Ledger(
        (),
        causes=tuple(
            LedgerCause(f"null-{way}", deviation, ReasonKind.BUG, "null is lost", "me", today, today)
            for way in CodecDirection
            for deviation in [Deviation(way, "null", "empty")]
        ),
    )


def test_a_cause_masks_the_mutant_that_it_predicts(beside: MutantJudge) -> None:
    """An answer that a cause of the ledger predicts passes as the right one: the cause is named."""
    verdict = beside.judge(chosen("null-as-empty"))

    assert verdict.outcome is MutantOutcome.MASKED
    assert set(verdict.excuses) <= {"null-encode", "null-decode"}
    assert verdict.excuses


THESE = {"null-as-empty", "null-as-empty-at-first", "null-read-as-empty"}
"""Mutants that are one of the two causes."""


@pytest.mark.parametrize("name", sorted(each for each in {*OPERATORS} - THESE if chosen(each)))
def test_a_cause_masks_no_other_mutant_in_its_scope(
    alone: MutantJudge, beside: MutantJudge, name: str
) -> None:
    """The causes cover every message and field of the codec, and no other mutant."""
    one, other = (each.judge(chosen(name)) for each in (alone, beside))

    assert other.outcome is one.outcome
    assert not other.excuses


def test_a_mutant_that_changes_no_answer_is_not_applicable(alone: MutantJudge) -> None:
    """No version has the field: the evidence has the number of answers that were compared."""
    (mutant,) = chosen("null-as-empty")
    verdict = alone.judge([replace(mutant, path="nothing", way=CodecDirection.DECODE)])

    assert verdict.outcome is MutantOutcome.NOT_ASKED
    assert "answers" in verdict.evidence


def test_a_mutant_in_no_cell_of_the_plan_is_not_asked() -> None:
    """A profile may leave out all versions that a mutant changes."""
    (mutant,) = chosen("null-as-empty")
    judge = judge_of()
    judge.cells = [cell for cell in judge.cells if cell.message != mutant.cell.message]

    assert judge.judge([mutant]).outcome is MutantOutcome.NOT_ASKED
    judge.runner.close()


def test_the_next_site_is_tried_if_the_plan_does_not_reach_one(alone: MutantJudge) -> None:
    """A mutant that the plan does not reach at its first site is killed at the second."""
    (mutant,) = chosen("null-as-empty")

    assert alone.judge([replace(mutant, path="nothing"), mutant]).outcome is MutantOutcome.KILLED


def test_a_hang_without_the_mutant_kills_no_mutant() -> None:
    """Changed sources get less time. A testee that hangs in it without any mutant kills nothing."""
    judge = judge_of()
    described = MutantDescription("ping", "source", "none", "source", "nothing is changed", "nowhere")
    hurried = opened(LAUNCH.with_cpu_limit(2.0)), opened(LAUNCH.with_cpu_limit(2.0))
    try:
        passed = judge._plan(described, judge.cells[:1], hurried)
    finally:
        judge.runner.close()
    assert not isinstance(passed, MutantVerdict)


def test_a_changed_source_is_compared_with_new_processes_of_the_testee() -> None:
    """The usual processes have seen other cells, and skip requests that ended them there; a new process asks
    them. Such answers and excuses are not effects of the change."""

    def opens(launch: Launch) -> TesteeSession:
        return Learning(LocalSession("ping", RequestHandler))

    judge = judge_of(opens=opens)
    first, cell = judge.cells[0], judge.cells[-1]
    mutant = SourceMutant("ping.py", 0, "none", 1, True, "nothing", (cell,))
    described = MutantDescription("ping", "source", "none", "source", "nothing is changed", "nowhere")
    try:
        judge.runner.baseline(first)
        usual = judge.runner.baseline(cell)
        hurried = judge.runner.hurried_baselines([cell])[cell]
        verdict = judge._judge_running(described, mutant, (opens(LAUNCH), opens(LAUNCH)))
    finally:
        judge.runner.close()
    assert hurried.transcript.compared(usual.transcript)[1]
    assert verdict.outcome is MutantOutcome.EQUIVALENT


def test_an_undetected_change_survives(alone: MutantJudge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers changed, and no case failed: the verdict shows a request."""
    operator = AnswerOperator(
        "harmless",
        BugClass.FIELDS,
        "the answer has a member more",
        frozenset({Operation.DECODE}),
        lambda each: (
            OkAnswer({**each.answer.content, "note": ""})
            if isinstance(each.answer, OkAnswer)
            else each.answer
        ),
    )
    monkeypatch.setitem(OPERATORS, "harmless", operator)
    verdict = alone.judge(chosen("harmless"))

    assert verdict.outcome is MutantOutcome.SURVIVED
    assert verdict.changed > 0
    assert '"op":"decode"' in verdict.evidence


def test_sums_and_exit_codes(alone: MutantJudge, masked: MutantVerdict) -> None:
    """A masked mutant fails the run at any score; a survivor fails it below 97 %."""
    killed = alone.judge(chosen("null-as-empty"))
    green = MutationSummary(1, [killed], TESTEE_GOAL)
    red = MutationSummary(2, [killed, masked], TESTEE_GOAL)

    assert green.exit_code is ExitCode.PROVEN
    assert red.exit_code is ExitCode.DIVERGENCE
    assert (green.score, red.score) == (1.0, 0.5)
    assert json.loads(json_text(red))["total"]["masked"] == 1
    assert tsv_line(killed).split("\t")[1:3] == ["null-as-empty", "killed"]
    first = json.loads(json_text(red))["mutants"][0]
    assert killed.killed_by is not None
    assert (first["verdict"], first["cell"]) == ("killed", killed.killed_by.cell.id)
