"""A cell is asked the same cases whatever else the run has: other cells, processes, attempts."""

import dataclasses
from collections.abc import Sequence
from datetime import date

import pytest

from tests.support.codecs.lenient_codecs import ThreeBugs
from tests.support.environments import small_environment
from tests.support.environments.ledgers import CATALOGUE, TODAY
from wireproof.model.cell import Phase
from wireproof.model.codec_ends import HANG, ExpectedEnd, FatalSites, HangBudget, MutationSite
from wireproof.proof.run.core.cell_events import CellResult, EndedCodec
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.proof.run.engine.cell_worker import Assignment, prove_one
from wireproof.proof.run.engine.engine import Engine
from wireproof.verdict.ledger.accepting import Terms, accept
from wireproof.verdict.ledger.audit import audit
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.files.event_reading import ObservedCauses
from wireproof.verdict.ledger.ledger import Ledger

VERSIONS = (1, 2)
MEASURED = {"duration_s", "phase_s", "coverage"}
HUGE = MutationSite("count-huge", "hops", "[]Hop", "mutations/default/count=max@7")


def run(versions: Sequence[int], ledger: Ledger | None = None, jobs: int = 1) -> list[RunEvent]:
    options = RunOptions(phases=(Phase.MUTATIONS,), shrink_s=0, known=ledger)
    cells = [small_environment.cell("PingRequest", version) for version in versions]
    return list(Engine(small_environment.make(wrong=ThreeBugs), options, jobs).run(cells))


def results(events: Sequence[RunEvent]) -> list[CellResult]:
    return [event for event in events if isinstance(event, CellResult)]


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    """The ledger that accepts all findings of a run of all versions."""
    done = results(run(VERSIONS))
    causes = tuple((each.cell, cause) for each in done for cause in each.causes)
    seen = ObservedCauses((done[0].causes[0].subject,), frozenset(each.cell for each in done), causes, True)
    terms = Terms(ReasonKind.BUG, "me", TODAY, date(2027, 5, 20))
    return Ledger(tuple(accept(Ledger(()), seen, terms, CATALOGUE).new))


@pytest.fixture(scope="module")
def together(ledger: Ledger) -> list[RunEvent]:
    return run(VERSIONS, ledger, jobs=2)


def test_a_ledger_is_green_for_any_cells(ledger: Ledger, together: list[RunEvent]) -> None:
    """What a cell is not asked, because another cell's question ended the codec, it is not asked alone
    either."""
    (alone,) = results(run(VERSIONS[1:], ledger))
    (again,) = [each for each in results(together) if each.cell == alone.cell]
    assert not any(each.failed_cases for each in [alone, *results(together)])
    assert (alone.cases, alone.skipped, alone.verdicts) == (again.cases, again.skipped, again.verdicts)


def test_a_run_asks_one_case_of_each_known_end(ledger: Ledger, together: list[RunEvent]) -> None:
    """It is the case of the entry, so that a repaired codec is seen; the audit has nothing to say."""
    asked = sorted(event.case_id.partition("/")[2] for event in together if isinstance(event, EndedCodec))
    assert asked == sorted(end.case for end in ledger.expected_ends)
    assert {end.error for end in ledger.expected_ends} == {HANG, "process"}
    done = results(together)
    problems = audit(ledger, done, phases=[Phase.MUTATIONS], catalogue=CATALOGUE, today=TODAY)
    assert not [each for each in problems if each.fails]


@pytest.mark.parametrize("version", [0, 1, 2, 3])
def test_a_cell_that_is_proven_case_by_case_has_the_same_cases(version: int) -> None:
    """So it is proven again after its process died."""
    cell = small_environment.cell("PingRequest", version)
    make = small_environment.make(wrong=small_environment.NullAsEmpty)
    options = RunOptions(phases=small_environment.PHASES, shrink_s=0)
    usual, careful = (
        prove_one(make(), options, Assignment(cell, careful=each), lambda _: None, lambda *_: None)[0]
        for each in (False, True)
    )
    names = {each.name for each in dataclasses.fields(CellResult)} - MEASURED
    assert {name: getattr(usual, name) for name in names} == {name: getattr(careful, name) for name in names}


