"""Testees in containers of an engine that these tests start: the same report, limits, no containers left."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docker
import pytest

from tests.container.container_engine import engine, python_image
from tests.support.commands.forked_command import run_command
from wireproof.proof.testees.build.scaffold import start_testee
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.process.testee_container import Container
from wireproof.proof.testees.session.process_session import ProcessSession
from wireproof.proof.testees.session.testee_session import EndedAnswer, OkAnswer

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent
TEMPLATE = ROOT / "codecs" / "testees" / "templates" / "python"
KIT = ROOT / "codecs" / "testees" / "kits" / "python" / "wireproof_testee.py"
MISBEHAVING = TESTS / "testees" / "misbehaving" / "misbehaving_testees.py"
BUG = ("return bytes(out)", 'return bytes(out) + b"!"')
LIMITS = ResourceLimits(
    memory_bytes=256 << 20, processes=32, descriptors=64, answer_bytes=1 << 20, cpu_s=1, silent_s=3
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of an engine, which wireproof uses, too."""
    with engine() as started, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", started)
        yield started


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[docker.DockerClient]:
    with contextlib.closing(docker.DockerClient(address)) as asking:
        yield asking


def made(folder: Path, *, wrong: bool) -> Path:
    """Create a testee as `wireproof testee new` does, right or with a bug in its codec."""
    start_testee(folder, "python")
    if wrong:
        codec = folder / "codec.py"
        codec.write_text(codec.read_text().replace(*BUG))
    return folder


def run_events(cwd: Path, word: str, *words: str) -> tuple[int, list[dict[str, Any]], str]:
    """Return the exit code, the events and the standard error of a run."""
    options = ("-v", "--events", "-", "--shrink", "0", "--jobs", "1")
    ran = run_command(cwd, "run", *options, "--testee", word, *words)
    assert ran.stdout, ran.stderr
    return ran.returncode, [json.loads(line) for line in ran.stdout.splitlines()], ran.stderr


def report(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the events of a run without times and without the header."""
    kept = [each for each in events if each["event"] != "header"]
    times = {"seconds", "secondsByPhase"}
    return [{key: value for key, value in each.items() if key not in times} for each in kept]


@pytest.mark.parametrize("wrong", [False, True])
def test_three_ways_in_one_report(client: docker.DockerClient, tmp_path: Path, wrong: bool) -> None:
    """A process, an object and a container: cells, cases, classes, verdicts and findings are the same."""
    folder = made(tmp_path / "my-codec", wrong=wrong)
    files = {f"/testee/{path.name}": path.read_bytes() for path in [*folder.glob("*.py"), KIT]}
    image = f"my-codec:{'wrong' if wrong else 'right'}"
    python_image(client, image, files, ["/testee/adapter.py"])
    phases = ("--phase", "enumerated", "--phase", "random", "--phase", "mutations", "--examples", "10")

    code, expected, _ = run_events(tmp_path, str(folder), *phases)
    assert code == int(wrong)
    for word in (f"python:{folder}/adapter.py", f"container:{image}"):
        again, events, seen = run_events(tmp_path, word, *phases)
        assert again == code, seen
        assert report(events) == report(expected)
    assert f"It runs in containers of {image}, held to: network: none; memory: 4 GiB; " in seen
    assert client.containers.list(all=True) == []


def test_a_folder_with_a_dockerfile(client: docker.DockerClient, tmp_path: Path) -> None:
    """`container` in testee.toml: built by the engine, held to the limits of the file, its ledger used."""
    folder = tmp_path / "kmsg"
    source = ROOT / "codecs" / "testees" / "go-franz-go-kmsg"
    folder.mkdir()
    for path in source.iterdir():
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / "Dockerfile").write_text('FROM scratch\nCOPY adapter /adapter\nENTRYPOINT ["/adapter"]\n')
    description = (source / "testee.toml").read_text()
    build = '  ["docker", "build", "--quiet", "--tag", "kmsg:{version}", "."],\n]\nrun = '
    description = description.replace('["go", "build"', '["env", "CGO_ENABLED=0", "go", "build"')
    description = description.replace(']\nrun = ["./adapter"]', f'{build}[]\ncontainer = "kmsg:{{version}}"')
    (folder / "testee.toml").write_text(description)
    what = ("--message", "MetadataRequest", "--phase", "enumerated", "--phase", "oracle")

    code, expected, seen = run_events(tmp_path, "go-franz-go-kmsg", *what)
    again, within, output = run_events(tmp_path, str(folder), *what)
    assert (again, code) == (0, 0), seen + output
    assert report(within) == report(expected)
    assert "It runs in containers of kmsg:1.15.0" in output


@pytest.fixture(scope="module")
def misbehaving_image(client: docker.DockerClient) -> str:
    """An image of the testees that misbehave."""
    python_image(
        client,
        "misbehaving:1",
        {"/misbehaving_testees.py": MISBEHAVING.read_bytes()},
        ["-S", "/misbehaving_testees.py"],
    )
    return "misbehaving:1"


OFFENCES = {
    "exit-with-words": ("process", "exit code 3; the end of its standard error: the codec is out of luck"),
    "abort": ("process", "was killed by signal "),
    "sleep": ("hang", "no answer for "),
    "spin": ("hang", "of processor time"),
    "garbage": ("protocol", "a line that is not JSON"),
    "endless-line": ("protocol", "a line longer than 1048576 bytes"),
    "open-files": ("process", "Too many open files"),
    "eat-memory": ("process", "it wanted more than 268435456 bytes of memory|Cannot allocate memory"),
}


@pytest.mark.parametrize("name", OFFENCES)
def test_only_the_offending_request_fails(
    client: docker.DockerClient, misbehaving_image: str, name: str
) -> None:
    """The answer has the reason; the other requests are answered, and no container is left."""
    way = Container(misbehaving_image, f"test-{name}", (name,), LIMITS)
    testee = ProcessSession(name, way)
    data = [f"00{index:04x}" for index in range(60)]
    asked = [*data[:20], "ff", *data[20:]]
    answers = testee.ask(
        [f'"op":"decode","message":"FetchRequest","version":12,"data":"{one}"' for one in asked]
    )
    testee.close()

    error, words = OFFENCES[name]
    offending = answers.pop(20)
    assert isinstance(offending, EndedAnswer)
    assert offending.error == error
    assert any(each in offending.message for each in words.split("|")), offending.message
    assert [each.content["value"]["seen"] for each in answers if isinstance(each, OkAnswer)] == data
    assert client.containers.list(all=True) == []


def test_what_the_engine_was_given(client: docker.DockerClient, misbehaving_image: str) -> None:
    """The limits, no network, no capability, no new privileges; the session reports the same."""
    testee = ProcessSession("calm", Container(misbehaving_image, "test-given", ("spin",), LIMITS))
    testee.hello()
    (container,) = client.containers.list()
    given = container.attrs["HostConfig"]
    enforced = testee.enforced
    testee.close()

    assert given["NetworkMode"] == enforced["network"] == "none"
    assert given["Memory"] == given["MemorySwap"] == 256 << 20 == int(enforced["memory"])
    assert given["PidsLimit"] == 32 == int(enforced["processes"])
    assert given["NanoCpus"] == 10**9
    assert enforced["processors"] == "1.0"
    assert given["CapDrop"] == ["ALL"]
    assert given["SecurityOpt"] == ["no-new-privileges"]
    assert given["LogConfig"]["Type"] == "none"


def test_ctrl_c_leaves_nothing(client: docker.DockerClient, tmp_path: Path) -> None:
    """Exit code 130; the workers are killed, and their containers are removed."""
    folder = made(tmp_path / "my-codec", wrong=False)
    files = {f"/testee/{path.name}": path.read_bytes() for path in [*folder.glob("*.py"), KIT]}
    python_image(client, "my-codec:right", files, ["/testee/adapter.py"])
    command = [
        sys.executable,
        "-m",
        "wireproof",
        "run",
        "--testee",
        "container:my-codec:right",
        "--jobs",
        "2",
    ]
    with subprocess.Popen(
        [*command, "--phase", "bulk", "--cases", "10000000"], cwd=tmp_path, stderr=subprocess.DEVNULL
    ) as running:
        assert any(len(client.containers.list()) == 2 for _ in range(100_000) if running.poll() is None)
        running.send_signal(signal.SIGINT)
        assert running.wait() == 130
    assert client.containers.list(all=True) == []


def test_no_engine_and_no_image(client: docker.DockerClient, address: str, tmp_path: Path) -> None:
    """Exit code 4, with advice."""
    for host in ("unix:///nowhere.sock", address):
        environment = {**os.environ, "DOCKER_HOST": host}
        ran = run_command(tmp_path, "testee", "check", "container:no-such-image:1", env=environment)
        assert ran.returncode == 4
        assert "the container engine does not give a container of no-such-image:1" in ran.stderr
        assert "DOCKER_HOST names another" in ran.stderr
