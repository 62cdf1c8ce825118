"""The image of wireproof: built by its Dockerfile, and used without a network by any user."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import docker
import pytest
import yaml

from tests.container.container_engine import engine, python_base
from wireproof.app.cli.doctor_command import TOOLS
from wireproof.proof.testees.build.scaffold import start_testee

ROOT: Final = Path(__file__).parents[2]
FOLDER: Final = ROOT / "integrations" / "container"
BUG: Final = ("return bytes(out)", 'return bytes(out) + b"!"')
CERTIFICATES: Final = "/etc/ssl/certs/ca-certificates.crt"
LARGEST_BYTES: Final = 280 << 20
"""The most that the image adds to its base: the packages, the Java runtime, the jars and the corpus."""


class Ran(NamedTuple):
    """The end of a container."""

    code: int
    output: str
    seen: str


@pytest.fixture(scope="module")
def client() -> Iterator[docker.DockerClient]:
    """Of an engine that has the image `wireproof`."""
    with engine() as address, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", address)
        with contextlib.closing(docker.DockerClient(address)) as asking:
            python_base(asking, "base:1")
            yield asking


@pytest.fixture(scope="module")
def image(client: docker.DockerClient, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The image, built of the wheel under test, in a context without the rest of the checkout."""
    context = tmp_path_factory.mktemp("context")
    (context / "dist").mkdir()
    wheel = shutil.copy(_wheel(tmp_path_factory), context / "dist")
    shutil.copy(ROOT / ".dockerignore", context)
    for name in ("golden", "malformed", "sample"):
        shutil.copytree(ROOT / "corpus" / name, context / "corpus" / name)
    values = {"BASE": "base:1", "SOURCE": f"dist/{Path(wheel).name}"}
    if Path(CERTIFICATES).exists():
        values |= {"PIP_CERT": CERTIFICATES, "REQUESTS_CA_BUNDLE": CERTIFICATES}
    arguments = [f"--build-arg={name}={value}" for name, value in values.items()]
    file = ("--file", str(FOLDER / "Dockerfile"), "--tag", "wireproof", "--network", "host")
    built = subprocess.run(
        ["docker", "build", *file, *arguments, str(context)], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout[-3000:] + built.stderr[-3000:]
    return "wireproof"


def _wheel(factory: pytest.TempPathFactory) -> Path:
    """The wheel that tox built for this environment; without tox it is built here."""
    given = os.environ.get("TOX_PACKAGE", "")
    if given.endswith(".whl"):
        return Path(given)
    folder = factory.mktemp("wheel")
    command = [sys.executable, "-W", "default", "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A project's folder, of another user than the image's, with a testee."""
    folder = tmp_path / "work"
    start_testee(folder / "my-codec", "python")
    os.chown(folder, 4242, 4242)
    return folder


def run(image: str, *words: str, work: Path | None = None, options: tuple[str, ...] = ()) -> Ran:
    """The end of ``docker run --rm --network none ... IMAGE WORDS``."""
    mounted = [] if work is None else ["--volume", f"{work}:/work", "--user", "4242:4242"]
    command = ["docker", "run", "--rm", "--network", "none", *mounted, *options, image, *words]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return Ran(ended.returncode, ended.stdout, ended.stderr)


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_image_declares(client: docker.DockerClient, image: str) -> None:
    """A user that is not root, the entry point, the folder for a project, no health check, OCI's labels."""
    built = client.images.get(image)
    config = built.attrs["Config"]
    assert (config["User"], config["Entrypoint"]) == ("1000:1000", ["wireproof"])
    assert (config["WorkingDir"], config["Cmd"]) == ("/work", ["--help"])
    assert config["Healthcheck"] == {"Test": ["NONE"]}
    labels = {
        name.removeprefix("org.opencontainers.image."): value for name, value in config["Labels"].items()
    }
    assert (labels["title"], labels["licenses"], labels["base.name"]) == ("wireproof", "Apache-2.0", "base:1")
    assert built.attrs["Size"] - client.images.get("base:1").attrs["Size"] < LARGEST_BYTES


def test_the_installation_is_whole(image: str) -> None:
    """`doctor` misses nothing: a Java runtime is there, and so are the jars of the newest release."""
    ran = run(image, "doctor")
    lines = [line.split() for line in ran.output.splitlines()]
    assert ran.code == 0, ran.output
    assert {line[1] for line in lines if line[0] != "ok"} <= {"native", "spark", *TOOLS}, ran.output
    (jars,) = [line for line in lines if line[1] == "jars"]
    assert jars[3:] == ["10", "jars"]


def test_nothing_in_it_is_writable_or_compiles(image: str) -> None:
    """Its user owns no file outside of /work, and finds no compiler and no pip."""
    program = (
        "import os, shutil\n"
        "print(os.getuid(), *filter(shutil.which, ('cc', 'gcc', 'javac', 'pip')))\n"
        "paths = (os.path.join(top, name) for top, _, names in os.walk('/opt') for name in ('', *names))\n"
        "print(*(path for path in paths if not os.path.islink(path) and os.access(path, os.W_OK)))\n"
    )
    ran = run(image, "-c", program, options=("--entrypoint", "python"))
    assert (ran.code, ran.output) == (0, "1000\n\n"), ran.seen


def test_our_codec_in_a_locked_container(image: str, work: Path) -> None:
    """Read-only, without capabilities, as another user, with little memory: it is proven, with reports."""
    locked = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges")
    limits = ("--memory", "768m", "--cpus", "1", "--pids-limit", "100")
    reports = ("--events", "events.ndjson", "--junit", "junit.xml", "--markdown", "summary.md")
    words = ("run", "--message", "MetadataRequest", "--phase", "enumerated", *reports)
    ran = run(image, *words, work=work, options=(*locked, *limits))
    assert ran.code == 0, ran.seen
    assert "fetching" not in ran.seen
    owners = {path.name: path.stat().st_uid for path in work.iterdir() if path.name != "my-codec"}
    assert owners == dict.fromkeys(reports[1::2], 4242)
    assert events(work / "events.ndjson")[-1]["exitCode"] == 0
    assert ET.parse(work / "junit.xml").getroot().get("failures") == "0"


def test_a_testee_in_the_mounted_folder(image: str, work: Path) -> None:
    """It is built below /tmp without a network; the codec has a bug, and the user has the page of the run."""
    codec, described = work / "my-codec" / "codec.py", work / "my-codec" / "testee.toml"
    codec.write_text(codec.read_text().replace(*BUG))
    described.write_text(
        'name = "my-codec"\nlanguage = "python"\nkit = "python"\nversion = "1"\n'
        'run = ["{python}", "adapter.py"]\n'
    )
    words = (
        "run",
        "--testee",
        "./my-codec",
        "--message-version",
        "3",
        "--phase",
        "enumerated",
        "--phase",
        "oracle",
    )
    ran = run(image, *words, "--events", "events.ndjson", "--html", "run.html", work=work)
    assert ran.code == 1, ran.seen
    assert "building my-codec" in ran.seen
    assert {path.name for path in (work / "my-codec").iterdir()} == {"adapter.py", "codec.py", "testee.toml"}
    written = events(work / "events.ndjson")
    failed = [each for each in written if each["event"] == "failed"]
    assert "bytes" in {found["check"] for each in failed for found in each["divergences"]}
    assert written[-1]["exitCode"] == 1
    assert "ApiVersionsRequest" in (work / "run.html").read_text("utf-8")


def test_a_release_whose_jars_are_not_inside(image: str) -> None:
    """Exit code 4, with the jar that is missing; there is no network to fetch it by."""
    ran = run(image, "run", "--offline", "--release", "3.9", "--message", "MetadataRequest")
    assert ran.code == 4
    assert "/opt/wireproof/jars does not have it" in ran.seen


def test_the_corpus_is_inside(image: str) -> None:
    """A run without Java by the entries of the corpus."""
    ran = run(image, "run", "--no-java", "/opt/wireproof/corpus/golden", "--message", "ListGroupsRequest")
    assert ran.code == 0, ran.seen
    assert " 0 findings" in ran.seen


@pytest.mark.parametrize("how", [["kill", "--signal", "INT"], ["stop", "--time", "60"]])
def test_a_run_that_is_stopped(client: docker.DockerClient, image: str, work: Path, how: list[str]) -> None:
    """Ctrl-C and `docker stop` end it: exit code 130, and reports of what was found."""
    words = [
        "run",
        "--phase",
        "bulk",
        "--cases",
        "100000000",
        "--events",
        "events.ndjson",
        "--junit",
        "junit.xml",
    ]
    container = client.containers.run(
        image, words, detach=True, network_mode="none", volumes=[f"{work}:/work"], user="4242:4242"
    )
    name = str(container.id)
    try:
        following = ["docker", "logs", "--follow", name]
        with subprocess.Popen(following, stderr=subprocess.PIPE, text=True) as logs:
            assert logs.stderr is not None
            assert any("Proving" in line for line in logs.stderr)
            logs.terminate()
        subprocess.run(["docker", *how, name], check=True, capture_output=True)
        assert container.wait(timeout=120)["StatusCode"] == 130
        assert b"Interrupted." in container.logs()
    finally:
        container.remove(force=True)
    assert events(work / "events.ndjson")[-1]["exitCode"] == 130
    assert ET.parse(work / "junit.xml").getroot().get("errors") != "0"


def test_each_command_ends_at_sigterm(client: docker.DockerClient, image: str) -> None:
    """The kernel drops it for a first process without a handler: then this would go on and succeed."""
    words = ["corpus", "verify", "--no-java", "/opt/wireproof/corpus/golden"]
    container = client.containers.run(image, words, detach=True, network_mode="none")
    try:
        while container.status in ("created", "running"):
            with contextlib.suppress(docker.errors.APIError):  # it ended meanwhile
                # Before it is wireproof, it is the engine's own program, which a signal ends with 2.
                if "wireproof" in str(container.top(ps_args="-o pid,args")["Processes"]):
                    container.kill("TERM")
            container.reload()
        assert container.wait()["StatusCode"] == 130
    finally:
        container.remove(force=True)


def test_the_workflow_uses_it_so(image: str, tmp_path: Path) -> None:
    """The script with which the release workflow tries an image, before it pushes one, passes here."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "image.yml").read_text("utf-8"))
    (script,) = [
        step["run"] for step in workflow["jobs"]["try"]["steps"] if "network" in step.get("name", "")
    ]
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "2 of 2 cells" in ran.stderr
    assert " 0 findings" in ran.stderr


def test_the_context_is_what_the_package_is_made_of(client: docker.DockerClient, tmp_path: Path) -> None:
    """.dockerignore leaves out all that git ignores, and lets in each file of the package and its corpus."""
    file = tmp_path / "Dockerfile"
    file.write_text("FROM scratch\nCOPY . /\n")
    command = ["docker", "build", "--quiet", "--file", str(file), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    container = client.containers.create(built, ["none"])
    archive = tmp_path / "files.tar"
    chunks: Any = container.export()  # the stubs take the chunks for text
    with archive.open("wb") as packed:
        packed.writelines(chunks)
    container.remove()
    listed = subprocess.run(
        ["tar", "--list", "--file", str(archive)], capture_output=True, text=True, check=True
    )
    sent = {name for name in listed.stdout.splitlines() if not name.endswith("/")}
    tracked = _tracked("codecs", "harness", "java", "corpus/schemas", "corpus/golden", "corpus/sample")
    assert tracked <= sent, sorted(tracked - sent)[:10]
    ours = {name for name in sent if not name.startswith(("dev/", "etc/", "dist/")) and name != ".dockerenv"}
    assert ours <= _tracked("."), sorted(ours - _tracked("."))[:10]
    assert not any(name.startswith(("tests/", "docs/", ".git")) for name in ours)


def _tracked(*places: str) -> set[str]:
    """Return the files below these places that git does not ignore."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *places]
    names = subprocess.run(listing, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return {name for name in names.split("\0") if name}
