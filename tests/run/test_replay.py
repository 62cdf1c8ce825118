"""Replay of a case by its name: it fails as often as it fails in a run."""

from typing import Any

from kafkawire.compiler import interpret_layout
from tests.support.environments import small_environment
from wireproof.model.cell import CaseId, Phase
from wireproof.proof.run.core.cell_events import FailedCase
from wireproof.proof.run.core.plan import REPORTED_EACH, RunOptions
from wireproof.proof.run.engine.case_replay import replay
from wireproof.proof.run.engine.engine import Engine

CELL = small_environment.cell("PingRequest", 3)


class Longer:
    """A codec that writes a byte too many."""

    def __init__(self, layout: Any) -> None:
        self._codec = interpret_layout(layout)

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value) + b"\0"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codec, name)


def test_a_failure_that_a_run_only_counts_is_repeated() -> None:
    """A run reports three failures of a cause one by one; the others are not gone."""
    make = small_environment.make(wrong=Longer)
    options = RunOptions(phases=(Phase.FRAME,), shrink_s=0, reported_each=1000)
    failed = [each for each in Engine(make, options, 1).run([CELL]) if isinstance(each, FailedCase)]
    assert len(failed) > REPORTED_EACH
    last = CaseId.parse(failed[-1].case_id)

    (again,) = replay(make(), CELL, last)

    assert again.divergences == failed[-1].divergences
    assert replay(small_environment.make()(), CELL, last) == []
