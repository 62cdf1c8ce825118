"""A testee in this process that hangs is interrupted where possible, else its process ends."""

import multiprocessing
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from tests.wireproof.proof.testees.hanging_handlers import (
    LIMITS,
    OFFENDING,
    RIGHT,
    LateHandler,
    ask_of,
    local,
    match,
    sleep,
    spin,
    swallow,
)
from wireproof.model.codec_ends import NOT_ALONE
from wireproof.proof.testees.limits import watchdog
from wireproof.proof.testees.session.local_session import LocalSession
from wireproof.proof.testees.session.testee_session import (
    EndedAnswer,
    NotAskedAnswer,
    OkAnswer,
    ProtocolAnswer,
)
from wireproof.proof.testees.testee_errors import TesteeError

REASONS = [(spin, "s of processor time"), (sleep, "in which it worked 0.")]


@pytest.mark.parametrize(("hang", "words"), REASONS)
def test_only_the_offending_request_fails(hang: Callable[[], None], words: str) -> None:
    """Only this request fails, with the limit that it exceeded; the others are answered."""
    first, hung, last = local(hang).ask([RIGHT, OFFENDING, RIGHT])
    assert isinstance(hung, EndedAnswer)
    assert hung.error == "hang"
    assert words in hung.message
    assert isinstance(first, OkAnswer)
    assert first == last


def test_a_hang_in_another_thread_is_interrupted() -> None:
    """Such a thread gets no signal; an exception is raised in it at its next line of Python."""
    answers: list[ProtocolAnswer] = []
    asking = threading.Thread(target=lambda: answers.extend(local(spin).ask([OFFENDING, RIGHT])))
    asking.start()
    asking.join()
    assert [type(each) for each in answers] == [EndedAnswer, OkAnswer]


def test_the_watching_thread_ends_without_calls_and_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that proves many codecs has no thread for each; a hang after a pause is found as before."""
    monkeypatch.setattr(watchdog, "_IDLE_S", 0.05)
    before = set(threading.enumerate())
    session = local(spin)
    session.ask([RIGHT])
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()
    (hung,) = session.ask([OFFENDING])
    assert isinstance(hung, EndedAnswer)


_HANG_THEN_PROFILE = """
import sys, threading
from wireproof.proof.testees.limits.time_limits import HangError, TimeLimit
from wireproof.proof.testees.limits.watchdog import Watchdog

def hang():
    while True:
        pass

def work():
    watchdog = Watchdog(TimeLimit(0.2, 0.2))
    try:
        with watchdog.watching():
            watchdog.call(hang)
    except HangError:
        print("hang")

thread = threading.Thread(target=work)
thread.start()
thread.join()
sys.setprofile(lambda *_: None)
print(sum(each for each in (1, 2)))
"""


def test_a_profiler_works_after_an_interrupted_hang() -> None:
    """No exception stays pending: CPython 3.11 would loop for ever in the next generator that is traced."""
    command = [sys.executable, "-c", _HANG_THEN_PROFILE]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.split() == ["hang", "3"]


def test_a_testee_that_hangs_repeatedly_is_not_asked() -> None:
    """Two hangs in a cell are enough, as for any testee; another cell starts again."""
    testee = local(spin)
    answers = testee.ask([OFFENDING] * 3 + [RIGHT])
    assert [type(each) for each in answers] == [EndedAnswer] * 2 + [NotAskedAnswer] * 2
    testee.begin_cell()
    assert [type(each) for each in testee.ask([RIGHT])] == [OkAnswer]


def test_a_hang_of_the_requests_together_is_reported() -> None:
    """The object hangs at its third request, and another one that is asked the same does it again."""
    *answered, hung = LocalSession("hangs", LateHandler, limits=LIMITS).ask([RIGHT] * 3)
    assert [type(each) for each in answered] == [OkAnswer] * 2
    assert isinstance(hung, EndedAnswer)
    assert f"again after 3 requests, {NOT_ALONE}: no answer after" in hung.message


def test_a_missing_hello_is_an_error() -> None:
    """The error has the reason why the testee did not greet."""
    with pytest.raises(TesteeError, match="does not greet: no answer after"):
        local(spin, at="hello").hello()


def test_the_alarm_of_the_user_is_restored() -> None:
    """A user's own alarm is restored, and it also fires while a testee is asked."""
    heard: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
    try:
        own = signal.getsignal(signal.SIGALRM)
        (answer,) = local(lambda: signal.raise_signal(signal.SIGALRM)).ask([OFFENDING])
        assert isinstance(answer, OkAnswer)
        assert heard == [signal.SIGALRM]
        assert signal.getsignal(signal.SIGALRM) is own
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("hang", [swallow, match])
def test_a_hang_that_cannot_be_interrupted_ends_its_worker(hang: Callable[[], None]) -> None:
    """The handler ignores the exception, or holds the interpreter: the pool reports why its process ended."""
    process = multiprocessing.get_context("spawn").Process(target=ask_of, args=(hang,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGXCPU
