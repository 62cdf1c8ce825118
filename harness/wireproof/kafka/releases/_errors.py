"""The one exception of this package."""

__all__ = ["ReleaseError"]


class ReleaseError(Exception):
    """A release, a jar or a schema file that cannot be had: never a verdict on a codec.

    Attributes:
        message: what is wrong, with the names of the release and of the jar.
        advice: what to do next, one sentence; may be empty.
        problems: where schema files are at fault: each finding, one line; else empty.
    """

    def __init__(self, message: str, advice: str = "", problems: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice
        self.problems = problems

    def __str__(self) -> str:
        return f"{self.message}\n{self.advice}" if self.advice else self.message
