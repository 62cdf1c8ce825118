"""The container engine, through the packages of the extra ``container``."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from wireproof.base.extras import install_advice

if TYPE_CHECKING:
    from testcontainers.core.docker_client import DockerClient

_ADVICE: Final = "Is it running, may you use it, is the image there? DOCKER_HOST names another"


class ContainerEngine:
    """The engine that the environment names.

    Args:
        fault: makes the error of its user, of a message and an advice.
        advice: the end of the advice about an engine that does not give something.
    """

    def __init__(self, fault: Callable[[str, str], Exception], advice: str = ".") -> None:
        self._fault = fault
        self._advice = f"{_ADVICE}{advice}"

    def connect(self) -> "DockerClient":
        """Connect to it. Raises the user's error if the packages are missing."""
        with self._packages():
            from testcontainers.core.docker_client import DockerClient
        return DockerClient()

    @contextlib.contextmanager
    def errors(self, subject: str) -> Iterator[None]:
        """Turn the engine's errors about a subject, and its absence, into errors of the user."""
        with self._packages():
            from docker.errors import DockerException
            from requests.exceptions import RequestException
        try:
            yield
        except (DockerException, RequestException) as error:
            message = f"the container engine does not give {subject}: {error}"
            raise self._fault(message, self._advice) from error

    @contextlib.contextmanager
    def _packages(self) -> Iterator[None]:
        try:
            yield
        except ModuleNotFoundError as error:
            message = f"a container needs the package {error.name}"
            raise self._fault(message, install_advice("container")) from error
