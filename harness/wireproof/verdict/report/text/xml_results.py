"""JUnit XML: reports of one suite, and results of test cases in text that XML can hold."""

import io
from collections.abc import Sequence

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from wireproof.base.text.wording import printable


def failed(
    name: str, kind: type[Error] | type[Failure], word: str, message: str, text: Sequence[str]
) -> TestCase:
    """Return a failed test case for a problem that belongs to no cell."""
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


def suite_xml(suite: TestSuite, duration_s: float | None = None) -> str:
    """Return the report of a suite with its XML declaration. The default duration is the sum of its cases."""
    report = JUnitXml("wireproof")
    report.add_testsuite(suite)
    report.update_statistics()  # type: ignore[no-untyped-call] # the library's own hole
    if duration_s is not None:
        suite.time = report.time = round(duration_s, 3)
    text = io.BytesIO()
    report.write(text)
    return text.getvalue().decode("utf-8")


def legal(text: str) -> str:
    """The printable text: XML may hold few control characters, not even escaped."""
    return printable(text)
