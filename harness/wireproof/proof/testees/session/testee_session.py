"""The interface of a session with a testee."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from wireproof.model.codec_ends import MutationSite
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.session.protocol_answers import ProtocolAnswer


class TesteeSession(Protocol):
    """A testee that answers requests, in any process."""

    @property
    def location(self) -> str:
        """The place where the testee runs, in words that follow "it runs in"."""

    @property
    def enforced(self) -> Mapping[str, str]:
        """The limits that apply, as text by name."""

    def hello(self) -> Hello:
        """Return the testee's identity and claims.

        Raises:
            TesteeError: it does not start, or does not greet.
        """

    def begin_cell(self) -> None:
        """Begin another cell: forget how often the testee ended."""

    def ask(self, requests: Sequence[str], sites: Sequence[MutationSite | None] = ()) -> list[ProtocolAnswer]:
        """Return the answer to each request.

        Args:
            requests: the JSON text of each from its second member on: ``"op":...,...``.
            sites: the mutation of each request with malformed bytes, and its place; may be left out if no
                request has any.

        Raises:
            TesteeError: it does not start any more.
        """

    def stop(self) -> bool:
        """End the testee, so that the next request is the first of a fresh one.

        Return whether it ended in order; True if it is not running.
        """

    def close(self) -> None:
        """End the testee, in order if possible."""


class WrappedSession:
    """A session that passes everything on; see `TesteeSession` for the methods."""

    def __init__(self, testee: TesteeSession) -> None:
        self._testee = testee

    @property
    def location(self) -> str:
        return self._testee.location

    @property
    def enforced(self) -> Mapping[str, str]:
        return self._testee.enforced

    def hello(self) -> Hello:
        return self._testee.hello()

    def begin_cell(self) -> None:
        self._testee.begin_cell()

    def ask(self, requests: Sequence[str], sites: Sequence[MutationSite | None] = ()) -> list[ProtocolAnswer]:
        return self._testee.ask(requests, sites)

    def stop(self) -> bool:
        return self._testee.stop()

    def close(self) -> None:
        self._testee.close()
