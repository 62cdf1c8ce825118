"""Somebody's program as a workload: a client, or the test suite of one."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from wireproof.capture.brokers import Listener
from wireproof.capture.brokers.processes.node_process import die_with_parent_command
from wireproof.capture.capture_error import CaptureError
from wireproof.capture.capture_session import CaptureStage
from wireproof.capture.raw_client.socket_address import Address

__all__ = ["JudgedProgram"]

_LOOK_S: Final = 0.2
_CHECK_S: Final = 2.0
"""Seconds between two looks at the cluster."""
_END_S: Final = 5.0
BOOTSTRAP: Final = "WIREPROOF_BOOTSTRAP"
SASL: Final = "WIREPROOF_SASL_BOOTSTRAP"


class JudgedProgram:
    """Runs a command. Where it is to connect to stands in its environment (`WIREPROOF_BOOTSTRAP`, and
    `WIREPROOF_SASL_BOOTSTRAP` where one can log in), and in place of `{bootstrap}` and `{sasl}` in its
    arguments.

    Args:
        budget_s: it is asked to end then; None lets it run.
        look: called again and again while it runs, and once behind its end.
        output: a file descriptor for its standard output, where ours is taken; None leaves it ours.

    Attributes:
        ended: how the program ended; ``""`` for exit code 0.
    """

    name = "program"

    def __init__(
        self,
        command: Sequence[str],
        budget_s: float | None,
        look: Callable[[CaptureStage], None],
        output: int | None = None,
    ) -> None:
        self._command = list(command)
        self._budget_s = budget_s
        self._look = look
        self._output = output
        self.ended = "it did not start"
        self._duration_s = 0.0

    def run(self, stage: CaptureStage) -> None:
        """Run it to its end; its output is its own.

        Raises:
            CaptureError: it cannot be started, or the cluster has failed while it ran.
        """
        places = {
            "bootstrap": _text(stage.bootstrap),
            "sasl": _text(stage.first(Listener.SASL)),
        }
        command = [_filled(word, places) for word in self._command]
        environment = {**os.environ, BOOTSTRAP: places["bootstrap"], SASL: places["sasl"]}
        started = time.monotonic()
        try:
            process = subprocess.Popen(
                die_with_parent_command([_found(command[0]), *command[1:]]),
                env=environment,
                start_new_session=True,
                stdout=self._output,
            )
        except OSError as error:
            raise CaptureError(f"cannot start {command[0]}: {error.strerror}") from error
        try:
            over_budget = self._watch(process, stage, started)
        finally:
            _end(process)
            self._duration_s = time.monotonic() - started
        self.ended = (
            f"was ended by --budget {self._budget_s:g}" if over_budget else _ending(process.returncode)
        )
        self._look(stage)

    def facts(self) -> Mapping[str, Any]:
        """The command, and how it ended."""
        return {"command": self._command, "ended": self.ended, "seconds": round(self._duration_s, 1)}

    def _watch(self, process: "subprocess.Popen[bytes]", stage: CaptureStage, started: float) -> bool:
        """Wait for its end; whether its time was over before.

        Raises:
            CaptureError: the cluster has failed meanwhile.
        """
        checked = started
        while True:
            try:
                process.wait(_LOOK_S)
            except subprocess.TimeoutExpired:
                self._look(stage)
            else:
                return False
            if time.monotonic() - checked > _CHECK_S:
                stage.cluster.check()
                checked = time.monotonic()
            if self._budget_s is not None and time.monotonic() - started > self._budget_s:
                return True


def _text(address: Address | None) -> str:
    """Host and port; empty where there is none."""
    return f"{address[0]}:{address[1]}" if address else ""


def _found(program: str) -> str:
    """Where a program is.

    Raises:
        CaptureError: there is none.
    """
    found = shutil.which(program)
    if found is None:
        raise CaptureError(
            f"cannot start {program}: there is no such program", "Write its path, or put it on PATH."
        )
    return found


def _filled(word: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        word = word.replace("{" + name + "}", place)
    return word


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End it and what it started, in order where there is time."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            continue
        if number is signal.SIGTERM and not _group_lives(process.pid):
            break
    process.wait()


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _ending(code: int) -> str:
    if code == 0:
        return ""
    return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
