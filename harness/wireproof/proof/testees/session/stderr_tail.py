"""The end of a testee's standard error, attached to the answer that it belongs to."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

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
