"""The phase of mutations over real processes, with an oracle that needs no Java."""

from dataclasses import replace
from typing import Any

import pytest

from kafkawire.compiler import interpret_layout
from tests.support.codecs import lenient_codecs
from tests.support.environments import small_environment
from tests.support.environments.ledgers import entry
from tests.support.environments.small_environment import engine
from wireproof.model.cell import CaseId, Phase
from wireproof.model.divergence import FaultOwner
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.adapters.own.limited_codec import LimitedCodec
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.run.context.cell_context import context_of
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, StricterCase
from wireproof.proof.run.core.cell_recorder import CellRecorder
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.proof.run.engine.case_replay import NoSuchCaseError, replay
from wireproof.proof.run.malformed.mutated_bases import make_mutations
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.verdict.ledger.ledger import Ledger

OPTIONS = RunOptions(phases=(Phase.MUTATIONS,))
CELL = small_environment.cell("PingRequest", 3)


def run(**traits: Any) -> list[RunEvent]:
    return list(
        engine(small_environment.make(**traits), OPTIONS).run(
            [CELL, small_environment.cell("PingResponse", 0)]
        )
    )


def test_the_default_plan_has_a_slice_that_finds_an_allocation() -> None:
    """It has fewer cases than the whole phase, and finds a codec that reserves the declared length."""
    options = RunOptions(phases=(Phase.MUTATIONS,), mutations=MutationSet.SLICE)
    make = small_environment.make(wrong=lenient_codecs.allocating)
    few, all_of_them = (done(list(engine(make, each).run([CELL])))[0] for each in (options, OPTIONS))

    assert 0 < few.cases[Phase.MUTATIONS] < all_of_them.cases[Phase.MUTATIONS]
    failed = [each for each in engine(make, options).run([CELL]) if isinstance(each, FailedCase)]
    assert any(str(each.divergences[0].kind).startswith("blow-up") for each in failed)


def test_the_result_of_a_cell_names_the_known_cases_that_passed() -> None:
    """The slice of a codec that refuses what Kafka refuses; a case that it does not ask passes nowhere."""
    options = RunOptions(phases=(Phase.MUTATIONS,), mutations=MutationSet.SLICE)
    every = list(engine(small_environment.make(wrong=lenient_codecs.allocating), options).run([CELL]))
    failed = next(each.case_id for each in every if isinstance(each, FailedCase))
    asked_nowhere = f"{CELL.id}/mutations/default/none@0"
    known = Ledger(tuple(entry(check="malformed", case=case) for case in (failed, asked_nowhere)))
    (right,) = done(list(engine(small_environment.make(), replace(options, known=known)).run([CELL])))
    assert right.passed == {failed}
    wrong = small_environment.make(wrong=lenient_codecs.allocating)
    (again,) = done(list(engine(wrong, replace(options, known=known)).run([CELL])))
    assert again.passed == set()


