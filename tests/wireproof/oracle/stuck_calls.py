"""What worker processes do in tests of the deadline of a call; named to child processes."""

import threading
from multiprocessing.synchronize import Event

from wireproof.oracle._deadline import deadline


def block_for_ever(begun: Event) -> None:
    """A call that never comes back."""
    with deadline(0.1):
        begun.set()
        threading.Event().wait()


def come_back_twice(begun: Event) -> None:
    """Two calls that do."""
    for _ in range(2):
        with deadline():
            begun.set()
