"""The bulk phase over real processes: seeded cases that are resumed, reported, shrunk and repeated."""

from typing import Any

import pytest

from kafkawire.canonical import canonical
from tests.run import long_text_cut
from tests.support.environments import small_environment
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import CaseId, Phase
from wireproof.proof.run.core.cell_events import CellProgress, CellResult, FailedCase, ShrunkCase
from wireproof.proof.run.core.cell_recorder import CellRecorder
from wireproof.proof.run.core.plan import OTHERS_EVERY, RunOptions
from wireproof.proof.run.core.run_events import RunEvent, RunFooter
from wireproof.proof.run.engine.case_replay import replay
from wireproof.proof.run.engine.engine import Engine
from wireproof.proof.run.phases.bulk_phase import name_of, number_in
from wireproof.proof.run.provers.message_prover import CellProver

CELL = small_environment.cell("PingRequest", 3)


def options(cases: int, first: int = 0, **more: Any) -> RunOptions:
    return RunOptions(phases=(Phase.BULK,), cases=cases, first_case=first, **more)


def run(cases: int, first: int = 0, *, jobs: int = 1, wrong: Any = None, **more: Any) -> list[RunEvent]:
    engine = Engine(small_environment.make(wrong=wrong), options(cases, first, **more), jobs)
    return list(engine.run([CELL, small_environment.cell("PingResponse", 3)]))


def of(events: list[RunEvent], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


def sums(events: list[RunEvent]) -> dict[Any, tuple[int, int]]:
    return {event.cell: (event.cases[Phase.BULK], event.data_bytes) for event in of(events, CellResult)}


def test_the_number_of_processes_does_not_change_the_cases():
    """One process and two give the same number of cases and the same bytes."""
    one, two = sums(run(1000)), sums(run(1000, jobs=2))
    assert one == two
    assert {cases for cases, _ in one.values()} == {1000}


def test_a_run_continues_where_another_stopped():
    """The cases and bytes of the two parts add up to those of the whole."""
    whole, first, second = sums(run(900)), sums(run(300)), sums(run(600, 300))
    assert whole == {
        cell: (first[cell][0] + second[cell][0], first[cell][1] + second[cell][1]) for cell in whole
    }


def test_a_failure_is_reported_as_found_and_then_shrunk():
    """Three failures of one cause are reported as found; the first is shrunk to the limits of the bug."""
    events = run(2000, wrong=long_text_cut.Codec)

    failed, shrunk = of(events, FailedCase), of(events, ShrunkCase)
    assert len(failed) == 3
    (small,) = shrunk
    assert small.case_id == failed[0].case_id
    assert events.index(failed[0]) < events.index(small)
    value = canonical(small_environment.make()().layouts.of(CELL)).from_json(small.value)
    assert {name: item for name, item in value.items() if item} == {"name": "a" * 100, "count": 3}
    done = next(event for event in of(events, CellResult) if event.cell == CELL)
    assert done.failed_cases > 3
    assert of(events, RunFooter)[0].exit_code is ExitCode.DIVERGENCE


def test_a_failure_is_repeated_from_its_name_alone():
    """The number in the name determines the case; a right codec passes it."""
    failed = of(run(2000, wrong=long_text_cut.Codec, shrink_s=0), FailedCase)[0]
    case = CaseId.parse(failed.case_id)

    assert replay(small_environment.make()(), CELL, case) == []
    (again,) = replay(small_environment.make(wrong=long_text_cut.Codec)(), CELL, case)
    assert again.case_id == failed.case_id
    assert again.value == failed.value
    assert again.divergences[0] == failed.divergences[0]


def test_shrinking_has_a_time_limit():
    """With a limit of zero seconds no failure is shrunk."""
    assert not of(run(2000, wrong=long_text_cut.Codec, shrink_s=0), ShrunkCase)


def test_other_codecs_than_the_first_get_some_cases(monkeypatch):
    """One case in 32 is sent to all codecs."""
    environment = small_environment.make()()
    asked: list[int] = []
    second = environment.adapters[1]
    ask = second.ask

    def counted(cell: Any, layout: Any, requests: Any) -> Any:
        asked.append(len(requests))
        return ask(cell, layout, requests)

    monkeypatch.setattr(second, "ask", counted)
    CellProver(environment, options(320), CELL, lambda event: None, lambda phase, names: None).prove()
    encodes = sum(asked) // 3  # to encode, to size, to decode
    assert encodes == 320 // OTHERS_EVERY


def test_an_interrupted_cell_keeps_its_judged_cases():
    """The cases of an unfinished cell are counted, and the run is incomplete."""
    engine, events = Engine(small_environment.make(), options(10**9), budget_s=600), []
    for event in engine.run([CELL]):
        events.append(event)
        if isinstance(event, CellProgress):
            engine.budget_s = 0

    footer = of(events, RunFooter)[0]
    assert footer.totals.cases[Phase.BULK] == of(events, CellProgress)[-1].cases[Phase.BULK] > 0
    assert footer.exit_code is ExitCode.BELOW_FLOOR


def test_an_interrupted_cell_does_not_hide_a_failure():
    """A failure reported before the end counts, although its cell is not done."""
    engine, events = (
        Engine(small_environment.make(wrong=long_text_cut.Codec), options(10**9), budget_s=600),
        [],
    )
    for event in engine.run([CELL]):
        events.append(event)
        if isinstance(event, FailedCase):
            engine.budget_s = 0

    assert not of(events, CellResult)
    assert of(events, RunFooter)[0].exit_code is ExitCode.DIVERGENCE


@pytest.mark.parametrize("number", [0, 255, 256, 10**7])
def test_a_name_holds_its_number(number: int):
    """A number can be read back from a name; other names have none."""
    assert number_in(name_of(12, number)) == number
    assert CaseId.parse(f"1.0.0/PingRequest/3/bulk/{name_of(12, number)}").seed == 12
    assert number_in("seed-12") is None


def test_progress_is_reported_once_a_second(monkeypatch):
    """It is reported once a second instead of with each batch."""
    now = [0.0]
    monkeypatch.setattr("wireproof.proof.run.core.cell_recorder.time.monotonic", lambda: now[0])
    events: list[Any] = []
    recorder = CellRecorder(CELL, str, events.append)
    for second in (0.5, 0.9, 1.1, 1.5, 2.2):
        now[0] = second
        recorder.count(Phase.BULK, 10, 100, 0)
        recorder.progress()
    assert [event.cases[Phase.BULK] for event in events] == [30, 50]
