"""What can be wrong with a testee apart from its codec."""

__all__ = ["BreachError", "TesteeError"]


class TesteeError(Exception):
    """A testee cannot be used: it does not build, not start, not greet.

    Attributes:
        message: what is wrong.
        advice: what to do next.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(f"{message}\n{advice}" if advice else message)
        self.message = message
        self.advice = advice


class BreachError(ValueError):
    """A line that the protocol does not allow."""
