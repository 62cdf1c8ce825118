"""Kafka's programs: the protocol that runs them, their jars, and a node as a child of this process."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from wireproof.base.files.replacement import open_private
from wireproof.base.text.wording import signal_name
from wireproof.traffic.capture.capture_error import CaptureError

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

    @property
    def ended(self) -> str:
        """The end of the process as text, such as ``exit code 0``; ``""`` while it runs."""

    def ask_to_stop(self) -> None:
        """Begin an orderly end."""

    def kill(self) -> None:
        """Kill it and its remains, if it runs."""

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; return True if it came."""


class KafkaPrograms(Protocol):
    """Kafka's programs of one release."""

    @property
    def release(self) -> str:
        """Such as 4.3.1."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """Facts for `capture.json`, with the key `way`."""

    def run(self, main: str, arguments: Sequence[str], folder: Path, log: Path) -> RunningNode:
        """Start a main class. The program ends when wireproof does, in any way.

        Args:
            folder: a folder that the program may write to, under the same path.
            log: its output is appended to this file.

        Raises:
            CaptureError: the program cannot be started.
        """


_DIE_WITH_PARENT: Final = str(Path(__file__).with_name("die_with_parent.py"))
_LAST_LINES: Final = 12
_COMPLAINTS: Final = (" ERROR ", " FATAL ", "Exception: ", "Error: ")
_MOST_COMPLAINTS: Final = 6


ANY_PATH: Final = {"LC_ALL": "C.UTF-8"}
"""The environment in which Java takes paths of any characters. In the locale C it does not even start."""


class NodeProcess:
    """A running process. It ends with the thread that starts it.

    Args:
        command: the absolute path of the program, and its arguments.
        log: its output is appended to this file.

    Raises:
        CaptureError: the log cannot be written.
    """

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self.log = log
        try:
            with open_private(log, "ab") as output:
                self._process = subprocess.Popen(
                    die_with_parent_command(command),
                    env={**os.environ, **ANY_PATH},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # Ctrl-C reaches wireproof only, which stops its nodes in order
                )
        except OSError as error:
            raise CaptureError(f"cannot start {command[0]}: {error}") from error

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ended(self) -> str:
        """The end of the process as text; ``""`` while it runs."""
        code = self._process.poll()
        if code is None:
            return ""
        return f"killed by {signal_name(-code)}" if code < 0 else f"exit code {code}"

    def ask_to_stop(self) -> None:
        """Begin an orderly end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(signal.SIGKILL)
        self._process.wait()

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; return True if it came."""
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)


def die_with_parent_command(command: Sequence[str]) -> list[str]:
    """Return the command with a wrapper that ends its process when this one ends."""
    return [sys.executable, "-I", "-S", _DIE_WITH_PARENT, str(os.getpid()), *command]


def log_excerpt(log: Path, count: int = _LAST_LINES) -> str:
    """Return the first errors and the last lines of a log, indented, for an error message."""
    try:
        with log.open(encoding="utf-8", errors="replace") as file:
            lines = [line.rstrip() for line in file]
    except OSError as error:
        return f"  (its log cannot be read: {error.strerror})"
    end = lines[-count:]
    # A failing node logs the cause first, and then many lines of its shutdown.
    complaints = [line for line in lines[:-count] if any(sign in line for sign in _COMPLAINTS)][
        :_MOST_COMPLAINTS
    ]
    if complaints:
        end = [*complaints, "...", *end]
    return "\n".join(f"  {line}" for line in end) or "  (it is empty)"


@dataclass(frozen=True, slots=True)
class JarPrograms:
    """The jars of a broker, with the SHA-256 of each by file name, and the Java program that runs them."""

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
