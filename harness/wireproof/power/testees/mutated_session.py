"""A conversation with a mutant: the testee's answers are changed on their way back."""

from collections.abc import Sequence
from dataclasses import dataclass

from wireproof.model import MutationSite
from wireproof.power.testees.mutant import AnswerMutant
from wireproof.power.testees.operator import Memory, Question
from wireproof.proof.testees import FailedAnswer, OkAnswer, ProtocolAnswer, TesteeSession, WrappedSession


@dataclass(slots=True)
class MutationCounts:
    """Counts of a mutant's answers.

    Attributes:
        asked: answers about the message in which the mutant is wrong.
        changed: those of them that it changed.
        first: a question whose answer it changed, cut short.
    """

    asked: int = 0
    changed: int = 0
    first: str = ""


class MutatedSession(WrappedSession):
    """Asks a testee, and changes its answers as a mutant does.

    Args:
        testee: the testee itself.
        tally: counts what is changed.
    """

    def __init__(
        self, testee: TesteeSession, mutant: AnswerMutant, tally: MutationCounts | None = None
    ) -> None:
        super().__init__(testee)
        self._mutant = mutant
        self._tally = MutationCounts() if tally is None else tally
        self._memory = Memory()

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """The mutant's answer to each question."""
        answers = super().ask(questions, sites)
        return [self._answer(question, answer) for question, answer in zip(questions, answers, strict=True)]

    def stop(self) -> bool:
        """End it: the mutant remembers nothing either."""
        self._memory = Memory()
        return super().stop()

    def _answer(self, text: str, answer: ProtocolAnswer) -> ProtocolAnswer:
        if f'"{self._mutant.cell.message}"' not in text[:200]:
            return answer
        question = Question.parse(text)
        changed = self._mutant.answer(question, answer, self._memory)
        self._tally.asked += 1
        if changed is not answer:
            self._tally.changed += 1
            self._tally.first = self._tally.first or text[:200]
        self._remember(question, answer)
        return changed

    def _remember(self, question: Question, answer: ProtocolAnswer) -> None:
        memory, operation = self._memory, question.operation
        memory.answers[operation] = memory.answers.get(operation, 0) + 1
        memory.refused = isinstance(answer, FailedAnswer)
        if isinstance(answer, OkAnswer):
            memory.last[operation] = answer.content
