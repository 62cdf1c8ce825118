"""Programs that are clients and tell of each step when it is over: a line of JSON on standard output.

{"step": "produce/zstd", "outcome": "done", "ms": 12}
{"step": "produce/unknown-topic", "outcome": "refused", "error": "what it says", "ms": 7}
{"step": "end", "outcome": "done", "ms": 0}
"""

import os
import subprocess
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from wireproof.capture.brokers.processes.node_process import die_with_parent_command, log_excerpt
from wireproof.capture.capture_error import CaptureError
from wireproof.parsing import parse_json

__all__ = ["REPLICAS", "ClientProgram", "StepOutcome", "StepEnd", "counted", "steps_facts"]

REPLICAS: Final = 3
"""At most so many of each topic."""
_LAST: Final = "end"
_NO_CLUSTER: Final = 1


class StepOutcome(StrEnum):
    """How a step ended."""

    DONE = "done"
    REFUSED = "refused"
    """The broker answered with an error: part of what one wants to see."""
    UNSUPPORTED = "unsupported"
    """The broker has no version of the API that this step needs."""
    LATE = "late"
    """No answer within the client's own limits."""
    ABSENT = "absent"
    """The client is too old to have the call."""
    FAILED = "failed"
    """Anything else."""


@dataclass(frozen=True, slots=True)
class StepEnd:
    """One step, once it is over.

    Attributes:
        name: such as ``produce/zstd``.
        error: the error's class and text; ``""`` where it is done.
    """

    name: str
    outcome: StepOutcome
    error: str
    duration_ms: int


@dataclass(frozen=True, slots=True)
class ClientProgram:
    """A program, and how it is started.

    Attributes:
        who: whose clients they are, in messages.
        log: what they say goes to the end of this file.
        folder: where it runs; None for here.
        environment: beside what is there.
        limit_s: it is ended then; None lets it run.
    """

    who: str
    command: Sequence[str]
    log: Path
    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    limit_s: float | None = None

    def run(self) -> Iterator[StepEnd]:
        """All steps, each told when it is over. Closing the iterator ends the program.

        Raises:
            CaptureError: it cannot be started, or ended before its last step.
        """
        with self._started() as process:
            timer = threading.Timer(self.limit_s or threading.TIMEOUT_MAX, process.kill)
            timer.daemon = True
            timer.start()
            try:
                yield from self._steps(process)
            finally:
                timer.cancel()
                process.kill()

    def _started(self) -> "subprocess.Popen[str]":
        try:
            with self.log.open("ab") as words:
                return subprocess.Popen(
                    die_with_parent_command(self.command),
                    cwd=self.folder,
                    env={**os.environ, **self.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=words,
                    encoding="utf-8",
                    start_new_session=True,
                )
        except OSError as error:
            raise CaptureError(f"cannot start {self.command[0]}: {error}") from error

    def _steps(self, process: "subprocess.Popen[str]") -> Iterator[StepEnd]:
        assert process.stdout is not None
        for line in process.stdout:
            end = self._step(line)
            if end.name == _LAST:
                return
            yield end
        code = process.wait()
        why = (
            "the cluster does not answer them" if code == _NO_CLUSTER else f"they ended with exit code {code}"
        )
        raise CaptureError(f"{self.who}: {why}. The end of {self.log}:\n{log_excerpt(self.log)}")

    def _step(self, line: str) -> StepEnd:
        try:
            told = parse_json(line)
            return StepEnd(told["step"], StepOutcome(told["outcome"]), told.get("error", ""), told["ms"])
        except (ValueError, KeyError, TypeError) as error:
            raise CaptureError(f"{self.who} wrote a line that is no step: {line.rstrip()[:200]}") from error


def steps_facts(ends: Iterable[StepEnd]) -> list[Mapping[str, Any]]:
    """For capture.json."""
    return [
        {
            "step": end.name,
            "outcome": end.outcome,
            **({"error": end.error} if end.error else {}),
            "ms": end.duration_ms,
        }
        for end in ends
    ]


def counted(ends: Iterable[StepEnd]) -> str:
    """How many steps ended in each way: ``92 done, 23 refused``."""
    counts = Counter(end.outcome for end in ends)
    return ", ".join(f"{counts[each]} {each}" for each in StepOutcome if counts[each])
