"""The watch loop: a round, then the next one when a file changes or a key is pressed."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, Protocol

from wireproof.app.assembly.watch.watch_requests import (
    ChangedFiles,
    KeyPress,
    RequestInbox,
    WatchFailure,
    WatchRequest,
)
from wireproof.app.cli.run.watch.terminal_keys import KEYS_LINE
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.wording import counted
from wireproof.proof.testees import TesteeError

__all__ = ["RoundOfCells", "WatchLoop"]

_NAMED: Final = 3
"""Changed files that are named."""


class RoundOfCells(Protocol):
    """A round: the testee is built, and its cells are judged."""

    def __call__(self, *, only_failed: bool) -> ExitCode | None:
        """Return the exit code of the round; None if a request ended it before it was over.

        Raises:
            FatalError: the round cannot begin: the testee does not build, or a file is wrong.
        """
        ...


class WatchLoop:
    """Rounds until a key or a signal ends them.

    Args:
        folder: the watched folder; files are named relative to it.
        only_failed: whether the first round has only what failed last.
        has_keys: whether there is a keyboard.
        say: called with each line for the user.
        clear: clears the screen where there is one.
    """

    def __init__(
        self,
        folder: Path,
        inbox: RequestInbox,
        run_round: RoundOfCells,
        *,
        say: Callable[[str], object],
        clear: Callable[[], object],
        only_failed: bool = False,
        has_keys: bool = False,
    ) -> None:
        self._folder = folder
        self._inbox = inbox
        self._run_round = run_round
        self._say = say
        self._clear = clear
        self._only_failed = only_failed
        self._has_keys = has_keys

    def run(self, stopped: Callable[[], bool]) -> ExitCode:
        """Run again after each change, until interrupted.

        Args:
            stopped: whether a signal came.

        Returns:
            `INTERRUPTED` after a signal; after the key for the end, the exit code of the last whole round,
            `INTERRUPTED` if there was none.

        Raises:
            FatalError: the first round cannot begin for another reason than its testee, or nothing can be
                watched any more.
        """
        code = self._first_round()
        while not stopped():
            if self._inbox.is_empty:
                self._say(self._waiting_line())
            requests = self._inbox.take()
            if KeyPress.QUIT in requests:
                return code
            self._obey(requests)
            self._clear()
            self._say(self._reason(requests))
            code = self._next_round(code)
        return ExitCode.INTERRUPTED

    def _first_round(self) -> ExitCode:
        try:
            done = self._run_round(only_failed=self._only_failed)
        except FatalError as error:
            if not isinstance(error.__cause__, TesteeError):
                raise
            return self._failed(error)
        return ExitCode.INTERRUPTED if done is None else done

    def _next_round(self, code: ExitCode) -> ExitCode:
        """Run a round; return its code, or the one before if the round came to no end."""
        try:
            done = self._run_round(only_failed=self._only_failed)
        except FatalError as error:
            return self._failed(error)
        return code if done is None else done

    def _failed(self, error: FatalError) -> ExitCode:
        self._say(f"Error: {error}")
        return error.exit_code

    def _obey(self, requests: Sequence[WatchRequest]) -> None:
        for request in requests:
            if request is KeyPress.ALL:
                self._only_failed = False
            elif request is KeyPress.FAILED:
                self._only_failed = True
            elif isinstance(request, WatchFailure):
                raise FatalError(f"cannot watch {self._folder}: {request.reason}", "", ExitCode.MISSING)

    def _waiting_line(self) -> str:
        cells = "only what failed last" if self._only_failed else "what failed last first, then the rest"
        keys = KEYS_LINE if self._has_keys else "Ctrl-C ends it"
        return f"watching {self._folder} ({cells}). {keys}"

    def _reason(self, requests: Iterable[WatchRequest]) -> str:
        changed = sorted({path for each in requests if isinstance(each, ChangedFiles) for path in each.paths})
        if not changed:
            return "again, only what failed last" if self._only_failed else "again"
        names = ", ".join(map(self._name, changed[:_NAMED]))
        more = f" and {counted(len(changed) - _NAMED, 'more file')}" if len(changed) > _NAMED else ""
        return f"changed: {names}{more}"

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self._folder)) if path.is_relative_to(self._folder) else str(path)
