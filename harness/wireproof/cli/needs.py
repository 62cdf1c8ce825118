"""What a command needs and does not get, in words and with its exit code."""

import contextlib
from collections.abc import Iterator

from wireproof.cli.options import Fatal
from wireproof.cli.wiring import MisreadError
from wireproof.releases import ReleaseError
from wireproof.run import ExitCode
from wireproof.testees import TesteeError

__all__ = ["told_as_fatal"]


@contextlib.contextmanager
def told_as_fatal(misread: str = "`wireproof run` must be green first.") -> Iterator[None]:
    """Tells it where a testee, a release or its schemas cannot be had.

    Args:
        misread: what to do where schemas are not read as Kafka's generator reads them.
    """
    try:
        yield
    except (TesteeError, ReleaseError) as error:
        raise Fatal(error.message, error.advice, ExitCode.MISSING) from error
    except MisreadError as error:
        raise Fatal(str(error), misread, ExitCode.DIVERGENCE) from error
