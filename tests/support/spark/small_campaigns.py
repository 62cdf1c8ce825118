"""Worker environments for campaigns on Spark, without Kafka's classes; some kill their worker on purpose."""

import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import ZipFile

from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from tests.support.oracles.interpreted_oracle import InterpretedOracle
from wireproof.model.cell import Cell
from wireproof.model.oracle import OracleReply
from wireproof.pipeline.campaign.campaign_worker import Find
from wireproof.proof.run.core.environment import MakeEnvironment, WorkerEnvironment


def write_archive(folder: Path) -> Path:
    """Write the modules that workers import, in a zip file for `SparkContext.addPyFile`; return its path."""
    tests = Path(__file__).parents[2]
    path = folder / "tests.zip"
    with ZipFile(path, "w") as archive:
        for module in (tests / "__init__.py", *(tests / "support").rglob("*.py")):
            archive.write(module, module.relative_to(tests.parent))
    return path


@dataclass(frozen=True)
class LocalEnvironment:
    """Make the environment that one process would have."""

    make: MakeEnvironment

    def __call__(self, find: Find) -> WorkerEnvironment:
        return self.make()


@dataclass(frozen=True)
class CrashingEnvironment:
    """Make an environment that kills its worker after some questions.

    Args:
        folder: has a file for each kill so far.
        times: the number of kills.
        asked: questions before a kill.
    """

    make: MakeEnvironment
    folder: Path
    times: int
    asked: int

    def __call__(self, find: Find) -> WorkerEnvironment:
        environment = self.make()
        oracle = environment.oracles[small_environment.RELEASE]
        assert isinstance(oracle, InterpretedOracle)
        deadly = _Deadly(oracle.release, oracle.layouts, countdown=self._countdown())
        return replace(environment, oracles={small_environment.RELEASE: deadly})

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
class _Deadly(InterpretedOracle):
    countdown: Callable[[], None] = lambda: None

    def write(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        self.countdown()
        return super().write(cell, layout, values)
