"""Kafka's own Java clients as a workload (`java/workload`).

The program drives producers, consumers of each group protocol, Kafka Streams applications and every call of
the admin client. It runs with the clients of any release; a step that these lack ends as `absent`.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wireproof.traffic.capture.brokers import Listener
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.broker_access import SaslLogin, login_environment
from wireproof.traffic.capture.raw_client.socket_address import Address
from wireproof.traffic.capture.workloads.client_steps import (
    REPLICAS,
    ClientProgram,
    StepEnd,
    StepOutcome,
    counted,
    steps_facts,
)

_MAIN: Final = "io.wireproof.workload.Main"
_JVM: Final = ("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@dataclass(frozen=True, slots=True)
class JavaClients:
    """The program and the clients that it drives.

    Attributes:
        java: the Java program.
        class_path: the compiled workload, the clients' jars, a logging binding.
        log: stderr of the clients is appended to this file.
    """

    java: Path
    class_path: Sequence[Path]
    log: Path

    def run(
        self,
        bootstrap: Address,
        replicas: int,
        sasl: Address | None = None,
        login: SaslLogin | None = None,
    ) -> Iterator[StepEnd]:
        """Run the program; iterate over its steps as they finish. Closing the iterator ends the program.

        Args:
            replicas: the replication factor of each topic that it makes.
            sasl: a listener where the user of the workload can log in; without one, the program skips those
                steps.
            login: the credentials of every client, if the cluster requires a login.

        Raises:
            CaptureError: the cluster does not answer, or the program ended before its last step.
        """
        addresses = [_text(bootstrap), str(replicas), *([_text(sasl)] if sasl else [])]
        class_path = os.pathsep.join(map(str, self.class_path))
        command = [str(self.java), *_JVM, "-cp", class_path, _MAIN, *addresses]
        environment = login_environment(login)
        return ClientProgram("Kafka's clients", command, self.log, environment=environment).run()


class ClientCalls:
    """The workload of the clients of the cluster's own release."""

    name = "java-clients"

    def __init__(self, clients: JavaClients) -> None:
        self._clients = clients
        self.ends: list[StepEnd] = []

    def run(self, stage: CaptureStage) -> None:
        """Run all steps; report those that failed or came late."""
        replicas = min(REPLICAS, len(stage.cluster.brokers))
        stage.report("running all steps of Kafka's clients")
        login = stage.cluster.access.login
        for end in self._clients.run(stage.bootstrap, replicas, stage.first(Listener.SASL), login):
            self.ends.append(end)
            if end.outcome in (StepOutcome.FAILED, StepOutcome.LATE):
                stage.report(f"{end.name} {end.outcome}: {end.error}")
        stage.report(f"{len(self.ends)} steps of Kafka's clients: {counted(self.ends)}")

    def facts(self) -> Mapping[str, Any]:
        """Return each step with its outcome."""
        return {"steps": steps_facts(self.ends)}


def _text(address: Address) -> str:
    return f"{address[0]}:{address[1]}"
