"""Benches for campaigns on Spark, made in its workers: without Kafka's classes, and deadly when told to."""

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import ZipFile

from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from tests.support.oracles.twin_oracle import TwinOracle
from wireproof.model import Cell, OracleReply
from wireproof.pipeline.campaign.campaign_worker import Find
from wireproof.run import MakeEnvironment, WorkerEnvironment


def write_archive(folder: Path) -> Path:
    """Write the modules that workers import, in a zip file for `SparkContext.addPyFile`; return its path."""
    tests = Path(__file__).parents[2]
    path = folder / "tests.zip"
    with ZipFile(path, "w") as archive:
        for module in (tests / "__init__.py", *(tests / "support").rglob("*.py")):
            archive.write(module, module.relative_to(tests.parent))
    return path


@dataclass(frozen=True)
class There:
    """The bench that one process would have."""

    make: MakeEnvironment

    def __call__(self, find: Find) -> WorkerEnvironment:
        return self.make()


@dataclass(frozen=True)
class Killed:
    """A bench whose worker is killed when it is asked for a while, as often as the folder has no such file.

    Args:
        times: how often.
        asked: questions before that.
    """

    make: MakeEnvironment
    folder: Path
    times: int
    asked: int

    def __call__(self, find: Find) -> WorkerEnvironment:
        bench = self.make()
        oracle = bench.oracles[small_environment.RELEASE]
        assert isinstance(oracle, TwinOracle)
        deadly = _Deadly(oracle.release, oracle.layouts, countdown=self._countdown())
        return replace(bench, oracles={small_environment.RELEASE: deadly})

    def _countdown(self) -> Callable[[], None]:
        left = self.asked

        def count() -> None:
            nonlocal left
            left -= 1
            if left:
                return
            for time in range(self.times):
                mark = self.folder / f"killed-{time}"
                if not mark.exists():
                    mark.touch()
                    os.kill(os.getpid(), signal.SIGKILL)

        return count


@dataclass
class _Deadly(TwinOracle):
    countdown: Callable[[], None] = lambda: None

    def write(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        self.countdown()
        return super().write(cell, layout, values)
