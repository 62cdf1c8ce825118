"""An action of Spark in a thread of its own: it can be waited for, and broken off."""

import uuid
from typing import TYPE_CHECKING

from wireproof.pipeline.runtime.spark_failures import SPARK_ERRORS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Action"]


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
