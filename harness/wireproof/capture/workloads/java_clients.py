"""Kafka's own Java clients doing all that they can, against a cluster (`java/workload`).

A program of ours drives producers, consumers of each group protocol, and every call of the admin client. It
runs with the clients of whichever release one wants to see; what these lack is told, step by step.
"""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from wireproof.capture.address import Address
from wireproof.capture.brokers import Listener
from wireproof.capture.brokers.process import last_lines, leashed
from wireproof.capture.errors import CaptureError
from wireproof.capture.session import Stage

__all__ = ["ClientCalls", "JavaClients", "Outcome", "StepEnd"]

_MAIN: Final = "io.wireproof.workload.Main"
_JVM: Final = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
_LAST: Final = "end"
_NO_CLUSTER: Final = 1
_REPLICAS: Final = 3


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


class ClientCalls:
    """All that the clients of the cluster's own release do, as a workload."""

    name = "java-clients"

    def __init__(self, clients: JavaClients) -> None:
        self._clients = clients
        self.ends: list[StepEnd] = []

    def run(self, stage: Stage) -> None:
        """All steps, with a line for those that should have gone otherwise."""
        replicas = min(_REPLICAS, len(stage.cluster.brokers))
        stage.tell("Kafka's clients, with all that they can do")
        for end in self._clients.run(stage.bootstrap, replicas, stage.first(Listener.SASL)):
            self.ends.append(end)
            if end.outcome in (Outcome.FAILED, Outcome.LATE):
                stage.tell(f"{end.name} {end.outcome}: {end.error}")
        counts = Counter(end.outcome for end in self.ends)
        words = ", ".join(f"{counts[each]} {each}" for each in Outcome if counts[each])
        stage.tell(f"{len(self.ends)} steps of Kafka's clients: {words}")

    def facts(self) -> Mapping[str, Any]:
        """Each step with its outcome."""
        steps = []
        for end in self.ends:
            error = {"error": end.error} if end.error else {}
            steps.append({"step": end.name, "outcome": end.outcome, **error, "ms": end.duration_ms})
        return {"steps": steps}


def _step(line: str) -> StepEnd:
    try:
        told = json.loads(line)
        return StepEnd(told["step"], Outcome(told["outcome"]), told.get("error", ""), told["ms"])
    except (ValueError, KeyError, TypeError) as error:
        raise CaptureError(f"Kafka's clients wrote a line that is no step: {line.rstrip()[:200]}") from error


def _text(address: Address) -> str:
    return f"{address[0]}:{address[1]}"
