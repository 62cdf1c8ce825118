"""The phase of mutations over real processes, with an oracle that needs no Java."""

from typing import Any

import pytest

import careless_codecs
import small_bench
from wireproof.model import Phase, Verdict
from wireproof.run import (
    CaseFailed,
    CaseName,
    CaseStricter,
    CellDone,
    Engine,
    NoSuchCaseError,
    RunEvent,
    RunOptions,
    replay,
)

OPTIONS = RunOptions(phases=(Phase.MUTATIONS,))
CELL = small_bench.cell("PingRequest", 3)


def run(**traits: Any) -> list[RunEvent]:
    return list(Engine(small_bench.make(**traits), OPTIONS).run([CELL, small_bench.cell("PingResponse", 0)]))


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
