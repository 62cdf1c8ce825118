"""How far a judged program is, on a terminal: what is going on, and how much was judged so far."""

from rich.console import Console
from rich.text import Text

from wireproof.client_judge import RequestStatistics
from wireproof.foreign_text import printable
from wireproof.wording import counted

__all__ = ["ClientProgressLine"]


class ClientProgressLine:
    """A line below the output; nothing where the console is not a terminal. A context manager."""

    def __init__(self, console: Console) -> None:
        self._status = console.status("starting the broker") if console.is_terminal else None

    def __enter__(self) -> "ClientProgressLine":
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def say(self, words: str) -> None:
        """What is going on now."""
        if self._status is not None:
            self._status.update(Text(printable(words)))

    def count(self, statistics: RequestStatistics) -> None:
        """How much of the program's traffic was judged."""
        requests, causes = counted(statistics.requests, "request"), counted(len(statistics.causes), "finding")
        self.say(f"the program runs: {requests} judged, {causes}")
