"""A run in this process: it starts no worker, and every run here asks the same Kafka classes.

A worker process starts Python, a JVM and Kafka's classes again. Only a testee that is a process of its own,
or our own codec, may run so: a testee that dies then takes nothing else with it.
"""

import contextlib
import gc
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wireproof.app.assembly.run_plan import RunPlan, plan_run
from wireproof.app.cli.run.run_command import command, config_of
from wireproof.kafka.releases.jar_store import cache_folder
from wireproof.model.oracle import Oracle
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.run_events import RunEvent, RunFooter
from wireproof.proof.run.engine.inline import InlineProver
from wireproof.proof.testees.build.launch import Launch, SessionWrapper, prepare_testee
from wireproof.proof.testees.session.testee_session import TesteeSession
from wireproof.verdict.report.events.event_json import EventFile

_ORACLES: Final[dict[str, Oracle]] = {}
"""By release: opened once in this process."""


def prove_here(config: RunConfig, launch: Launch | None) -> list[RunEvent]:
    """Return the events of a run, from its header to its footer. Its testees have ended.

    Args:
        launch: the testee; None for our own codec.
    """
    _freeze_objects()
    with contextlib.nullcontext() if launch is None else _closing(launch) as closed:
        events = _events_of(plan_run(config, closed))
    _freeze_objects()  # the environment has cycles, and may hold large record sets
    return events


def _events_of(plan: RunPlan) -> list[RunEvent]:
    prover = InlineProver(_make_environment(plan), plan.options)
    return [plan.started(), *plan.engine(prover, part=False).run(plan.cells)]


def _freeze_objects() -> None:
    """Collect garbage, then take what is left from the garbage collector: it need not walk that again.

    What is left are modules, caches and the events of runs. These have no cycles, so each ends with its last
    reference.
    """
    gc.collect()
    gc.freeze()


def run_here(*words: str, launch: Launch | None = None) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit code and the events of ``wireproof run`` with these words, without shrinking.

    It records no failure. A test that reads what a process prints or leaves behind starts one.

    Args:
        launch: the testee, where no word names one.
    """
    config = config_of(command.make_context("run", [*words, "--jobs", "1", "--shrink", "0"]))
    if config.testee is not None:
        launch = prepare_testee(config.testee, cache_folder(), print)
    return as_json(prove_here(config, launch))


def as_json(events: Sequence[RunEvent]) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit code of a run, and its events as ``--events`` writes them."""
    text = io.StringIO()
    write = EventFile(text)
    for event in events:
        write(event)
    (footer,) = (event for event in events if isinstance(event, RunFooter))
    return int(footer.exit_code), [json.loads(line) for line in text.getvalue().splitlines()]


def _make_environment(plan: RunPlan) -> Callable[[], WorkerEnvironment]:
    def make() -> WorkerEnvironment:
        environment = plan.make_environment()
        oracles = {
            release: _ORACLES.setdefault(release, oracle) for release, oracle in environment.oracles.items()
        }
        return replace(environment, oracles=oracles)

    return make


@dataclass(slots=True)
class _Kept:
    """Keeps each session that is opened.

    Attributes:
        inner: wraps the session too, for instance with a planted bug.
    """

    inner: SessionWrapper | None
    sessions: list[TesteeSession] = field(default_factory=list)

    def wrap(self, testee: TesteeSession) -> TesteeSession:
        session = testee if self.inner is None else self.inner.wrap(testee)
        self.sessions.append(session)
        return session


@contextlib.contextmanager
def _closing(launch: Launch) -> Iterator[Launch]:
    """Yield the launch; at the end close all sessions that it opened."""
    kept = _Kept(launch.wrapper)
    try:
        yield replace(launch, wrapper=kept)
    finally:
        for session in kept.sessions:
            session.close()
