"""The error that ends a command or a call of the library, and the errors that become one."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from wireproof.base.exit_codes import ExitCode


class FatalError(Exception):
    """wireproof cannot do what was asked.

    Attributes:
        message: what is wrong.
        advice: what to do next; may be empty.
        exit_code: the code that the command ends with.
    """

    def __init__(self, message: str, advice: str, exit_code: ExitCode) -> None:
        super().__init__(f"{message}\n{advice}" if advice else message)
        self.message = message
        self.advice = advice
        self.exit_code = exit_code


def harness_failure(error: Exception) -> str:
    """Return an unexpected exception in one line, with its place in the code."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
    return f"the harness failed: {type(error).__name__}: {error} at {place}"


class AdvisedError(Exception):
    """An error that says what to do next.

    Attributes:
        message: what is wrong.
        advice: what to do next, one sentence; may be empty.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message}\n{self.advice}" if self.advice else self.message


@contextmanager
def as_fatal(
    *errors: type[Exception], exit_code: ExitCode, what: str = "", advice: str = ""
) -> Iterator[None]:
    """Raise a `FatalError` with the same message and advice in place of these errors.

    Args:
        what: stands before the message.
        advice: of errors that have none.
    """
    try:
        yield
    except errors as error:
        message = error.strerror if isinstance(error, OSError) else str(error)
        if isinstance(error, AdvisedError):
            message, advice = error.message, error.advice
        raise FatalError(f"{what}{message}", advice, exit_code) from error
