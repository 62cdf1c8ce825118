"""Errors of a testee that are not errors of its codec."""

from wireproof.model import CannotWorkError

__all__ = ["ProtocolViolationError", "TesteeError"]


class TesteeError(CannotWorkError):
    """A testee cannot be used: it does not build, start or greet."""


class ProtocolViolationError(ValueError):
    """A line that the protocol does not allow."""
