"""What a testee says on standard error, put beside the answer that it belongs to."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from wireproof.testees.process.transport import STDERR_CHARACTERS
from wireproof.testees.session.protocol_answers import FailedAnswer, ProtocolAnswer

__all__ = ["StderrTail"]


@dataclass(slots=True)
class StderrTail:
    """Remembers what was said of each error.

    A kit tells an error of one place once, and answers come in groups: so what was said of an error is kept
    for the next one of its class.
    """

    _said: dict[str, str] = field(default_factory=dict)

    def beside(self, answer: ProtocolAnswer, heard: Callable[[], str]) -> ProtocolAnswer:
        """The answer; an internal error with what was said of it.

        Args:
            heard: the end of standard error so far.
        """
        if isinstance(answer, FailedAnswer) and not answer.orderly:
            return replace(answer, stderr=self._of(answer.error, heard()))
        return answer

    def _of(self, error: str, heard: str) -> str:
        """Up to the last line that names the error; the end of it where none does."""
        place = heard.rfind(error.rpartition(".")[2])
        if place >= 0:
            self._said[error] = heard[: (heard + "\n").index("\n", place)][-STDERR_CHARACTERS:].strip()
        return self._said.get(error) or heard[-STDERR_CHARACTERS:].strip()
