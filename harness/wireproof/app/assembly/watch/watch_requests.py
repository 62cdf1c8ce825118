"""Requests to the watch loop: from the file watcher, the keyboard and signals, in order."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """Files that were written, renamed or removed. Never empty."""

    paths: frozenset[Path]


class KeyPress(Enum):
    """A key, and its meaning."""

    AGAIN = "run again"
    ALL = "all"
    FAILED = "only failed"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class WatchFailure:
    """The files can no longer be watched.

    Attributes:
        reason: the words of the operating system.
    """

    reason: str


WatchRequest: TypeAlias = ChangedFiles | KeyPress | WatchFailure


class RequestInbox:
    """A queue of requests. `put` may be called from any thread, and from a signal handler."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[WatchRequest] = SimpleQueue()
        self._notify: Callable[[], object] = _nothing

    @property
    def is_empty(self) -> bool:
        """Return whether no request waits."""
        return self._queue.empty()

    def put(self, request: WatchRequest) -> None:
        """Add a request, and notify the round under way."""
        self._queue.put(request)
        self._notify()

    def take(self) -> list[WatchRequest]:
        """Wait for a request. Return it and all that follow it already."""
        requests = [self._queue.get()]
        with contextlib.suppress(Empty):
            while True:
                requests.append(self._queue.get_nowait())
        return requests

    @contextlib.contextmanager
    def notifying(self, notify: Callable[[], object]) -> Iterator[None]:
        """Call a function for each request that comes, and for one that waits already."""
        self._notify = notify
        try:
            if not self.is_empty:
                notify()
            yield
        finally:
            self._notify = _nothing


def _nothing() -> None:
    pass
