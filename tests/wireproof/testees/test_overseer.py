"""A testee in this process that hangs: broken off where that can be, else its process ends."""

import multiprocessing
import signal
import threading
from collections.abc import Callable

import pytest

from tests.wireproof.testees.hanging_handlers import GUILTY, RIGHT, ask_of, local, match, sleep, spin, swallow
from wireproof.testees import TesteeError
from wireproof.testees.session.protocol_answers import EndedAnswer, NotAskedAnswer, OkAnswer, ProtocolAnswer

REASONS = [(spin, "s of processor time"), (sleep, "in which it worked 0.")]


@pytest.mark.parametrize(("hang", "words"), REASONS)
def test_the_guilty_question_is_convicted(hang: Callable[[], None], words: str) -> None:
    """It alone, with the limit that it went beyond; the others are answered."""
    first, guilty, last = local(hang).ask([RIGHT, GUILTY, RIGHT])
    assert isinstance(guilty, EndedAnswer)
    assert guilty.error == "hang"
    assert words in guilty.message
    assert isinstance(first, OkAnswer)
    assert first == last


def test_a_hang_in_another_thread_is_broken_off() -> None:
    """No signal comes there, and what is raised waits for no more than a line of Python."""
    answers: list[ProtocolAnswer] = []
    asking = threading.Thread(target=lambda: answers.extend(local(spin).ask([GUILTY, RIGHT])))
    asking.start()
    asking.join()
    assert [type(each) for each in answers] == [EndedAnswer, OkAnswer]


def test_who_hangs_again_and_again_is_not_asked() -> None:
    """Two hangs in a cell are enough, as of any testee; another cell begins anew."""
    testee = local(spin)
    answers = testee.ask([GUILTY] * 3 + [RIGHT])
    assert [type(each) for each in answers] == [EndedAnswer] * 2 + [NotAskedAnswer] * 2
    testee.begin_cell()
    assert [type(each) for each in testee.ask([RIGHT])] == [OkAnswer]


def test_a_hello_that_does_not_come() -> None:
    """It does not greet, and why."""
    with pytest.raises(TesteeError, match="does not greet: no answer after"):
        local(spin, at="hello").hello()


def test_what_was_there_before_is_there_again() -> None:
    """Somebody's own alarm is his before and after, and reaches him while a testee is asked."""
    heard: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
    try:
        own = signal.getsignal(signal.SIGALRM)
        (answer,) = local(lambda: signal.raise_signal(signal.SIGALRM)).ask([GUILTY])
        assert isinstance(answer, OkAnswer)
        assert heard == [signal.SIGALRM]
        assert signal.getsignal(signal.SIGALRM) is own
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("hang", [swallow, match])
def test_what_cannot_be_stopped_ends_its_worker(hang: Callable[[], None]) -> None:
    """What swallows the exception, and what holds the interpreter: the pool hears why its process ended."""
    process = multiprocessing.get_context("spawn").Process(target=ask_of, args=(hang,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGXCPU
