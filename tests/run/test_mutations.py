"""The phase of mutations over real processes, with an oracle that needs no Java."""

from typing import Any

import pytest

import careless_codecs
import small_bench
from kafkawire.compiler import interpret_layout
from wireproof.adapters import LimitedCodec
from wireproof.model import Phase, Verdict
from wireproof.run import (
    CaseFailed,
    CaseName,
    CaseStricter,
    CellDone,
    Engine,
    MutationSet,
    NoSuchCaseError,
    RunEvent,
    RunOptions,
    replay,
)
from wireproof.run.mutations import spoiled
from wireproof.run.prover import CellProver
from wireproof.run.recorder import Recorder
from wireproof.run.trial import Trial

OPTIONS = RunOptions(phases=(Phase.MUTATIONS,))
CELL = small_bench.cell("PingRequest", 3)


def run(**traits: Any) -> list[RunEvent]:
    return list(Engine(small_bench.make(**traits), OPTIONS).run([CELL, small_bench.cell("PingResponse", 0)]))


def test_the_default_plan_has_a_slice_that_finds_an_allocation() -> None:
    """Fewer cases than the whole phase, and a codec that reserves what a length declares is found."""
    options = RunOptions(phases=(Phase.MUTATIONS,), mutations=MutationSet.SLICE)
    make = small_bench.make(wrong=careless_codecs.allocating)
    few, all_of_them = (done(list(Engine(make, each).run([CELL])))[0] for each in (options, OPTIONS))

    assert 0 < few.cases[Phase.MUTATIONS] < all_of_them.cases[Phase.MUTATIONS]
    failed = [each for each in Engine(make, options).run([CELL]) if isinstance(each, CaseFailed)]
    assert any(str(each.divergences[0].kind).startswith("blow-up") for each in failed)


def test_every_case_of_the_slice_can_be_tried_again() -> None:
    """Even one whose bytes the whole phase has under another name."""
    bench = small_bench.make()()
    subject = Trial(
        bench, RunOptions(), CELL, Recorder(CELL, str, lambda event: None), lambda phase, names: None
    ).subject
    names = [each.name for each in spoiled(bench, subject, sliced=True)]

    for name in names[:: max(1, len(names) // 7)]:
        assert replay(bench, CELL, CaseName.parse(f"{CELL.id}/mutations/{name}")) == []
    for each in bench.limited:
        each.close()


@pytest.mark.parametrize(("mutations", "asked"), [(MutationSet.SLICE, 1), (MutationSet.ALL, 2)])
def test_the_slice_asks_one_of_our_twins(mutations: MutationSet, asked: int) -> None:
    """The compiled twin hands what it refuses to the interpreted one; another codec is always asked."""
    options = RunOptions(phases=(Phase.MUTATIONS,), mutations=mutations)

    def cases(twins: int) -> int:
        bench = small_bench.make()()
        bench.limited = [*bench.limited, LimitedCodec("kafkawire[interpreted]", interpret_layout)][:twins]
        judged = CellProver(bench, options, CELL, lambda event: None, lambda phase, names: None).prove()
        for each in bench.limited:
            each.close()
        assert isinstance(judged, CellDone)
        return judged.cases[Phase.MUTATIONS]

    assert cases(2) == asked * cases(1)


def done(events: list[RunEvent]) -> list[CellDone]:
    return [event for event in events if isinstance(event, CellDone)]


def test_a_right_codec_agrees() -> None:
    """Bodies and frames; the twin that stands for Kafka leaves bytes behind a message unread.

    That it takes long varints, too, is no laxity of a release 1.0.0: told as unexplained, and no failure.
    """
    events = run()
    for cell in done(events):
        assert cell.failed_cases == 0
        assert set(cell.laxities) <= {"trailing-bytes", ""}
        assert sum(cell.verdicts.values()) == cell.cases[Phase.MUTATIONS] > 30
    told = [event for event in events if isinstance(event, CaseStricter)]
    assert told
    assert all("by no laxity that is known" in event.divergence.summary for event in told)
    assert not any(isinstance(event, CaseFailed) for event in events)


def test_a_careless_codec_is_found_and_its_case_can_be_tried_again() -> None:
    """Its failure has the bytes; replay makes the same case by its name, and finds it still there."""
    events = run(wrong=careless_codecs.null_taken)
    failure = next(event for event in events if isinstance(event, CaseFailed))
    assert done(events)[0].verdicts[Verdict.LAXER] == done(events)[0].failed_cases > 0
    assert failure.phase is Phase.MUTATIONS
    bench = small_bench.make(wrong=careless_codecs.null_taken)()
    (again,) = replay(bench, failure.cell, CaseName.parse(failure.case_id))
    assert again == failure
    for each in bench.limited:
        each.close()
    right = small_bench.make()()
    assert not replay(right, failure.cell, CaseName.parse(failure.case_id))
    with pytest.raises(NoSuchCaseError):
        replay(right, failure.cell, CaseName.parse(f"{CELL.id}/mutations/default/none@0"))
    for each in right.limited:
        each.close()
