"""Testee sessions that watch the answers while a mutant is judged."""

from wireproof.power.testees.watching import CautiousSession, Transcript, WatchedSession, digest
from wireproof.proof.testees.session.testee_session import (
    EndedAnswer,
    FailedAnswer,
    NotAskedAnswer,
    OkAnswer,
    ProtocolAnswer,
)


class Hanging:
    """A session that hangs at one request, and answers all others."""

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
    """The answers come in the order of the requests."""
    testee = Hanging()

    assert CautiousSession(testee).ask(["other"] * 50) == [OkAnswer({})] * 50  # type: ignore[arg-type]
    assert testee.asked == 50


def test_the_message_of_an_error_is_not_compared() -> None:
    """The message may hold an address; the answer's type and error class are compared."""
    one, same, other = (
        FailedAnswer(True, "E", "at 0x1"),
        FailedAnswer(True, "E", "at 0x2"),
        FailedAnswer(False, "E", "at 0x1"),
    )

    assert digest(one) == digest(same) != digest(other)


def test_transcripts_name_the_requests_with_different_answers() -> None:
    """One request may be answered in several ways; requests in one transcript alone do not count."""
    one, other = Transcript(), Transcript()
    conversation = WatchedSession(Hanging(), one)  # type: ignore[arg-type]
    conversation.ask(["other", "hang", "other", "alone"])
    for question in ("other", "hang"):
        other.add(question, OkAnswer({}))

    assert one.compared(other) == (2, {hash("hang"): "hang"})
    assert one.compared(one) == (3, {})
