"""A conversation within another one: what plants bugs in answers, or watches them, derives from it."""

from collections.abc import Mapping, Sequence

from wireproof.model import MutationSite
from wireproof.testees.description.hello import Hello
from wireproof.testees.session.protocol_answers import ProtocolAnswer
from wireproof.testees.session.testee_session import TesteeSession

__all__ = ["WrappedSession"]


class WrappedSession:
    """Asks a testee and hands its answers on; see `TesteeSession` for the methods.

    Args:
        testee: the conversation within.
    """

    def __init__(self, testee: TesteeSession) -> None:
        self._testee = testee

    @property
    def words(self) -> str:
        """Where it runs, after "it runs in"."""
        return self._testee.words

    @property
    def enforced(self) -> Mapping[str, str]:
        """The limits that it is held to, in words."""
        return self._testee.enforced

    def hello(self) -> Hello:
        """Who it is and what it claims.

        Raises:
            TesteeError: it does not start, or does not greet.
        """
        return self._testee.hello()

    def forgive(self) -> None:
        """Forget how often it ended: another subject begins."""
        self._testee.forgive()

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """The answer to each question.

        Args:
            sites: of malformed bytes what was done to them and where.

        Raises:
            TesteeError: it does not start any more.
        """
        return self._testee.ask(questions, sites)

    def stop(self) -> bool:
        """End it: the next question is the first of a fresh one. Whether it ended in order."""
        return self._testee.stop()

    def close(self) -> None:
        """End it, in order if it can."""
        self._testee.close()
