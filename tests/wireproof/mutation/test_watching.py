"""Conversations that look on while a mutant is judged."""

from wireproof.mutation.watching import CautiousSession, Transcript, WatchedSession, digest
from wireproof.testees import EndedAnswer, FailedAnswer, NotAskedAnswer, OkAnswer, ProtocolAnswer


class Hanging:
    """Hangs at one question, and answers every other one."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, questions: list[str], sites: object = ()) -> list[ProtocolAnswer]:
        self.asked += len(questions)
        return [EndedAnswer("hang", "") if each == "hang" else OkAnswer({}) for each in questions]


def test_after_a_hang_nothing_more_is_asked() -> None:
    """Each hang costs processor time, and one of them kills the mutant."""
    testee = Hanging()
    answers = CautiousSession(testee).ask(["hang", *["other"] * 99])  # type: ignore[arg-type]

    assert len(answers) == 100
    assert testee.asked < 100
    assert isinstance(answers[-1], NotAskedAnswer)


def test_without_a_hang_everything_is_asked() -> None:
    """The answers come in the order of the questions."""
    testee = Hanging()

    assert CautiousSession(testee).ask(["other"] * 50) == [OkAnswer({})] * 50  # type: ignore[arg-type]
    assert testee.asked == 50


def test_the_words_of_an_error_are_no_difference() -> None:
    """They may hold an address; whether it was a refusal, and of which class, counts."""
    one, same, other = (
        FailedAnswer(True, "E", "at 0x1"),
        FailedAnswer(True, "E", "at 0x2"),
        FailedAnswer(False, "E", "at 0x1"),
    )

    assert digest(one) == digest(same) != digest(other)


def test_transcripts_name_the_questions_that_are_answered_otherwise() -> None:
    """The same question may be answered in several ways; questions of one transcript alone do not count."""
    one, other = Transcript(), Transcript()
    conversation = WatchedSession(Hanging(), one)  # type: ignore[arg-type]
    conversation.ask(["other", "hang", "other", "alone"])
    for question in ("other", "hang"):
        other.add(question, OkAnswer({}))

    assert one.compared(other) == (2, {hash("hang"): "hang"})
    assert one.compared(one) == (3, {})
