"""A job's progress on standard error: a line for each table, and the progress while a table is made."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.live import Live
from rich.text import Text

from wireproof.base.text.wording import printable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOOK_S: Final = 0.5
_LINE_S: Final = 10.0
"""Seconds between two lines if the output is not a terminal."""
_NAME_WIDTH: Final = 12


class JobProgress:
    """Prints the progress of a job.

    Args:
        console: a console on standard error. A terminal also shows the tasks of the table that is being made.
    """

    def __init__(self, console: Console) -> None:
        self._console = console

    def say(self, words: str) -> None:
        """Print a line."""
        self._console.print(Text(printable(words)), soft_wrap=True)

    def held(self, name: str, rows: int) -> None:
        """Report a table that an earlier run has made."""
        self.say(f"{name:<{_NAME_WIDTH}} {rows:>13,} rows, made before")

    @contextmanager
    def making(self, spark: "SparkSession", name: str) -> Iterator[list[int]]:
        """Show a table while it is made; the caller appends the number of its rows to the list."""
        rows: list[int] = []
        started = time.monotonic()
        with self._shown(lambda: f"{name:<{_NAME_WIDTH}} {_tasks(spark):>18}"):
            yield rows
        for count in rows:
            self.say(f"{name:<{_NAME_WIDTH}} {count:>13,} rows {time.monotonic() - started:>8.1f} s")

    @contextmanager
    def reading(self, total_bytes: int) -> Iterator[Callable[[int], None]]:
        """Show the read part of the inputs. The caller reports numbers of bytes to the yielded function."""
        done = 0

        def read(more: int) -> None:
            nonlocal done
            done += more

        with self._shown(
            lambda: f"{'digests':<{_NAME_WIDTH}} {done / 1e9:>8.1f} of {total_bytes / 1e9:.1f} GB"
        ):
            yield read

    @contextmanager
    def _shown(self, words: Callable[[], str]) -> Iterator[None]:
        """Show words repeatedly: on a terminal in one line, with the time; else as separate lines."""
        if not self._console.is_terminal:
            with _repeated(lambda: self.say(words()), _LINE_S):
                yield
            return
        started = time.monotonic()
        with Live(console=self._console, transient=True, auto_refresh=False) as live:

            def show() -> None:
                live.update(Text(f"{words()} {time.monotonic() - started:>8.1f} s"), refresh=True)

            with _repeated(show, _LOOK_S):
                yield


@contextmanager
def _repeated(show: Callable[[], None], every_s: float) -> Iterator[None]:
    """Call a function repeatedly, in another thread."""
    done = threading.Event()

    def look() -> None:
        while not done.wait(every_s):
            show()

    watcher = threading.Thread(target=look, name="progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _tasks(spark: "SparkSession") -> str:
    """Return the tasks done and all tasks of the stages that Spark works on now."""
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
    done = sum(each.numCompletedTasks for each in stages if each is not None)
    every = sum(each.numTasks for each in stages if each is not None)
    return f"{done:,} of {every:,} tasks" if every else "..."
