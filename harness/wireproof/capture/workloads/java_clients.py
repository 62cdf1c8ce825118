"""Kafka's own Java clients doing all that they can, against a cluster (`java/workload`).

A program of ours drives producers, consumers of each group protocol, and every call of the admin client. It
runs with the clients of whichever release one wants to see; what these lack is told, step by step.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from wireproof.capture.address import Address
from wireproof.capture.brokers.process import last_lines, leashed
from wireproof.capture.errors import CaptureError

__all__ = ["JavaClients", "Outcome", "StepEnd"]

_MAIN: Final = "io.wireproof.workload.Main"
_JVM: Final = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_LAST: Final = "end"
_NO_CLUSTER: Final = 1


class Outcome(StrEnum):
    """How a step ended."""

    DONE = "done"
    REFUSED = "refused"
    """The broker answered with an error: part of what one wants to see."""
    UNSUPPORTED = "unsupported"
    """The broker has no version of the API that this step needs."""
    LATE = "late"
    """No answer within the client's own limits."""
    ABSENT = "absent"
    """The clients' jar is too old to have the call."""
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
    outcome: Outcome
    error: str
    duration_ms: int


@dataclass(frozen=True, slots=True)
class JavaClients:
    """The program, and the clients it drives.

    Attributes:
        java: the Java program.
        class_path: the compiled workload, the clients' jars, a logging binding.
        log: what the clients say goes here.
    """

    java: Path
    class_path: Sequence[Path]
    log: Path

    def run(self, bootstrap: Address, replicas: int, sasl: Address | None = None) -> Iterator[StepEnd]:
        """All steps, each told when it is over. Closing the iterator ends the program.

        Args:
            replicas: of each topic that it makes.
            sasl: a listener where the user of the workload may log in; without one, those steps are left out.

        Raises:
            CaptureError: the cluster does not answer, or the program ended before its last step.
        """
        addresses = [_text(bootstrap), str(replicas), *([_text(sasl)] if sasl else [])]
        class_path = os.pathsep.join(map(str, self.class_path))
        command = [str(self.java), *_JVM, "-cp", class_path, _MAIN, *addresses]
        with self._started(command) as process:
            try:
                yield from self._steps(process)
            finally:
                process.kill()

    def _started(self, command: Sequence[str]) -> "subprocess.Popen[str]":
        try:
            with self.log.open("ab") as words:
                return subprocess.Popen(
                    leashed(command),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=words,
                    encoding="utf-8",
                    start_new_session=True,
                )
        except OSError as error:
            raise CaptureError(f"cannot start {command[0]}: {error}") from error

    def _steps(self, process: "subprocess.Popen[str]") -> Iterator[StepEnd]:
        assert process.stdout is not None
        for line in process.stdout:
            end = _step(line)
            if end.name == _LAST:
                return
            yield end
        code = process.wait()
        why = (
            "the cluster does not answer them" if code == _NO_CLUSTER else f"they ended with exit code {code}"
        )
        raise CaptureError(f"Kafka's clients: {why}. The end of {self.log}:\n{last_lines(self.log)}")


def _step(line: str) -> StepEnd:
    try:
        told = json.loads(line)
        return StepEnd(told["step"], Outcome(told["outcome"]), told.get("error", ""), told["ms"])
    except (ValueError, KeyError, TypeError) as error:
        raise CaptureError(f"Kafka's clients wrote a line that is no step: {line.rstrip()[:200]}") from error


def _text(address: Address) -> str:
    return f"{address[0]}:{address[1]}"
