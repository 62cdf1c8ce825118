"""Client programs that report each finished step as a line of JSON on stdout.

{"step": "produce/zstd", "outcome": "done", "ms": 12}
{"step": "produce/unknown-topic", "outcome": "refused", "error": "the error's text", "ms": 7}
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

from wireproof.base.files import open_private
from wireproof.base.text.parsing import parse_json
from wireproof.traffic.capture.brokers.processes.node_process import die_with_parent_command, log_excerpt
from wireproof.traffic.capture.capture_error import CaptureError

REPLICAS: Final = 3
"""The largest replication factor of a topic."""
_LAST: Final = "end"
_NO_CLUSTER: Final = 1


class StepOutcome(StrEnum):
    """The outcome of a step."""

    DONE = "done"
    REFUSED = "refused"
    """The broker answered with an error."""
    UNSUPPORTED = "unsupported"
    """The broker does not support the API that this step needs."""
    LATE = "late"
    """No answer within the client's own timeout."""
    ABSENT = "absent"
    """The client is too old to have this call."""
    FAILED = "failed"
    """Any other failure."""


@dataclass(frozen=True, slots=True)
class StepEnd:
    """A finished step.

    Attributes:
        name: such as ``produce/zstd``.
        error: the error's class and text; ``""`` if it is done.
    """

    name: str
    outcome: StepOutcome
    error: str
    duration_ms: int


@dataclass(frozen=True, slots=True)
class ClientProgram:
    """The command of a client program.

    Attributes:
        title: names the clients in messages.
        log: stderr of the program is appended to this file.
        folder: the working directory; None for the current one.
        environment: additional environment variables.
        limit_s: seconds until the program is killed; None for no limit.
    """

    title: str
    command: Sequence[str]
    log: Path
    folder: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    limit_s: float | None = None

    def run(self) -> Iterator[StepEnd]:
        """Run the program; iterate over its steps as they finish. Closing the iterator ends the program.

        Raises:
            CaptureError: the program cannot be started, or it ended before its last step.
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
            with open_private(self.log, "ab") as stderr:
                return subprocess.Popen(
                    die_with_parent_command(self.command),
                    cwd=self.folder,
                    env={**os.environ, **self.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
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
        reason = (
            "the cluster does not answer them" if code == _NO_CLUSTER else f"they ended with exit code {code}"
        )
        raise CaptureError(f"{self.title}: {reason}. The end of {self.log}:\n{log_excerpt(self.log)}")

    def _step(self, line: str) -> StepEnd:
        try:
            step = parse_json(line)
            return StepEnd(step["step"], StepOutcome(step["outcome"]), step.get("error", ""), step["ms"])
        except (ValueError, KeyError, TypeError) as error:
            raise CaptureError(
                f"{self.title} wrote a line that is not a step: {line.rstrip()[:200]}"
            ) from error


def steps_facts(ends: Iterable[StepEnd]) -> list[Mapping[str, Any]]:
    """Return the steps as rows of capture.json."""
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
    """Return the number of steps of each outcome as text: ``92 done, 23 refused``."""
    counts = Counter(end.outcome for end in ends)
    return ", ".join(f"{counts[each]} {each}" for each in StepOutcome if counts[each])
