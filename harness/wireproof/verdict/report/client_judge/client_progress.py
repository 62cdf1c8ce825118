"""Progress of a judged program on a terminal: current step and number of judged requests."""

from rich.console import Console
from rich.text import Text

from wireproof.base.text.foreign_text import printable
from wireproof.base.text.wording import counted
from wireproof.proof.client_judge import RequestStatistics

__all__ = ["ClientProgressLine"]


class ClientProgressLine:
    """A status line below the output, on terminals only. A context manager."""

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
        """Show the current step."""
        if self._status is not None:
            self._status.update(Text(printable(words)))

    def count(self, statistics: RequestStatistics) -> None:
        """Show the number of judged requests."""
        requests, causes = counted(statistics.requests, "request"), counted(len(statistics.causes), "finding")
        self.say(f"the program runs: {requests} judged, {causes}")
