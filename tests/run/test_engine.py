"""The run over real processes, with an oracle that needs no Java."""

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.support.environments import small_environment
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Phase
from wireproof.proof.run.core.cell_events import (
    CellResult,
    CellRetry,
    FailedCase,
    LostCase,
    LostCell,
    ShrunkCase,
)
from wireproof.proof.run.core.environment import WorkerEnvironment, all_cells
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import BrokenRun, RunEvent, RunFooter
from wireproof.proof.run.engine.engine import Engine

OPTIONS = RunOptions(phases=small_environment.PHASES, examples=50, shrink_s=2.0)
CELLS = list(all_cells(small_environment.schemas()))


def run(engine: Engine, cells=CELLS) -> list[RunEvent]:
    return list(engine.run(cells))


def of(events: list[RunEvent], kind: type) -> list:
    return [event for event in events if isinstance(event, kind)]


def test_a_right_codec_is_proven_in_every_cell():
    """All cells are done, each phase has run in each, and the exit code is 0."""
    events = run(Engine(small_environment.make(), OPTIONS, jobs=2))

    assert {event.cell for event in of(events, CellResult)} == set(CELLS)
    assert all(
        event.cases[Phase.ENUMERATED] and event.cases[Phase.RANDOM] for event in of(events, CellResult)
    )
    (footer,) = of(events, RunFooter)
    assert footer.exit_code is ExitCode.PROVEN
    assert footer.totals.cells_done == len(CELLS)
    assert events[-1] is footer


def test_a_codec_that_fails_in_threads_is_reported_with_the_value():
    """Two threads ask about all scripted values; the failure names the value."""
    options = replace(OPTIONS, phases=(Phase.ENUMERATED,))
    cell = small_environment.cell("PingRequest", 1)
    events = run(Engine(small_environment.make(wrong=small_environment.EmptyInThreads), options), [cell])

    failed = of(events, FailedCase)
    assert {divergence.check for event in failed for divergence in event.divergences} == {"threads"}
    # The least instance is the empty one: only the others show it.
    assert {event.case_id.split("/", 4)[4] for event in failed} == {"message/fullest", "message/nulls"}


def test_two_runs_try_the_same_cases():
    """The seed decides alone: counts and bytes of every cell are the same, also with more jobs."""
    first, second = (run(Engine(small_environment.make(), OPTIONS, jobs=jobs)) for jobs in (1, 2))

    def sums(events):
        return {event.cell: (event.cases, event.data_bytes) for event in of(events, CellResult)}

    assert sums(first) == sums(second)


def test_a_failure_is_reported_as_found_first_and_then_shrunk():
    """The codec writes null as the empty string: the bytes differ where null is allowed, and null is not
    refused where it is not."""
    events = run(Engine(small_environment.make(wrong=small_environment.NullAsEmpty), OPTIONS))

    failed = of(events, FailedCase)
    assert {event.cell.message for event in failed} == {"PingRequest"}
    checks = {
        version: {e.divergences[0].check for e in failed if e.cell.version == version} for version in range(4)
    }
    assert checks == {0: {"refusal"}, 1: {"bytes"}, 2: {"bytes"}, 3: {"bytes"}}
    assert "name/null" in {event.case_id.split("/", 4)[4] for event in failed}
    assert {event.divergences[0].path for event in failed if event.phase is Phase.ENUMERATED} == {"name"}
    random = next(event for event in failed if event.phase is Phase.RANDOM)
    shrunk = next(event for event in of(events, ShrunkCase) if event.case_id == random.case_id)
    assert events.index(random) < events.index(shrunk)
    assert '"name":null' in shrunk.value
    assert of(events, RunFooter)[0].exit_code is ExitCode.DIVERGENCE


def test_shrinking_has_a_limit_over_all_cells():
    """Without time for it no failure is shrunk, but each is reported."""
    options = replace(OPTIONS, shrink_all_s=0.0)
    events = run(Engine(small_environment.make(wrong=small_environment.NullAsEmpty), options))

    assert of(events, FailedCase)
    assert of(events, ShrunkCase) == []


def test_a_case_that_kills_its_process_is_lost_and_the_run_continues():
    """The oracle dies at one value: that case is lost by name, and every cell is done."""
    cells = [small_environment.cell("PingRequest", 0), small_environment.cell("PingResponse", 0)]
    events = run(Engine(small_environment.make(deadly="\0é€".encode()), OPTIONS, jobs=2), cells)

    lost = of(events, LostCase)
    assert lost
    assert {event.cell.message for event in lost} == {"PingRequest"}
    assert f"{small_environment.cell('PingRequest', 0).id}/enumerated/name/utf8-mixed" in {
        event.case_id for event in lost
    }
    assert all("signal 9" in event.reason for event in lost)
    assert {event.cell for event in of(events, CellRetry)} == {event.cell for event in lost}
    done = {event.cell for event in of(events, CellResult)}
    given_up = {event.cell for event in of(events, LostCell)}
    assert done | given_up == set(cells)
    assert not any(cell.message == "PingResponse" for cell in given_up)
    assert of(events, RunFooter)[0].exit_code is ExitCode.BROKEN


