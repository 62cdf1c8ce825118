"""The interface of a session with a testee."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from wireproof.model.codec_ends import MutationSite
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.process.transport import last_lines
from wireproof.proof.testees.session.protocol_answers import FailedAnswer, ProtocolAnswer


@dataclass(slots=True)
class StderrTail:
    """The latest output for each class of error.

    A kit prints an error of one place only once, and answers arrive in groups, so the output for an error is
    kept for the next error of its class.
    """

    _by_error: dict[str, str] = field(default_factory=dict)

    def attach(self, answer: ProtocolAnswer, stderr_text: Callable[[], str]) -> ProtocolAnswer:
        """Return the answer; attach its output to an internal error.

        Args:
            stderr_text: returns the end of standard error so far.
        """
        if isinstance(answer, FailedAnswer) and not answer.orderly:
            return replace(answer, stderr=self._tail_for(answer.error, stderr_text()))
        return answer

    def _tail_for(self, error: str, stderr_text: str) -> str:
        """Cut the text after the last line that names the error; return its end if no line does."""
        position = stderr_text.rfind(error.rpartition(".")[2])
        if position >= 0:
            end = (stderr_text + "\n").index("\n", position)
            self._by_error[error] = last_lines(stderr_text[:end])
        return self._by_error.get(error) or last_lines(stderr_text)


_MOST_CHARACTERS: Final = 16 << 20
"""Longer sequences are not kept: a repetition would take as long as several cells."""


@dataclass(slots=True)
class SentLines:
    """The lines that one process was sent, without ids.

    Attributes:
        whole: no line was dropped because there were too many.
    """

    lines: list[tuple[str, ...]] = field(default_factory=list)
    whole: bool = True
    _characters: int = 0

    def add(self, requests: Sequence[str]) -> None:
        """Keep the requests of a line."""
        self._characters += sum(map(len, requests))
        self.whole = self._characters <= _MOST_CHARACTERS
        if self.whole:
            self.lines.append(tuple(requests))
        else:
            self.lines.clear()

    @property
    def questions(self) -> int:
        """The number of requests."""
        return sum(map(len, self.lines))


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
