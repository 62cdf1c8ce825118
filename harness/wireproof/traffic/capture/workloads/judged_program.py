"""The user's program as a workload: a client, or the test suite of one."""

import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from wireproof.base.text.wording import signal_name
from wireproof.traffic.capture.brokers.processes.node_process import die_with_parent_command
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.capture_error import CaptureError, as_capture_error
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.raw_client import address_text

_POLL_S: Final = 0.2
_CHECK_S: Final = 2.0
"""Seconds between two checks of the cluster."""
_END_S: Final = 5.0
_PROC: Final = Path("/proc")
_MARK: Final = "WIREPROOF_RUN_MARK"
"""The environment variable that identifies the processes of a run, also those in sessions of their own."""
BOOTSTRAP: Final = "WIREPROOF_BOOTSTRAP"
SASL: Final = "WIREPROOF_SASL_BOOTSTRAP"


@dataclass(slots=True)
class JudgedProgram:
    """A workload that runs a command.

    The command finds the addresses in its environment (`WIREPROOF_BOOTSTRAP`; `WIREPROOF_SASL_BOOTSTRAP` if
    the cluster has a listener for logins) and in its arguments, in place of `{bootstrap}` and `{sasl}`.

    Args:
        budget_s: seconds until the program is asked to end; None for no limit.
        observe: called repeatedly while the program runs, and once after its end.
        output: a file descriptor for the program's stdout; None for wireproof's own stdout.
        errors: the same for its stderr.
        environment: more variables for the program.

    Attributes:
        ended: the way the program ended; ``""`` for exit code 0.
        late: true if its budget ended it.
    """

    name = "program"

    command: Sequence[str]
    budget_s: float | None
    observe: Callable[[CaptureStage], None]
    output: int | None = None
    errors: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    ended: str = "it did not start"
    late: bool = False
    _duration_s: float = 0.0

    def run(self, stage: CaptureStage) -> None:
        """Run the program to its end. wireproof does not read its output.

        Raises CaptureError if the program cannot be started, or the cluster failed while it ran.
        """
        sasl = stage.first(Listener.SASL)
        places = {"bootstrap": address_text(stage.bootstrap), "sasl": address_text(sasl) if sasl else ""}
        command = [_filled(word, places) for word in self.command]
        addresses = {BOOTSTRAP: places["bootstrap"], SASL: places["sasl"], _MARK: (mark := uuid4().hex)}
        started = time.monotonic()
        with as_capture_error(f"cannot start {command[0]}"):
            process = subprocess.Popen(
                die_with_parent_command([_found(command[0]), *command[1:]]),
                env={**os.environ, **addresses, **self.environment},
                start_new_session=True,
                stdout=self.output,
                stderr=self.errors,
            )
        try:
            over_budget = self._watch(process, stage, started)
        finally:
            _end(process)
            _end_left_processes(mark)
            self._duration_s = time.monotonic() - started
        self.late = over_budget
        self.ended = (
            f"was ended by --budget {self.budget_s:g}" if over_budget else _ending(process.returncode)
        )
        self.observe(stage)

    def facts(self) -> Mapping[str, Any]:
        return {"command": list(self.command), "ended": self.ended, "seconds": round(self._duration_s, 1)}

    def _watch(self, process: "subprocess.Popen[bytes]", stage: CaptureStage, started: float) -> bool:
        """Wait for its end; return True if its time was over before.

        Raises CaptureError if the cluster failed meanwhile.
        """
        checked = started
        while True:
            try:
                process.wait(_POLL_S)
            except subprocess.TimeoutExpired:
                self.observe(stage)
            else:
                return False
            if time.monotonic() - checked > _CHECK_S:
                stage.cluster.check()
                checked = time.monotonic()
            if self.budget_s is not None and time.monotonic() - started > self.budget_s:
                return True


def _found(program: str) -> str:
    """Return the path of a program. Raises CaptureError if it does not exist, or cannot be executed."""
    found = shutil.which(program)
    if found is not None:
        return found
    if Path(program).is_file():
        reason, advice = (
            "the file is not executable",
            "Write its interpreter before it, or make it executable.",
        )
    else:
        reason, advice = "there is no such program", "Write its path, or put it on PATH."
    raise CaptureError(f"cannot start {program}: {reason}", advice)


def _filled(word: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        word = word.replace("{" + name + "}", place)
    return word


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the program and its children: SIGTERM first, SIGKILL after a limit."""
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


def _end_left_processes(mark: str) -> None:
    """Kill all processes with this mark; return when they have ended.

    Does nothing where the system has no `/proc` with environments.
    """
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError):  # it ended, or is of another user
            _end_if_marked(folder, f"{_MARK}={mark}".encode())


def _end_if_marked(folder: Path, wanted: bytes) -> None:
    descriptor = os.pidfd_open(int(folder.name))  # before its mark is read: its number may become another's
    try:
        if wanted in (folder / "environ").read_bytes().split(b"\0"):
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            select.select([descriptor], [], [], _END_S)
    finally:
        os.close(descriptor)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _ending(code: int) -> str:
    if code == 0:
        return ""
    return f"was killed by {signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
