"""Bodies of worker processes in tests of the deadline of a call; child processes import them by name."""

import threading
from multiprocessing.synchronize import Event

from wireproof.kafka.oracle._jvm import deadline


def block_for_ever(begun: Event) -> None:
    """Make a call that never returns."""
    with deadline(0.1):
        begun.set()
        threading.Event().wait()


def come_back_twice(begun: Event) -> None:
    """Make two calls that return."""
    for _ in range(2):
        with deadline():
            begun.set()
