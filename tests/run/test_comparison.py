"""Codecs side by side over real processes, with an oracle that needs no Java."""

from typing import Any

from tests.support.codecs import lenient_codecs
from tests.support.environments import small_environment
from tests.support.environments.small_environment import engine
from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import AgreementGroup, CellComparison, CodecTask, Disagreement
from wireproof.model.cell import CaseId, Phase
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.run.core.cell_events import ComparedCell
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunFooter
from wireproof.proof.run.engine.case_replay import side_by_side

CELL = small_environment.cell("PingRequest", 3)
RIGHT, WRONG = "kafkawire[interpreted]", "kafkawire[compiled]"


def compare(*phases: Phase, **traits: Any) -> tuple[CellComparison, ExitCode]:
    options = RunOptions(phases=phases, cases=10, shrink_s=0)
    events = list(engine(small_environment.make(compared=True, **traits), options, compares=True).run([CELL]))
    (compared,) = (event.compared for event in events if isinstance(event, ComparedCell))
    end = events[-1]
    assert isinstance(end, RunFooter)
    return compared, end.exit_code


def test_agreement_gives_no_groups() -> None:
    """Every case is counted for both operations, and none is a disagreement."""
    compared, code = compare(Phase.ENUMERATED, Phase.BULK)
    assert compared.disagreements == ()
    assert compared.cases[CodecTask.ENCODE] == compared.cases[CodecTask.DECODE] > 10
    assert code is ExitCode.PROVEN


def test_a_differing_codec_is_reported_with_the_field() -> None:
    """The codec writes null as empty: Kafka and the right codec are one group, and all read alike.

    Differing codecs are the result of a comparison, so they do not change the exit code.
    """
    compared, code = compare(Phase.ENUMERATED, Phase.BULK, wrong=small_environment.NullAsEmpty)
    kinds = {(each.question, each.about): each for each in compared.disagreements}
    assert set(kinds) == {(CodecTask.ENCODE, "name empty-for-null")}
    (kind,) = compared.disagreements
    assert kind.groups == (AgreementGroup(("Kafka", RIGHT), "writes"), AgreementGroup((WRONG,), "writes"))
    assert 0 < kind.cases < compared.cases[CodecTask.ENCODE]
    assert kind.case_id.startswith(f"{CELL.id}/enumerated/")
    assert code is ExitCode.PROVEN


def test_the_case_of_a_kind_can_be_asked_again() -> None:
    """Its name gives each answer, with its bytes."""
    compared, _ = compare(Phase.ENUMERATED, wrong=small_environment.NullAsEmpty)
    case = CaseId.parse(compared.disagreements[0].case_id)
    environment = small_environment.make(compared=True, wrong=small_environment.NullAsEmpty)()
    _, answers = side_by_side(environment, CELL, case)[CodecTask.ENCODE]
    for each in environment.limited:
        each.close()
    assert answers["Kafka"] == answers[RIGHT] != answers[WRONG]


def test_malformed_bytes_have_groups_by_outcome() -> None:
    """A codec that accepts null where it is not allowed is alone in that; each codec has its own verdicts."""
    compared, _ = compare(Phase.MUTATIONS, wrong=lenient_codecs.null_taken)
    alone = [
        each
        for each in compared.disagreements
        if any(group == AgreementGroup((WRONG,), "accepts") for group in each.groups)
    ]
    assert alone
    assert {each.question for each in alone} == {CodecTask.MALFORMED}
    assert all(each.about for each in alone)
    assert sum(each.cases for each in alone) == compared.verdicts[WRONG][MalformedVerdict.LAXER]
    assert MalformedVerdict.LAXER not in compared.verdicts[RIGHT]


def test_a_kind_of_values_is_made_by_the_group_against_kafka() -> None:
    """Other implementations that agree join Kafka's group; for malformed bytes all groups count."""
    against = AgreementGroup(("b",), "writes")
    one = Disagreement(CodecTask.ENCODE, "x", (AgreementGroup(("Kafka", "c"), "writes"), against), 2, "first")
    other = Disagreement(
        CodecTask.ENCODE, "x", (AgreementGroup(("Kafka", "a"), "writes"), against), 3, "second"
    )
    assert one.key == other.key
    both = one.plus(other)
    assert both.groups == (AgreementGroup(("Kafka", "a", "c"), "writes"), against)
    assert (both.cases, both.case_id) == (5, "first")

    wrong = [Disagreement(CodecTask.MALFORMED, "x", each.groups, 1, "") for each in (one, other)]
    assert wrong[0].key != wrong[1].key
