"""The protocol for running Kafka's programs, on this machine or in containers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

JVM: Final = ("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
LOGGING: Final = (
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
    "-Dorg.slf4j.simpleLogger.showThreadName=false",
    # These loggers print whole configurations at level info.
    *(
        f"-Dorg.slf4j.simpleLogger.log.{name}=warn"
        for name in (
            "kafka.server.KafkaConfig",
            "org.apache.kafka.common.config.AbstractConfig",
            "org.apache.kafka.storage.internals.log.LogConfig",
            "kafka.log.LogConfig",
            "org.apache.zookeeper",
        )
    ),
)
"""Settings of slf4j-simple; other loggers ignore them."""


class RunningNode(Protocol):
    """A started Kafka program."""

    @property
    def pid(self) -> int:
        """The process id on this machine."""
        ...

    @property
    def ended(self) -> str:
        """The end of the process as text, such as ``exit code 0``; ``""`` while it runs."""
        ...

    def ask_to_stop(self) -> None:
        """Begin an orderly end."""
        ...

    def kill(self) -> None:
        """Kill it and its remains, if it runs."""
        ...

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; return True if it came."""
        ...


class KafkaPrograms(Protocol):
    """Kafka's programs of one release."""

    @property
    def release(self) -> str:
        """Such as 4.3.1."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts for `capture.json`, with the key `way`."""
        ...

    def run(self, main: str, arguments: Sequence[str], folder: Path, log: Path) -> RunningNode:
        """Start a main class. The program ends when wireproof does, in any way.

        Args:
            folder: a folder that the program may write to, under the same path.
            log: its output is appended to this file.

        Raises:
            CaptureError: the program cannot be started.
        """
        ...
