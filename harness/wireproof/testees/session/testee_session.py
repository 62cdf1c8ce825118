"""The interface of a testee that can be asked, wherever it runs."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from wireproof.model import MutationSite
from wireproof.testees.description.hello import Hello
from wireproof.testees.session.protocol_answers import ProtocolAnswer

__all__ = ["TesteeSession"]


class TesteeSession(Protocol):
    """A testee that can be asked, wherever it is."""

    @property
    def words(self) -> str:
        """Where it runs, after "it runs in"."""
        ...

    @property
    def enforced(self) -> Mapping[str, str]:
        """The limits that it is held to, in words."""
        ...

    def hello(self) -> Hello:
        """Who it is and what it claims.

        Raises:
            TesteeError: it does not start, or does not greet.
        """
        ...

    def forgive(self) -> None:
        """Forget how often it ended: another subject begins."""
        ...

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """The answer to each question: JSON text of a request from its second member on, ``"op":...,...``.

        Args:
            sites: of malformed bytes what was done to them and where; may be left out where there are none.

        Raises:
            TesteeError: it does not start any more.
        """
        ...

    def stop(self) -> bool:
        """End it: the next question is the first of a fresh one. Whether it ended in order."""
        ...

    def close(self) -> None:
        """End it, in order if it can."""
        ...
