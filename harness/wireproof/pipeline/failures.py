"""Failures of Spark, in a line."""

from typing import Final

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

__all__ = ["SPARK_ERRORS", "cause_of"]

SPARK_ERRORS: Final = (PySparkException, Py4JError)
"""What an action raises whose tasks failed."""


def cause_of(error: Exception) -> str:
    """The innermost cause of a failure of Spark, in its own words."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by:")]
    words = [line for line in lines if not line.startswith(("at ", "File ", "...", "Traceback"))]
    if causes:
        return causes[-1].removeprefix("Caused by:").strip()
    return words[-1] if words else type(error).__name__
