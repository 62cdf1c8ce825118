"""Brokers in containers, of an image made of this machine's files: started, asked, and gone."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
import requests

from tests.container.container_engine import engine
from tests.support.capture import real_cluster
from wireproof.traffic.capture.brokers.existing_cluster import advertised
from wireproof.traffic.capture.brokers.processes.container_programs import KafkaImage
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace, Topology
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.capture_error import CaptureError

RELEASE = "4.3.1"
IMAGE = f"wireproof/kafka:{RELEASE}"
PAIRS = 279
OWNER = """
import sys
from pathlib import Path
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.brokers.server_properties import Topology
from wireproof.traffic.capture.brokers.processes.container_programs import KafkaImage
from tests.support.capture import real_cluster
image, release, logs = sys.argv[1:4]
running = StartedCluster(KafkaImage(image, release), real_cluster.apis(release), Topology.parse("1"),
                         Path(logs), ready_s=real_cluster.READY_S)
running.start()
print("up", flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def client() -> Iterator[docker.DockerClient]:
    """Of an engine that has the image, which `wireproof broker image` built."""
    with engine() as started, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", started)
        command = [sys.executable, "-m", "wireproof", "broker", "image", RELEASE]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr
        assert built.stdout.startswith(IMAGE)
        with contextlib.closing(docker.DockerClient(started)) as asking:
            yield asking


def cluster(image: str, logs: Path) -> StartedCluster:
    apis = real_cluster.apis(RELEASE)
    return StartedCluster(
        KafkaImage(image, RELEASE), apis, Topology.parse("1"), logs, ready_s=real_cluster.READY_S
    )


def test_a_broker_in_a_container(client: docker.DockerClient, tmp_path: Path) -> None:
    """It takes what one from jars does, its log is kept, and neither it nor its data is left."""
    with cluster(IMAGE, tmp_path) as running:
        running.start()
        assert len(client.containers.list()) == 1
        folder = running.folder
        takes = (
            advertised(real_cluster.apis(RELEASE), running.places[ListenerPlace(1, Listener.CLIENT)]) or {}
        )
        assert sum(1 for versions in takes.values() for _ in versions) == PAIRS
        facts = running.facts
    assert (facts["way"], facts["image"]) == ("container", IMAGE)
    assert client.containers.list(all=True) == []
    assert not folder.exists()
    assert "shut down completed" in (tmp_path / "1.log").read_text()


def test_a_node_that_crashed_comes_back(client: docker.DockerClient, tmp_path: Path) -> None:
    """Killed and started again in another container, with the data it had."""
    with cluster(IMAGE, tmp_path) as running:
        running.start()
        running.kill(1)
        assert client.containers.list(all=True) == []
        running.restart(1)
        running.check()


def test_nothing_is_left_of_a_killed_capture(client: docker.DockerClient, tmp_path: Path) -> None:
    """After kill -9 of who has the cluster its container ends, and the engine removes it."""
    program = [sys.executable, "-c", OWNER, IMAGE, RELEASE, str(tmp_path)]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "up\n"
        (container,) = client.containers.list()
        owner.kill()
        owner.wait()
    # It is gone already, or the engine forgets to answer who waits for one that goes.
    with contextlib.suppress(docker.errors.NotFound, requests.exceptions.ConnectionError):
        container.wait(condition="removed", timeout=60)
    assert client.containers.list(all=True) == []


def test_a_missing_image(client: docker.DockerClient, tmp_path: Path) -> None:
    """The advice names the command that builds one."""
    with pytest.raises(CaptureError, match="no-such-image") as caught:
        cluster("no-such-image:1", tmp_path).start()
    assert "wireproof broker image" in caught.value.advice


def test_a_missing_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 5, with advice; the capture did not begin."""
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/no-socket")
    command = [sys.executable, "-m", "wireproof", "capture", "--broker", f"container:{IMAGE}"]
    done = subprocess.run(
        [*command, "--output", str(tmp_path / "x")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 5
    assert "DOCKER_HOST names another" in done.stderr
