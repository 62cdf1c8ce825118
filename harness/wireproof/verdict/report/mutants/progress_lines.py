"""The lines that every report on mutants prints: the first one, progress, and why a worker cannot work."""

import time
from typing import Final

from rich.console import Console
from rich.status import Status

from wireproof.base.text.foreign_text import printable
from wireproof.verdict.report.text.escaping import marked

__all__ = ["MutationProgress"]

_PLAIN_EVERY_S: Final = 10.0
"""Seconds between two progress lines if nothing else is printed and the output is not a terminal."""


class MutationProgress:
    """Prints to `console`, which should be standard error. Reports derive from it.

    Args:
        selected: how many mutants are to be judged.
    """

    def __init__(self, console: Console, selected: int) -> None:
        self._console = console
        self._selected = selected
        self._started = self._last_line = time.monotonic()
        self._status: Status | None = None

    def _start(self, words: str) -> None:
        """The first line; on a terminal a status line follows the others from now on."""
        self._print(words)
        if self._console.is_terminal:
            self._status = self._console.status("")
            self._status.start()

    def tick(self, judged: int) -> None:
        """Print the progress, now and then."""
        words = f"{judged} of {self._selected} mutants judged"
        if self._status is not None:
            self._status.update(words)
        elif time.monotonic() - self._last_line > _PLAIN_EVERY_S:
            self._print(words)

    def broken(self, message: str, advice: str) -> None:
        """Print why a worker cannot work."""
        self._print(f"[red]error:[/] {marked(message)}")
        if advice:
            self._print(marked(advice))

    def _stop(self) -> float:
        """End the status line; return the seconds since the report was made."""
        if self._status is not None:
            self._status.stop()
        return time.monotonic() - self._started

    def _print(self, text: str) -> None:
        """A line of rich markup."""
        self._last_line = time.monotonic()
        self._console.print(printable(text), emoji=False, highlight=False, soft_wrap=True)
