"""Kafka's programs from release jars, as child processes."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wireproof.traffic.capture.brokers.processes.kafka_programs import JVM, LOGGING
from wireproof.traffic.capture.brokers.processes.node_process import NodeProcess


@dataclass(frozen=True, slots=True)
class JarPrograms:
    """Released jars and the Java that runs them.

    Attributes:
        release: such as 4.3.1.
        class_path: all jars of a broker.
        java: the path of the Java program.
        digests: the SHA-256 of each jar by file name.
    """

    release: str
    class_path: Sequence[Path]
    java: Path
    digests: Mapping[str, str]

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"way": "jars", "jars": dict(self.digests)}

    def run(self, main: str, arguments: Sequence[str], folder: Path, log: Path) -> NodeProcess:
        """Start a main class; see `KafkaPrograms.run`."""
        class_path = os.pathsep.join(map(str, self.class_path))
        return NodeProcess([str(self.java), *JVM, *LOGGING, "-cp", class_path, main, *arguments], log)
