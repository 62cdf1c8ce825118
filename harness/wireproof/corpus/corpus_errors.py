"""Problems of a corpus, as data."""

from dataclasses import dataclass

__all__ = ["CorpusError", "Problem"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        place: the file, or a word for a stream.
        line: counted from 1; 0 where it is about no line in particular.
    """

    place: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: {self.message}" if self.line else f"{self.place}: {self.message}"


class CorpusError(Exception):
    """A corpus that cannot be read, or is not whole.

    Attributes:
        problems: never empty.
    """

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems
