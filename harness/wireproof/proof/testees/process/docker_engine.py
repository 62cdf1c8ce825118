"""The container engine: connecting to it, creating and removing containers of testees.

wireproof reaches the engine through testcontainers, the extra ``container``, which is imported when a
container is started. The reaper of testcontainers is not used: wireproof labels its containers and removes
those of a run itself.
"""

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from wireproof.base.extras import install_advice
from wireproof.proof.testees.limits.time_limits import ResourceLimits
from wireproof.proof.testees.testee_errors import TesteeError

if TYPE_CHECKING:
    from docker.models.containers import Container as EngineContainer
    from testcontainers.core.docker_client import DockerClient

_LABEL: Final = "io.wireproof.run"
_PROCESSORS: Final = 1
"""The processors of a testee: it answers one request after the other."""
_GONE: Final = frozenset({404, 409})
"""The engine's status codes for a container that does not exist, or that is being removed."""


def connect() -> "DockerClient":
    """Connect to the engine.

    Raises:
        TesteeError: the packages of the extra are missing.
    """
    try:
        from testcontainers.core.docker_client import DockerClient
    except ModuleNotFoundError as error:
        raise _missing_package(error) from error
    return DockerClient()


@contextlib.contextmanager
def engine_errors(what: str) -> Iterator[None]:
    """Turn the engine's errors, and its absence, into a `TesteeError`.

    Args:
        what: what the caller wants from the engine.
    """
    try:
        from docker.errors import DockerException
        from requests.exceptions import RequestException
    except ModuleNotFoundError as error:
        raise _missing_package(error) from error
    try:
        yield
    except (DockerException, RequestException) as error:
        raise TesteeError(
            f"the container engine does not give {what}: {error}",
            "Is it running, may you use it, is the image there? DOCKER_HOST names another.",
        ) from error


def _missing_package(error: ModuleNotFoundError) -> TesteeError:
    return TesteeError(f"a container needs the package {error.name}", install_advice("container"))


def has_image(image: str) -> bool:
    """Return whether the engine has an image, so that it need not be built.

    Raises:
        TesteeError: there is no engine.
    """
    with engine_errors(f"an answer about {image}"), contextlib.ExitStack() as stack:
        from docker.errors import ImageNotFound

        client = connect().client
        stack.callback(client.close)
        try:
            client.images.get(image)
        except ImageNotFound:
            return False
        return True


def create_container(
    engine: "DockerClient", image: str, command: Sequence[str], run: str, limits: ResourceLimits
) -> "EngineContainer":
    """Create a container, not started yet, with all limits that the engine supports.

    Args:
        command: replaces the image's own; empty for that.
        run: the label of the run's containers.
    """
    from docker.types import LogConfig, Ulimit

    return engine.create(
        image,
        command=list(command) or None,
        labels={_LABEL: run},
        stdin_open=True,
        network="none",
        mem_limit=limits.memory_bytes,
        memswap_limit=limits.memory_bytes,
        nano_cpus=_PROCESSORS * 10**9,
        pids_limit=limits.processes,
        ulimits=[
            Ulimit(name="nofile", soft=limits.descriptors, hard=limits.descriptors),
            Ulimit(name="core", soft=0, hard=0),
        ],
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        log_config=LogConfig(type="none"),
    )


def read_enforced(engine: "DockerClient", container: "EngineContainer") -> dict[str, str]:
    """Return the limits that the engine reports for a container and can enforce, as text by name."""
    info = engine.client.info()
    container.reload()
    given = container.attrs["HostConfig"]

    def limit(name: str, value: object) -> str:
        return str(value) if info.get(name) else "not limited: the engine cannot"

    limits = {each["Name"]: each["Hard"] for each in given["Ulimits"]}
    return {
        "network": given["NetworkMode"],
        "memory": limit("MemoryLimit", given["Memory"]),
        "processors": limit("CpuCfsQuota", given["NanoCpus"] / 10**9),
        "processes": limit("PidsLimit", given["PidsLimit"]),
        "descriptors": str(limits["nofile"]),
        "core dumps": str(limits["core"]),
    }


def remove_container(container: "EngineContainer") -> None:
    """Remove a container, unless it is already gone or being removed."""
    from docker.errors import APIError

    try:
        container.remove(force=True, v=True)
    except APIError as error:
        if error.response is None or error.response.status_code not in _GONE:
            raise


def remove_containers(run: str) -> None:
    """Remove all containers of a run, running or not, whichever process started them."""
    with contextlib.suppress(TesteeError), engine_errors("its list"), contextlib.ExitStack() as stack:
        client = connect().client
        stack.callback(client.close)
        for left in client.containers.list(all=True, filters={"label": f"{_LABEL}={run}"}):
            remove_container(left)