def sites(*ends: ExpectedEnd, message: str = "PingRequest", version: int = 2) -> FatalSites:
    budget = HangBudget()
    budget.expect(ends)
    budget.cell = dataclasses.replace(small_environment.cell("PingRequest", version), message=message)
    return FatalSites("it", budget)


def test_a_known_death_skips_its_operator_at_its_fields() -> None:
    """Another field, message and operator are asked, and so is the case that the ledger names."""
    case = f"PingRequest/2/{HUGE.name}"
    known = ExpectedEnd("it", "process", "count-huge", case, frozenset({("PingRequest", "hops")}))
    other = dataclasses.replace(HUGE, name="mutations/default/count=huge@7")
    assert sites(known).same_as(other) == case
    assert sites(known).same_as(HUGE) == ""
    assert sites(known, version=1).same_as(HUGE) == case
    assert sites(known, message="PingResponse").same_as(other) == ""
    assert sites(known).same_as(dataclasses.replace(other, path="name")) == ""
    assert sites(known).same_as(dataclasses.replace(other, operator="count-null")) == ""
    assert sites(dataclasses.replace(known, subject="another")).same_as(other) == ""
    assert sites(dataclasses.replace(known, subject="")).same_as(other) == case


def test_a_known_hang_or_a_widespread_death_skips_its_operator_everywhere() -> None:
    """A thorough run skips it only where it is known."""
    twelve = frozenset({("PingResponse", f"field{index}") for index in range(12)})
    for error in (HANG, "process"):
        known = ExpectedEnd("", error, "count-huge", "PingResponse/1/mutations/it", twelve)
        assert sites(known).same_as(HUGE) == known.case
        thorough = sites(known)
        thorough.budget.every_place = True
        assert thorough.same_as(HUGE) == ""
        assert thorough.doubted(HUGE) == (known.case if error == HANG else "")
    eleven = ExpectedEnd("", "process", "count-huge", "case", frozenset(sorted(twelve)[1:]))
    assert sites(eleven).same_as(HUGE) == ""


def test_each_known_case_is_asked_whatever_ended_the_codec_before() -> None:
    """Two entries may have one operator: the end of one case does not hide the other, and none is asked
    twice."""
    first = ExpectedEnd("it", HANG, "count-huge", f"PingRequest/2/{HUGE.name}")
    other = dataclasses.replace(HUGE, name="mutations/fullest/count=max@9")
    both = sites(first, dataclasses.replace(first, case=f"PingRequest/2/{other.name}"))
    both.add(HUGE, HANG, "no answer")
    assert both.same_as(HUGE)
    assert both.same_as(other) == ""
    both.add(other, HANG, "no answer")
    assert both.same_as(other)


def test_one_right_value_is_enough_where_the_operation_answers_none() -> None:
    """Six may end an operation that has answered one before; the cause says which of the two it is."""
    decode, encode = (MutationSite(operation, "", "values") for operation in ("decode", "encode"))
    dead = sites()
    dead.add(decode, "process", "exited", "the question")
    assert dead.same_as(decode) == "1.0.0/PingRequest/2: decode of a value, the first of the cell"
    assert dead.ended_before("the question") == ("process", "exited"), "a judge asks it again"
    assert dead.ended_before("another") is None
    assert dead.same_as(encode) == ""
    dead.forgive()
    assert dead.same_as(decode) == ""
    assert dead.ended_before("the question") is None
    dead.answered(decode)
    for _ in range(5):
        dead.add(decode, "process", "exited")
        assert dead.same_as(decode) == ""
    dead.add(decode, "process", "exited")
    assert dead.same_as(decode) == "1.0.0/PingRequest/2: decode of a value"
