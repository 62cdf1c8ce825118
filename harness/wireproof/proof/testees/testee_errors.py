"""Errors of a testee that are not errors of its codec."""

from wireproof.model.oracle import CannotWorkError


class TesteeError(CannotWorkError):
    """A testee cannot be used: it does not build, start or greet."""


class ManifestError(TesteeError):
    """The description of a testee has a mistake: its user corrects the file."""


class ProtocolViolationError(ValueError):
    """A line that the protocol does not allow."""