@pytest.mark.parametrize(("each", "all_", "words"), [(1, 9, "1 processes ended so"), (9, 1, "not begun: 1 ")])
def test_processes_do_not_die_without_end(
    monkeypatch: pytest.MonkeyPatch, each: int, all_: int, words: str
) -> None:
    """Each death may cost a codec's time limit. After many deaths a cell is given up at its first one, and
    later the remaining cells are not begun; all of this is reported."""
    monkeypatch.setattr("wireproof.proof.run.engine.cell_pool._MOST_DEATHS", each)
    monkeypatch.setattr("wireproof.proof.run.engine.cell_pool._GIVEN_UP", all_)
    cells = [small_environment.cell("PingRequest", version) for version in range(4)]
    events = run(Engine(small_environment.make(deadly="\0é€".encode()), OPTIONS, jobs=1), cells)

    lost = {event.cell: event.reason for event in of(events, LostCell)}
    assert any(words in reason for reason in lost.values())
    assert lost.keys() | {event.cell for event in of(events, CellResult)} == set(cells)
    assert of(events, RunFooter)[0].exit_code is ExitCode.BROKEN


def test_a_broken_oracle_ends_the_run_with_its_reason():
    """The oracle's reason is passed on, and no verdict is invented."""
    events = run(Engine(small_environment.make(broken=True), OPTIONS, jobs=2))

    assert "broken on purpose" in of(events, BrokenRun)[0].message
    assert of(events, RunFooter)[0].exit_code is ExitCode.BROKEN


def test_an_interrupt_keeps_what_was_found():
    """After Ctrl-C the finished cells stay counted, and the footer says interrupted."""
    engine = Engine(small_environment.make(), OPTIONS)
    events = []
    for event in engine.run(CELLS):
        events.append(event)
        if isinstance(event, CellResult):
            engine.interrupt()

    (footer,) = of(events, RunFooter)
    assert footer.exit_code is ExitCode.INTERRUPTED
    assert 1 <= footer.totals.cells_done < len(CELLS)


def test_a_budget_that_is_too_short_is_not_proven():
    """Cells that were not reached make the run incomplete."""
    (footer,) = of(run(Engine(small_environment.make(), OPTIONS, budget_s=1e-6)), RunFooter)

    assert footer.exit_code is ExitCode.BELOW_FLOOR
    assert footer.totals.cells_done < footer.totals.cells_selected


def test_a_run_without_cells_is_not_a_proof():
    """A run without cells says so."""
    (footer,) = of(run(Engine(small_environment.make(), OPTIONS), []), RunFooter)

    assert footer.exit_code is ExitCode.NOTHING_RAN


@pytest.mark.parametrize(
    "phase", [Phase.ENUMERATED, Phase.ORACLE, Phase.FRAME, Phase.EVOLUTION, Phase.RANDOM]
)
def test_each_phase_runs_alone(phase):
    """Only the requested phase runs."""
    cell = small_environment.cell("PingRequest", 3)
    events = run(Engine(small_environment.make(), RunOptions(phases=(phase,), examples=5)), [cell])

    (done,) = of(events, CellResult)
    assert set(done.cases) == {phase}
    assert done.cases[phase] > 0


@dataclass(frozen=True)
class KilledEnvironment:
    """Makes a worker environment; kill -9 ends the first so many processes that call it.

    Attributes:
        folder: has a file for each killed process.
    """

    folder: Path
    deaths: int

    def __call__(self) -> WorkerEnvironment:
        dead = len(list(self.folder.iterdir()))
        if dead < self.deaths:
            (self.folder / str(dead)).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return small_environment.make()()


def test_a_worker_that_is_killed_while_it_starts_is_replaced(tmp_path: Path):
    """Its cell is proven by the next worker."""
    cells = [small_environment.cell("PingRequest", version) for version in (1, 2)]
    options = RunOptions(phases=(Phase.ENUMERATED,))
    events = run(Engine(KilledEnvironment(tmp_path, 1), options, jobs=1), cells)
    assert [done.cell for done in of(events, CellResult)] == cells
    assert of(events, LostCell) == []


def test_a_cell_whose_workers_all_die_is_lost(tmp_path: Path):
    """Two deaths before the first case are enough."""
    cell = small_environment.cell("PingRequest", 1)
    options = RunOptions(phases=(Phase.ENUMERATED,))
    (lost,) = of(run(Engine(KilledEnvironment(tmp_path, 9), options, jobs=1), [cell]), LostCell)
    assert lost.reason.endswith("before its first case, twice")


def test_no_process_is_left_when_the_parent_is_killed(tmp_path: Path):
    """After kill -9 of the parent its workers see the end of their pipe, and exit."""
    script = tmp_path / "parent.py"
    script.write_text(
        "import os, signal, multiprocessing\n"
        "from tests.support.environments import small_environment\n"
        "from wireproof.proof.run.core.cell_events import CellResult\n"
        "from wireproof.proof.run.core.environment import all_cells\n"
        "from wireproof.proof.run.core.plan import RunOptions\n"
        "from wireproof.proof.run.engine.engine import Engine\n"
        "if __name__ == '__main__':\n"
        "    engine = Engine(small_environment.make(), RunOptions(phases=small_environment.PHASES), jobs=2)\n"
        "    for event in engine.run(list(all_cells(small_environment.schemas()))):\n"
        "        if isinstance(event, CellResult):\n"
        "            print(*[child.pid for child in multiprocessing.active_children()], flush=True)\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    paths = os.pathsep.join(path for path in sys.path if path)
    ran = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths}
    )

    assert ran.returncode == -signal.SIGKILL, ran.stderr
    children = [int(word) for word in ran.stdout.split()]
    assert children
    deadline = threading.Event()
    for _ in range(300):
        if not any(_lives(child) for child in children):
            break
        deadline.wait(0.1)
    assert not any(_lives(child) for child in children)


def _lives(pid: int) -> bool:
    """Return true if a process runs; one that is dead and not yet reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
