"""What can be wrong with a testee apart from its codec."""

from wireproof.model import CannotWorkError

__all__ = ["BreachError", "TesteeError"]


class TesteeError(CannotWorkError):
    """A testee cannot be used: it does not build, not start, not greet."""


class BreachError(ValueError):
    """A line that the protocol does not allow."""
