"""The error of a capture that cannot work."""

from collections.abc import Iterator
from contextlib import contextmanager

from wireproof.model.oracle import CannotWorkError


class CaptureError(CannotWorkError):
    """A capture cannot begin or go on: a port is taken, a broker does not start, the disk is full."""


@contextmanager
def as_capture_error(what: str, advice: str = "") -> Iterator[None]:
    """Raise a `CaptureError` in place of an error of the system: `what`, then the reason."""
    try:
        yield
    except OSError as error:
        raise CaptureError(f"{what}: {error.strerror}", advice) from error