def test_every_case_of_the_slice_can_be_tried_again() -> None:
    """This includes cases whose bytes have another name in the whole phase."""
    environment = small_environment.make()()
    subject = context_of(
        environment,
        RunOptions(),
        CELL,
        CellRecorder(CELL, str, lambda event: None),
        lambda phase, names: None,
    ).target
    names = [each.name for each in make_mutations(environment, subject, sliced=True)]

    for name in names[:: max(1, len(names) // 7)]:
        assert replay(environment, CELL, CaseId.parse(f"{CELL.id}/mutations/{name}")) == []
    for each in environment.limited:
        each.close()


@pytest.mark.parametrize(("mutations", "asked"), [(MutationSet.SLICE, 1), (MutationSet.ALL, 2)])
def test_the_slice_asks_one_variant_of_our_codec(mutations: MutationSet, asked: int) -> None:
    """The compiled codec hands refused bytes to the interpreted one; another codec is always asked."""
    options = RunOptions(phases=(Phase.MUTATIONS,), mutations=mutations)

    def cases(variants: int) -> int:
        environment = small_environment.make()()
        limited = [*environment.limited, LimitedCodec("kafkawire[interpreted]", interpret_layout)]
        environment = replace(environment, limited=limited[:variants])
        judged = CellProver(environment, options, CELL, lambda event: None, lambda phase, names: None).prove()
        for each in environment.limited:
            each.close()
        assert isinstance(judged, CellResult)
        return judged.cases[Phase.MUTATIONS]

    assert cases(2) == asked * cases(1)


def done(events: list[RunEvent]) -> list[CellResult]:
    return [event for event in events if isinstance(event, CellResult)]


def test_a_right_codec_agrees() -> None:
    """Bodies and frames agree; the codec in Kafka's place leaves bytes after a message unread.

    It also accepts long varints. That is not a leniency of a release 1.0.0, so it is unexplained, and not a
    failure.
    """
    events = run()
    for cell in done(events):
        assert cell.failed_cases == 0
        assert set(cell.laxities) <= {"trailing-bytes", ""}
        assert sum(cell.verdicts.values()) == cell.cases[Phase.MUTATIONS] > 30
    stricter = [event for event in events if isinstance(event, StricterCase)]
    assert stricter
    assert all("by no leniency that is known" in event.divergence.summary for event in stricter)
    assert not any(isinstance(event, FailedCase) for event in events)


class Predicted(AnswerObserver):
    """An observer that knows the cause of each answer."""

    def excused_bytes(self, data: bytes) -> bool:
        return True


def predicted() -> WorkerEnvironment:
    return replace(small_environment.make()(), observer=Predicted())


def test_a_refusal_that_stands_for_a_predicted_answer_is_not_stricter() -> None:
    """A known cause predicts the codec's own answer: the refusal is the reference's, where Kafka reads on."""
    assert any(isinstance(event, StricterCase) for event in run())
    events = list(engine(predicted, OPTIONS).run([CELL]))
    assert not any(isinstance(event, StricterCase) for event in events)
    assert all("" not in cell.laxities for cell in done(events))


def test_a_lenient_codec_is_found_and_its_case_can_be_repeated() -> None:
    """Its failure has the bytes; replay makes the same case by its name, and it fails again."""
    events = run(wrong=lenient_codecs.null_taken)
    failure = next(event for event in events if isinstance(event, FailedCase))
    assert done(events)[0].verdicts[MalformedVerdict.LAXER] == done(events)[0].failed_cases > 0
    assert failure.phase is Phase.MUTATIONS
    environment = small_environment.make(wrong=lenient_codecs.null_taken)()
    (again,) = replay(environment, failure.cell, CaseId.parse(failure.case_id))
    assert again == failure
    for each in environment.limited:
        each.close()
    right = small_environment.make()()
    assert not replay(right, failure.cell, CaseId.parse(failure.case_id))
    with pytest.raises(NoSuchCaseError):
        replay(right, failure.cell, CaseId.parse(f"{CELL.id}/mutations/default/none@0"))
    for each in right.limited:
        each.close()


def failures(events: list[RunEvent]) -> list[FailedCase]:
    return [event for event in events if isinstance(event, FailedCase)]


def is_of_state(failure: FailedCase) -> bool:
    return failure.divergences[0].kind.startswith("state:")


def test_a_fault_of_state_is_blamed_on_an_earlier_request() -> None:
    """No field and no byte is blamed; the one necessary request is named, and a replay asks it first."""
    found = failures(run(wrong=lenient_codecs.AfterText))
    assert found
    assert all(map(is_of_state, found))
    failure = found[0]
    assert (failure.divergences[0].kind, failure.divergences[0].path) == ("state:laxer", "")
    assert len(failure.after) == 1
    assert failure.after[0].startswith(f"{failure.cell.id}/mutations/")
    assert failure.blame is not None
    assert failure.blame.whose is FaultOwner.CODEC
    assert "as the first of a fresh process, it is right" in failure.blame.evidence
    assert failure.blame.evidence.endswith(failure.after[0])

    environment = small_environment.make(wrong=lenient_codecs.AfterText)()
    assert replay(environment, failure.cell, CaseId.parse(failure.case_id), after=failure.after) == [failure]
    for each in environment.limited:
        each.close()


def test_the_requests_before_a_fault_of_state_are_reduced() -> None:
    """The cause is several requests back, among some dozens: a few are left, which show the failure."""
    failure = failures(run(wrong=lenient_codecs.AfterTags))[0]
    assert is_of_state(failure)
    environment = small_environment.make(wrong=lenient_codecs.AfterTags)()
    context = context_of(
        environment, RunOptions(), failure.cell, CellRecorder(CELL, str, print), lambda *_: None
    )
    names = [each.name for each in make_mutations(environment, context.target)]
    assert 3 <= len(failure.after) < names.index(CaseId.parse(failure.case_id).name) / 2
    (again,) = replay(environment, failure.cell, CaseId.parse(failure.case_id), after=failure.after)
    assert again.divergences == failure.divergences
    for each in environment.limited:
        each.close()


def test_a_leniency_besides_a_fault_of_state_keeps_its_field() -> None:
    """Both are reported: a failure that also occurs alone is blamed as usual, and names no earlier
    request."""
    found = failures(run(wrong=lenient_codecs.AfterTextAndNull))
    assert any(map(is_of_state, found))
    lax = [each for each in found if not is_of_state(each)]
    assert {each.divergences[0].path for each in lax} >= {"name"}
    for each in lax:
        assert each.after == ()
        assert each.blame is not None
        assert "fresh process" not in each.blame.evidence


def test_a_right_codec_gets_no_request_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a failure starts a fresh process, and few failures of one cause do."""
    starts: list[str] = []
    fresh = LimitedCodec.fresh

    def counted(codec: LimitedCodec) -> LimitedCodec:
        starts.append(codec.name)
        return fresh(codec)

    monkeypatch.setattr(LimitedCodec, "fresh", counted)

    def prove(wrong: Any = None) -> int:
        environment = small_environment.make(wrong=wrong)()
        CellProver(environment, OPTIONS, CELL, lambda event: None, lambda phase, names: None).prove()
        for each in environment.limited:
            each.close()
        return len(starts)

    assert prove() == 0
    assert 0 < prove(lenient_codecs.null_taken) <= 3
