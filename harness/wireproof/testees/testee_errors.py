"""What can be wrong with a testee apart from its codec."""

from wireproof.model import CannotWorkError

__all__ = ["ProtocolViolationError", "TesteeError"]


class TesteeError(CannotWorkError):
    """A testee cannot be used: it does not build, not start, not greet."""


class ProtocolViolationError(ValueError):
    """A line that the protocol does not allow."""
