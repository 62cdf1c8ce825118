"""Reports of exceptions that end a command: one line on standard error, and an exit code."""

import contextlib
import errno
import os
import sys
import traceback
from typing import Final

from wireproof.base.exit_codes import ExitCode
from wireproof.base.extras import extra_of, install_advice
from wireproof.base.text.foreign_text import printable, shortened

__all__ = ["TRACEBACK", "OutputClosedError", "code_of"]

TRACEBACK: Final = "WIREPROOF_TRACEBACK"
"""The environment variable that makes an unexpected exception print its traceback."""

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})


class OutputClosedError(Exception):
    """The reader of standard output closed it. click itself would return 1."""


def code_of(error: BaseException) -> ExitCode:
    """Report an exception that ends the command; the exit code.

    A missing package of an extra and a full disk are conditions of the machine. Any other exception is a
    fault of wireproof: the line names the place in the code.
    """
    if module := _missing_module(error):
        advice = install_advice(extra_of(module) or "")
        _report(f"this command needs the package {module}, which is not installed", advice)
        return ExitCode.MISSING
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        place = f" {error.filename}" if error.filename else ""
        _report(f"cannot write{place}: {error.strerror}", "Make room and run the command again.")
        return ExitCode.BROKEN
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
    words = " ".join(str(error).split())[:300]
    _report(
        f"wireproof itself failed: {type(error).__name__}: {words}{place}",
        f"This is a fault of wireproof, not of the codec. {TRACEBACK}=1 prints where; please report it.",
    )
    return ExitCode.BROKEN


def _missing_module(error: BaseException) -> str:
    """The module of an extra whose absence raised the exception; empty if something else did."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ModuleNotFoundError) and cause.name and extra_of(cause.name):
            return cause.name
        cause = cause.__cause__
    return ""


def _report(message: str, advice: str) -> None:
    with contextlib.suppress(OSError):  # standard error may be closed or full, too
        sys.stderr.write(shortened(printable(f"Error: {message}\n{advice}\n")))
        sys.stderr.flush()
