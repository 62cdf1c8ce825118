"""Programs behind the proxy: right and wrong readers, and programs that misbehave."""

import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.support.capture.broker_answers import answers, apis
from tests.support.capture.tcp_servers import tcp_server
from wireproof.traffic.capture.brokers.existing_cluster import Cluster
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.proxy.proxy_port import Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy
from wireproof.traffic.capture.variations import variation_table
from wireproof.traffic.capture.varying import program_runs
from wireproof.traffic.capture.varying.cause_search import VaryOutcome, VaryVerdict
from wireproof.traffic.capture.varying.program_runs import VaryingProxy
from wireproof.traffic.capture.varying.varied_program import VariedProgram, VaryOptions, catalogue_rounds
from wireproof.traffic.capture.varying.varied_run import parse_selection
from wireproof.traffic.wire.frame_identifier import FrameType

ANSWER, FRAME = [each for each in answers("ApiVersionsResponse") if not each[0].body["errorCode"]][-1]
READER = """
import os, socket, sys, time
host, port = os.environ["WIREPROOF_BOOTSTRAP"].split(":")
def ask(request, whole=True):
    with socket.create_connection((host, int(port))) as broker:
        broker.sendall(request)
        size = int.from_bytes(broker.recv(4, socket.MSG_WAITALL), "big") if whole else 1 << 20
        return broker.recv(size, socket.MSG_WAITALL if whole else 0)
run = int(os.environ["WIREPROOF_RUN"])
"""


def request() -> bytes:
    named = apis().naming.request(18, ANSWER.version)
    assert isinstance(named, FrameType)
    header = {"requestApiKey": 18, "requestApiVersion": ANSWER.version, "clientId": "c"}
    header["correlationId"] = ANSWER.header["correlationId"]
    body = {"clientSoftwareName": "a", "clientSoftwareVersion": "1"}
    return apis().naming.codec(named).encode(header, body)


def serve(connection: socket.socket) -> None:
    while len(connection.recv(len(request()), socket.MSG_WAITALL)) == len(request()):
        connection.sendall(FRAME)


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[tuple[CaptureStage, VaryingProxy]]:
    """Yield a stage whose broker answers ApiVersions alone, and the proxy before it."""
    varying = VaryingProxy(apis().naming)
    with tcp_server(serve) as there:
        route = Route(1, "CLIENT", ("127.0.0.1", 0), there)
        with RecordingProxy([route], tmp_path / "capture", {}, vary=varying.filter) as proxy:
            places = {ListenerPlace(1, Listener.CLIENT): proxy.address(1, "CLIENT")}
            access = SimpleNamespace(tls=False)
            node = {ListenerPlace(1, Listener.CLIENT): there}
            cluster = SimpleNamespace(check=lambda: None, places=node, access=access, release="4.3.1")
            yield CaptureStage(cast(Cluster, cluster), places, lambda line: None, proxy.settle), varying


def judged(
    behind: tuple[CaptureStage, VaryingProxy], folder: Path, code: str, *only: str, **options: float
) -> VaryVerdict:
    stage, varying = behind
    choices = tuple(parse_selection(text, lambda name: None) for text in only)
    program = VariedProgram(
        [sys.executable, "-I", "-c", f"{READER}REQUEST = {request()!r}\n{code}"],
        varying,
        apis(),
        VaryOptions(
            choices, compares=True, budget_s=options.get("budget_s"), jobs=int(options.get("jobs", 1))
        ),
        folder / "runs",
        lambda finding: True,
    )
    program.run(stage)
    return program.verdict


def test_a_right_reader_takes_everything(behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path) -> None:
    """It reads the size, then as many bytes."""
    verdict = judged(behind, tmp_path, "print(len(ask(REQUEST)) > 300)", "tags-many", "stream-bytes")
    assert verdict.outcomes == {"tags-many": VaryOutcome.TAKEN, "stream-bytes": VaryOutcome.TAKEN}
    assert (verdict.fault, verdict.findings, verdict.runs) == ("", [], 3)
    assert verdict.spoken == {("ApiVersionsRequest", ANSWER.version): 3}


