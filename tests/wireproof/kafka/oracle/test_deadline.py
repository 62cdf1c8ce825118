"""A call into Java that never returns ends its own worker, and no other process."""

import multiprocessing
import signal
from collections.abc import Callable
from typing import Any

import pytest

from tests.wireproof.kafka.oracle.stuck_calls import block_for_ever, come_back_twice

SPAWN = multiprocessing.get_context("spawn")


@pytest.mark.parametrize(("act", "code"), [(block_for_ever, -signal.SIGALRM), (come_back_twice, 0)])
def test_a_worker_ends_only_where_a_call_never_returns(act: Callable[[Any], None], code: int) -> None:
    """The pool detects the death of the worker, and names the case."""
    begun = SPAWN.Event()
    worker = SPAWN.Process(target=act, args=(begun,))
    worker.start()
    worker.join()
    assert (begun.is_set(), worker.exitcode) == (True, code)
