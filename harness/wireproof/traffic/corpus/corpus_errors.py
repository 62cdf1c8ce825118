"""Problems of a corpus, as data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a file of a corpus.

    Attributes:
        place: the file, or a name for a stream.
        line: the line, from 1; 0 for the whole file.
    """

    place: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: {self.message}" if self.line else f"{self.place}: {self.message}"


class CorpusError(Exception):
    """The corpus cannot be read, or is not complete.

    Attributes:
        problems: one or more problems.
    """

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems
