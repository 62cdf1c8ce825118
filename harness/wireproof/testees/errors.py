"""What can be wrong with a testee apart from its codec."""

from typing import Final

from wireproof.model import CannotWorkError

__all__ = ["MISSHAPEN", "BreachError", "TesteeError"]

MISSHAPEN: Final = (
    ArithmeticError,
    AttributeError,
    IndexError,
    KeyError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading JSON raises that has another shape than the protocol wants."""


class TesteeError(CannotWorkError):
    """A testee cannot be used: it does not build, not start, not greet."""


class BreachError(ValueError):
    """A line that the protocol does not allow."""
