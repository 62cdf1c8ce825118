"""Problems of a corpus, as data."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a file of a corpus, or in a named stream; its line is from 1, and 0 for the whole file."""

    place: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.place}:{self.line}: {self.message}" if self.line else f"{self.place}: {self.message}"


class CorpusError(Exception):
    """The corpus cannot be read, or is not complete; it has one or more `problems`."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems
