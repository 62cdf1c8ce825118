"""The user's program as a workload: its addresses, its end, and that no process of it is left."""

import json
import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from wireproof.traffic.capture.brokers.existing_cluster import Cluster
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.workloads.judged_program import JudgedProgram

ADDRESSES = {
    ListenerPlace(1, Listener.CLIENT): ("127.0.0.1", 1001),
    ListenerPlace(1, Listener.SASL): ("127.0.0.1", 1002),
}


def stage() -> CaptureStage:
    return CaptureStage(cast(Cluster, SimpleNamespace(check=lambda: None)), ADDRESSES, lambda line: None)


def python(code: str, *words: str) -> list[str]:
    return [sys.executable, "-I", "-c", code, *words]


def test_it_gets_the_addresses_of_the_broker(tmp_path: Path) -> None:
    """The addresses are in its environment, and in its arguments in place of the names in braces."""
    out = tmp_path / "out.json"
    code = (
        "import json, os, sys; json.dump([sys.argv[2:], os.environ['WIREPROOF_BOOTSTRAP'],"
        " os.environ['WIREPROOF_SASL_BOOTSTRAP']], open(sys.argv[1], 'w'))"
    )
    observed: list[CaptureStage] = []
    program = JudgedProgram(python(code, str(out), "--to={bootstrap}", "{sasl}", "{}"), None, observed.append)
    program.run(stage())
    assert json.loads(out.read_text()) == [
        ["--to=127.0.0.1:1001", "127.0.0.1:1002", "{}"],
        "127.0.0.1:1001",
        "127.0.0.1:1002",
    ]
    assert program.ended == ""
    assert observed


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("import sys; sys.exit(3)", "ended with exit code 3"),
        ("import os; os.kill(os.getpid(), 9)", "was killed by SIGKILL"),
        ("import os; os.kill(os.getpid(), 40)", "was killed by signal 40"),
    ],
)
def test_the_way_it_ended_is_reported(code: str, ended: str) -> None:
    """Its own failure is kept as text."""
    program = JudgedProgram(python(code), None, lambda stage: None)
    program.run(stage())
    assert program.ended == ended
    assert program.facts()["ended"] == ended


@pytest.mark.parametrize(
    ("code", "budget", "ended"),
    [("pass", 60, ""), ("import time; time.sleep(60)", 0.1, "was ended by --budget 0.1")],
)
def test_a_program_over_its_budget_says_so(code: str, budget: float, ended: str) -> None:
    """A program that ends by itself within its budget has no such end."""
    program = JudgedProgram(python(code), budget, lambda stage: None)
    program.run(stage())
    assert program.ended == ended


@pytest.mark.parametrize("session", [False, True])
def test_after_its_time_it_is_ended_with_what_it_started(tmp_path: Path, session: bool) -> None:
    """A child that ignores SIGTERM is ended, too, and one with a session of its own."""
    out = tmp_path / "pid"
    child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-I', '-c', {child!r}], start_new_session={session})\n"
        "open(sys.argv[1], 'w').write(str(child.pid))\n"
        "time.sleep(600)"
    )
    program = JudgedProgram(python(code, str(out)), 2.0, lambda stage: None)
    program.run(stage())
    assert program.ended == "was ended by --budget 2"
    pid = int(out.read_text())
    while _runs(pid):  # the system takes a moment to end it
        time.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_cluster_that_fails_ends_it(tmp_path: Path) -> None:
    """The program need not time out first; the error names the reason, and no process is left."""

    def check() -> None:
        raise CaptureError("node 1 has ended")

    failing = CaptureStage(cast(Cluster, SimpleNamespace(check=check)), ADDRESSES, lambda line: None)
    place = tmp_path / "pid"
    code = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
    with pytest.raises(CaptureError, match="node 1 has ended"):
        JudgedProgram(python(code, str(place)), None, lambda stage: None).run(failing)
    assert not _runs(int(place.read_text()))


def test_a_program_that_is_not_there() -> None:
    """The error names the program."""
    with pytest.raises(CaptureError, match="cannot start /no/such/program: there is no such program"):
        JudgedProgram(["/no/such/program"], None, lambda stage: None).run(stage())


def test_a_program_that_cannot_be_executed(tmp_path: Path) -> None:
    """The interpreter is missing before it, or the permission."""
    script = tmp_path / "client.py"
    script.write_text("pass\n")
    with pytest.raises(CaptureError, match="the file is not executable") as raised:
        JudgedProgram([str(script)], None, lambda stage: None).run(stage())
    assert "interpreter" in raised.value.advice