def test_a_wrong_reader_is_found(
    behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It expects the answer in one read; the second answer fails, and the finding names it.

    The pause between the pieces is long enough for a reader on a busy machine.
    """
    monkeypatch.setattr(variation_table, "_PAUSE_S", 0.5)
    code = "ask(REQUEST); sys.exit(len(ask(REQUEST, False)) < 300)"
    verdict = judged(behind, tmp_path, code, "tags-many", "stream-size-split")
    (finding,) = verdict.findings
    assert str(finding.selections[0]) == "stream-size-split@ApiVersionsResponse#1"
    assert (finding.usual, finding.ended) == ("ended with exit code 0", "ended with exit code 1")
    assert finding.site is not None
    assert finding.site.pieces[0] < 4
    assert verdict.outcomes["tags-many"] is VaryOutcome.TAKEN


def test_the_end_of_a_large_output_stays(
    behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program has many runs. What it writes is compared whole."""
    monkeypatch.setattr(program_runs, "_KEPT_BYTES", 100)
    code = "print(len(ask(REQUEST)), 99 * 'a', 'end'); print(9000 * 'b', 'last', file=sys.stderr)"
    verdict = judged(behind, tmp_path, code, "tags-root")
    assert [finding.ended for finding in verdict.findings] == ["ended with exit code 0, with another output"]
    assert verdict.findings[0].errors.endswith("b last\n")
    kept = [path.read_text() for path in sorted((tmp_path / "runs").glob("*.out"))]
    assert all(len(text) == 100 and text.endswith("a end\n") for text in kept)


def test_another_output_is_found(behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path) -> None:
    """The exit code is the same."""
    verdict = judged(behind, tmp_path, "print(len(ask(REQUEST)))", "tags-root")
    (finding,) = verdict.findings
    assert finding.ended == "ended with exit code 0, with another output"


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("pass", "the program did not connect to the broker"),
        ("sys.exit(5)", "the program did not connect to the broker"),
        ("socket.create_connection((host, int(port))).close()", "connected, and sent no request"),
        (
            "[socket.create_connection((host, int(port))) for _ in range(200)]",
            "connected, and sent no request",
        ),
        ("ask(b'\\x16\\x03\\x01\\x02\\x00' + bytes(20), False)", "spoke TLS to the broker"),
        ("ask(b'GET / HTTP/1.1\\r\\n\\r\\n', False)", "spoke HTTP to the broker"),
        ("ask(b'\\xff' * 64, False)", "spoke something else to the broker"),
        ("ask(REQUEST); sys.exit(3)", "fails without variations: it ended with exit code 3"),
        ("ask(REQUEST); os.kill(os.getpid(), 9)", "fails without variations: it was killed by SIGKILL"),
        ("ask(REQUEST); sys.exit(run - 1)", "flaky: without variations it ended with exit code 0, then"),
        ("ask(REQUEST); print(run)", "with another output"),
    ],
)
def test_a_program_that_cannot_be_judged_is_named(
    behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path, code: str, fault: str
) -> None:
    """The verdict has the reason, and no outcome."""
    code = f"try:\n    {code}\nexcept OSError:\n    pass"
    verdict = judged(behind, tmp_path, code, "tags-root")
    assert fault in verdict.fault
    assert (verdict.outcomes, verdict.findings) == ({}, [])
    assert verdict.runs <= 2


def test_a_program_that_never_ends_is_ended(
    behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path
) -> None:
    """The limit of an unvaried run is the budget."""
    verdict = judged(behind, tmp_path, "ask(REQUEST); time.sleep(600)", "tags-root", budget_s=1.5)
    assert verdict.fault == "the program did not end within 1.5 s without variations"


def test_no_child_is_left(behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path) -> None:
    """A child with a session of its own ends with the run."""
    pids = tmp_path / "pids"
    code = (
        "import subprocess\nask(REQUEST)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
        " start_new_session=True)\n"
        f"open({str(pids)!r}, 'a').write(f'{{child.pid}} ')"
    )
    verdict = judged(behind, tmp_path, code, "tags-root")
    assert verdict.outcomes == {"tags-root": VaryOutcome.TAKEN}
    children = [int(each) for each in pids.read_text().split()]
    assert len(children) == 3
    for child in children:
        path = Path(f"/proc/{child}/stat")
        assert not path.exists() or path.read_text().split(")")[1].split()[0] == "Z"


BESIDE = """
import pathlib
here = pathlib.Path({folder!r}) / str(run)
here.mkdir()
while run in (3, 4) and not all((here.parent / each).exists() for each in "34"):
    time.sleep(0.01)
sys.exit(len(ask(REQUEST)) > 300 and {code})
"""


def test_runs_go_on_at_the_same_time(behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path) -> None:
    """Runs 3 and 4 wait for each other; each has a proxy of its own, and each variation its verdict."""
    (tmp_path / "here").mkdir()
    code = BESIDE.format(folder=str(tmp_path / "here"), code="len(ask(REQUEST)) > len(ask(REQUEST))")
    texts = ("tags-root", "stream-split", "stream-bytes")
    verdict = judged(behind, tmp_path, code, *texts, jobs=2)
    assert (verdict.fault, verdict.findings) == ("", [])
    assert verdict.runs == 6
    assert set(verdict.outcomes.values()) == {VaryOutcome.TAKEN}


def test_a_program_that_does_not_run_beside_itself_runs_alone(
    behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path
) -> None:
    """It is judged all the same."""
    (tmp_path / "here").mkdir()
    code = BESIDE.format(folder=str(tmp_path / "here"), code="run == 4")
    verdict = judged(behind, tmp_path, code, "version-refused", "version-features", jobs=2)
    assert (verdict.fault, verdict.runs) == ("", 6)
    assert set(verdict.outcomes.values()) == {VaryOutcome.TAKEN}


def test_all_of_only_go_together(behind: tuple[CaptureStage, VaryingProxy], tmp_path: Path) -> None:
    """The line that repeats a finding of two variations names both; each alone is taken."""
    code = f"sys.exit(len(ask(REQUEST)) > {len(FRAME) + 20})"
    verdict = judged(behind, tmp_path, code, "tags-root", "version-unknown-apis")
    (finding,) = verdict.findings
    assert {each.variation.id for each in finding.selections} == {"tags-root", "version-unknown-apis"}


def test_a_refusal_hides_no_other_variation() -> None:
    """ApiVersions that is refused has neither tags nor features: they are varied in other rounds."""
    rounds = [{each.variation.id for each in some} for some in catalogue_rounds(errors=False)]
    refusing = [names for names in rounds if names & {"version-refused", "version-refused-empty"}]
    assert len(refusing) == 2
    assert not any(name.startswith(("tags-", "version-features")) for names in refusing for name in names)
