"""The thread that starts testees lasts as long as any of them."""

import threading

import pytest

from wireproof.proof.testees.process.lasting_thread import LastingThread


def test_it_lasts_until_nobody_holds_it() -> None:
    """Two calls run on one thread, which ends with the second release; the next call has a new one."""
    lasting = LastingThread()
    first, second = (lasting.call_and_hold(threading.current_thread) for _ in range(2))
    assert first is second
    lasting.release()
    assert first.is_alive()
    lasting.release()
    assert not first.is_alive()
    assert lasting.call_and_hold(threading.current_thread) is not first
    lasting.release()


def test_a_call_that_fails_holds_nothing() -> None:
    """There is no testee to wait for."""
    lasting = LastingThread()
    with pytest.raises(ZeroDivisionError):
        lasting.call_and_hold(lambda: 1 // 0)
    thread = lasting.call_and_hold(threading.current_thread)
    lasting.release()
    assert not thread.is_alive()
