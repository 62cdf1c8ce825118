"""Results of JUnit test cases, in text that XML can hold."""

from collections.abc import Sequence

from junitparser import Error, Failure, TestCase

from wireproof.foreign_text import printable

__all__ = ["failed", "legal", "result"]


def failed(
    name: str, kind: type[Error] | type[Failure], word: str, message: str, text: Sequence[str]
) -> TestCase:
    """A test case for what is wrong with no cell in particular."""
    case = TestCase(legal(name), "wireproof")
    case.time = 0
    case.result = [result(kind, message, word, text)]
    return case


def result(
    kind: type[Error] | type[Failure], message: str, word: str, text: Sequence[str]
) -> Error | Failure:
    """Return the result of a test case: a sentence, the type of the failure, and the lines about it."""
    made = kind(legal(message), legal(word))
    made.text = legal("\n".join(text).strip("\n"))
    return made


def legal(text: str) -> str:
    """The printable text: XML may hold few control characters, not even escaped."""
    return printable(text)
