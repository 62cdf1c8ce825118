"""The face of what Kafka's programs are run by: on this machine, or in containers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

__all__ = ["JVM", "LOGGING", "KafkaPrograms", "RunningNode"]

JVM: Final = ("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
LOGGING: Final = (
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
    "-Dorg.slf4j.simpleLogger.showThreadName=false",
    # Their full configurations fill pages.
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
"""For slf4j-simple; other loggers leave these alone."""


class RunningNode(Protocol):
    """A program of Kafka that was started."""

    @property
    def pid(self) -> int:
        """Its process, as this machine numbers them."""
        ...

    @property
    def ended(self) -> str:
        """How it ended, in words such as ``exit code 0``; ``""`` while it runs."""
        ...

    def ask_to_stop(self) -> None:
        """Begin an orderly end."""
        ...

    def kill(self) -> None:
        """End it at once, and what is left of it; nothing where it has ended."""
        ...

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; whether it came."""
        ...


class KafkaPrograms(Protocol):
    """Kafka's programs of one release."""

    @property
    def release(self) -> str:
        """Such as 4.3.1."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """What a capture says about them: JSON, with the word `way`."""
        ...

    def run(self, main: str, arguments: Sequence[str], folder: Path, log: Path) -> RunningNode:
        """Start a main class. It ends with wireproof, however that ends.

        Args:
            folder: it may write there, under that very name.
            log: what it says goes to the end of this file.

        Raises:
            CaptureError: it cannot be started.
        """
        ...
