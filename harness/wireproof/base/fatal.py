"""The error that ends a command or a call of the library, with its exit code."""

from wireproof.base.exit_codes import ExitCode

__all__ = ["FatalError"]


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
