"""Results of JUnit test cases, in text that XML can hold."""

import re
from collections.abc import Sequence
from typing import Final

from junitparser import Error, Failure, TestCase

__all__ = ["failed", "legal", "result"]

_ILLEGAL: Final = re.compile("[^\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
"""Characters that no XML may hold, not even escaped."""


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
    """What came of a test case: a sentence, the type of the failure, and the lines about it."""
    made = kind(legal(message), legal(word))
    made.text = legal("\n".join(text).strip("\n"))
    return made


def legal(text: str) -> str:
    """The text, with what XML cannot hold spelt out: ``\\x00``."""
    return _ILLEGAL.sub(lambda found: repr(found[0])[1:-1], text)
