"""The exit codes of every command (number, rank and meaning of each), and the error that ends one.

The help, the documentation and the order of precedence are derived from the table.
"""

import traceback
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import Self


class ExitCode(IntEnum):
    """An exit code. The members are in order of precedence: if several apply, the first one is used.

    Attributes:
        sentence: the code in a few words.
        meaning: the same in whole sentences.
    """

    sentence: str
    meaning: str

    def __new__(cls, number: int, sentence: str = "", meaning: str = "") -> Self:
        member = int.__new__(cls, number)
        member._value_ = number
        member.sentence = sentence
        member.meaning = meaning
        return member

    INTERRUPTED = (
        130,
        "interrupted",
        "Ctrl-C, SIGTERM or SIGHUP ended the command. The report has the finished part.",
    )
    USAGE = 2, "usage", "The command line, or a file that it names, has a mistake."
    MISSING = (
        4,
        "something needed is missing",
        "Something that the command needs is missing: a jar, a Java runtime, a package, a testee.",
    )
    BROKEN = (
        5,
        "the harness or Kafka's classes failed",
        "wireproof itself or Kafka's classes failed. The result says nothing about the codec.",
    )
    NOTHING_RAN = 3, "nothing ran", "No cell, case or request matched, so nothing was judged."
    DIVERGENCE = 1, "divergence", "The codec and Kafka differ, and no entry of the ledger explains it."
    LEDGER = (
        6,
        "the ledger is wrong",
        "An entry of the ledger passes, is stale, has expired or covers too much, or a count is above its "
        "bound. The report prints the command that repairs an entry.",
    )
    BELOW_FLOOR = (
        7,
        "incomplete",
        "All that was judged agrees, but something is left: cells, classes of values, claims or "
        "skipped requests.",
    )
    PROVEN = 0, "proven", "Every selected case agrees with Kafka, or the ledger explains it."

    @property
    def rank(self) -> int:
        """The place in the order of precedence, from 1."""
        return list(ExitCode).index(self) + 1


def worst(codes: Collection[int]) -> int:
    """Return the exit code that takes precedence; 0 for none."""
    return int(next((code for code in ExitCode if code in codes), ExitCode.PROVEN))


class FatalError(Exception):
    """wireproof cannot do what was asked. The error ends the command.

    Attributes:
        message: what is wrong.
        advice: what to do next, one sentence; may be empty.
        exit_code: the code that the command ends with. A subclass has its own default.
    """

    exit_code: ExitCode = ExitCode.USAGE

    def __init__(self, message: str, advice: str = "", exit_code: ExitCode | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        if exit_code is not None:
            self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\n{self.advice}" if self.advice else self.message


def harness_failure(error: Exception) -> str:
    """Return an unexpected exception in one line, with its place in the code."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
    return f"the harness failed: {type(error).__name__}: {error} at {place}"


@contextmanager
def as_fatal(
    *errors: type[Exception], exit_code: ExitCode = ExitCode.USAGE, what: str = "", advice: str = ""
) -> Iterator[None]:
    """Raise a `FatalError` with the same message and advice in place of these errors.

    Args:
        what: the text before the message; without one the message of an `OSError` begins with its file.
        advice: the advice for errors that have none.
    """
    try:
        yield
    except errors as error:
        message = str(error)
        if isinstance(error, OSError) and error.strerror:
            message = error.strerror if what or not error.filename else f"{error.filename}: {error.strerror}"
        if isinstance(error, FatalError):
            message, advice = error.message, error.advice
        raise FatalError(f"{what}{message}", advice, exit_code) from error
