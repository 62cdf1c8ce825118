"""Failures of Spark, in a line."""

import re
import uuid
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from wireproof.pipeline.runtime.worker_memory import PYTHON_WORKER_MB

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


SPARK_ERRORS: Final = (PySparkException, Py4JError)
"""The errors of an action whose tasks failed."""

_TRACEBACK: Final = "Traceback (most recent call last):"
_CRASHED: Final = "Python worker exited unexpectedly"
_CAUSED: Final = "Caused by: "
_LATEST: Final = "most recent failure: "
_STACK: Final = ("at ", "...", "Driver stacktrace", "An error occurred while calling")
_NAMES: Final = re.compile(r"^(?:[a-z_][\w]*\.)+(?=[A-Z])")
"""The packages before the name of a class of Java or Python."""

_DEAD: Final = (
    "a Python worker ended in the middle of its work: it crashed, or was killed, as by a system that is out "
    "of memory"
)
_REFUSED: Final = f"a Python worker asked for more memory than the {PYTHON_WORKER_MB:,} MiB that it may take"


def cause_of(error: Exception) -> str:
    """The innermost cause of a failure of Spark that says anything, in its own words."""
    text = str(error)
    if _TRACEBACK in text:
        said = _raised(text.rpartition(_TRACEBACK)[2].splitlines())
        return _REFUSED if said == "MemoryError" else said
    if _CRASHED in text:
        return _DEAD
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [
        line.removeprefix(_CAUSED)
        for line in lines
        if line.startswith(_CAUSED) and ": " in line[len(_CAUSED) :]
    ]
    words = [line.removeprefix(": ").rpartition(_LATEST)[2] for line in lines if not line.startswith(_STACK)]
    return _NAMES.sub("", [*words[:1], *causes][-1]) if words else type(error).__name__


def is_death(error: Exception) -> bool:
    """Return True if a Python worker ended in the middle of its work, and said nothing."""
    return cause_of(error) == _DEAD


def _raised(lines: Sequence[str]) -> str:
    """The error below a traceback of Python: one line or several, perhaps followed by Java's calls."""
    first = next((place for place, line in enumerate(lines) if line.strip() and not line[0].isspace()), 0)
    said = takewhile(lambda line: line.strip() and not line.startswith("\t"), lines[first:])
    return _NAMES.sub("", " ".join(line.strip() for line in said))


class Action:
    """Makes every row of a table, and keeps none.

    Args:
        words: what Spark's own page calls it.
    """

    def __init__(self, frame: "DataFrame", words: str) -> None:
        from pyspark import InheritableThread

        self.error: Exception | None = None
        self._frame = frame
        self._words = words
        self._group = uuid.uuid4().hex
        self._context = frame.sparkSession.sparkContext
        self._thread = InheritableThread(target=self._run)
        self._thread.daemon = True
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Return True if it is over; `error` then holds the failure."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def cancel(self) -> None:
        """Let Spark end its tasks. What has not come to Spark yet is ended by a later call."""
        self._context.cancelJobGroup(self._group)

    def _run(self) -> None:
        self._context.setJobGroup(self._group, self._words, interruptOnCancel=True)
        try:
            self._frame.write.format("noop").mode("overwrite").save()
        except SPARK_ERRORS as error:
            self.error = error
