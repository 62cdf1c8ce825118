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

from wireproof.base.files.replacement import open_private
from wireproof.base.text.parsing import parse_json
from wireproof.traffic.capture.brokers.processes.node_process import (
    ANY_PATH,
    die_with_parent_command,
    log_excerpt,
)
from wireproof.traffic.capture.brokers.server_properties import SASL_PASSWORD, SASL_USER, Listener
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.broker_access import SaslLogin, login_environment
from wireproof.traffic.capture.raw_client.raw_client import Address, address_text

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
    """A finished step, such as ``produce/zstd``; `error` is class and text, empty if it is done."""

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

        Raises CaptureError if the program cannot be started, or it ended before its last step.
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
                    env={**os.environ, **ANY_PATH, **self.environment},
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


_MAIN: Final = "io.wireproof.workload.Main"
_JVM: Final = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


class ClientCalls:
    """The workload of the clients of the cluster's own release, which a Java program drives.

    Args:
        java: the Java program.
        class_path: the compiled workload, the clients' jars, a logging binding.
        log: stderr of the clients is appended to this file.
    """

    name = "java-clients"

    def __init__(self, java: Path, class_path: Sequence[Path], log: Path) -> None:
        self._java = [str(java), *_JVM, "-cp", os.pathsep.join(map(str, class_path)), _MAIN]
        self._log = log
        self.ends: list[StepEnd] = []

    def run(self, stage: CaptureStage) -> None:
        """Run all steps; report those that failed or came late."""
        replicas = min(REPLICAS, len(stage.cluster.brokers))
        stage.report("running all steps of Kafka's clients")
        login = stage.cluster.access.login
        for end in self.steps(stage.bootstrap, replicas, stage.first(Listener.SASL), login):
            self.ends.append(end)
            if end.outcome in (StepOutcome.FAILED, StepOutcome.LATE):
                stage.report(f"{end.name} {end.outcome}: {end.error}")
        stage.report(f"{len(self.ends)} steps of Kafka's clients: {counted(self.ends)}")

    def steps(
        self, bootstrap: Address, replicas: int, sasl: Address | None = None, login: SaslLogin | None = None
    ) -> Iterator[StepEnd]:
        """Run the program; see `ClientProgram.run`.

        Args:
            replicas: the replication factor of each topic that it makes.
            sasl: a listener where the user of the workload can log in; without one, the program skips those
                steps.
            login: the credentials of every client, if the cluster requires a login.
        """
        addresses = [address_text(bootstrap), str(replicas), *([address_text(sasl)] if sasl else [])]
        environment = login_environment(login)
        command = [*self._java, *addresses]
        return ClientProgram("Kafka's clients", command, self._log, environment=environment).run()

    def facts(self) -> Mapping[str, Any]:
        return {"steps": steps_facts(self.ends)}


_LIMIT_S: Final = 300.0
"""Seconds for all steps of one program; each client limits its own steps."""


@dataclass(frozen=True, slots=True)
class BuiltClients:
    """A client program of a language that is ready to start, with its working directory."""

    name: str
    command: Sequence[str]
    folder: Path | None


@dataclass(slots=True)
class OtherClients:
    """A workload that runs client programs one after the other.

    Args:
        built: the programs whose toolchain is installed.
        absent: the reason for each program that cannot be built here, by name.
        log: stderr of the programs is appended to this file.
    """

    name = "clients"

    built: Sequence[BuiltClients]
    absent: Mapping[str, str]
    log: Path
    _ends: dict[str, list[StepEnd]] = field(default_factory=dict)
    _broken: dict[str, str] = field(default_factory=dict)

    def run(self, stage: CaptureStage) -> None:
        """Run all steps of all programs. A program that fails does not stop the others.

        Raises CaptureError if none of the programs can run.
        """
        for name, reason in self.absent.items():
            stage.report(f"no clients of {name} here: {reason}")
        if not self.built:
            raise CaptureError(
                "no client of another language can run here", "Install the toolchains named above."
            )
        for each in self.built:
            stage.report(f"clients of {each.name}")
            try:
                self._run(stage, each)
            except CaptureError as error:
                self._broken[each.name] = error.message
                stage.report(f"clients of {each.name} broke off: {error.message}")
            ends = self._ends[each.name]
            stage.report(f"{len(ends)} steps of clients of {each.name}: {counted(ends) or 'none'}")

    def facts(self) -> Mapping[str, Any]:
        """Return the steps of each program with their outcomes, and the reasons of absent programs."""
        return {
            "clients": [
                {
                    "name": name,
                    **({"broke_off": self._broken[name]} if name in self._broken else {}),
                    "steps": steps_facts(ends),
                }
                for name, ends in self._ends.items()
            ],
            "absent": dict(self.absent),
        }

    def _run(self, stage: CaptureStage, client: BuiltClients) -> None:
        ends = self._ends.setdefault(client.name, [])
        sasl = stage.first(Listener.SASL)
        environment = {
            "WIREPROOF_BOOTSTRAP": address_text(stage.bootstrap),
            "WIREPROOF_SASL_BOOTSTRAP": address_text(sasl) if sasl else "",
            "WIREPROOF_REPLICAS": str(min(REPLICAS, len(stage.cluster.brokers))),
            "WIREPROOF_USER": SASL_USER,
            "WIREPROOF_PASSWORD": SASL_PASSWORD,
            **login_environment(stage.cluster.access.login),
        }
        program = ClientProgram(
            f"clients of {client.name}", client.command, self.log, client.folder, environment, _LIMIT_S
        )
        for end in program.run():
            ends.append(end)
            if end.outcome is StepOutcome.FAILED:
                stage.report(f"{end.name} failed: {end.error}")
