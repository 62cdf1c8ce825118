"""The coverage report of captures: the advertised and the answered pairs, as text, and merged."""

import pytest

from wireproof.traffic.corpus.coverage_report import NOT_ASKED, CoverageReport


def coverage(answered: set[tuple[str, int]], **reasons: str) -> CoverageReport:
    """Return the coverage of a listener that advertises four versions of Fetch."""
    report = CoverageReport("4.3.1")
    client = report.listener("CLIENT")
    client.advertised |= {("FetchRequest", version) for version in (4, 5, 6, 9)}
    client.answered |= answered
    report.explain({("CLIENT", "FetchRequest", int(name[1:])): reason for name, reason in reasons.items()})
    return report


def test_a_written_report_is_read_unchanged() -> None:
    """Pairs are written as spans of versions, with reasons for the unanswered ones."""
    report = coverage({("FetchRequest", 4), ("FetchRequest", 5)}, v6="silent: 5 s")
    text = report.text()
    assert '"FetchRequest": "4-6, 9"' in text
    assert CoverageReport.read(text).text() == text
    assert CoverageReport.read(text).listeners["CLIENT"].missing == {
        ("FetchRequest", 6): "silent: 5 s",
        ("FetchRequest", 9): NOT_ASKED,
    }


def test_the_reports_of_two_captures_are_merged() -> None:
    """A pair is answered if either capture answered it; the reason for an unanswered pair stays."""
    report = coverage({("FetchRequest", 4)}, v6="silent: 5 s", v9="closed")
    report.add(coverage({("FetchRequest", 6)}))
    assert report.listeners["CLIENT"].missing == {
        ("FetchRequest", 5): NOT_ASKED,
        ("FetchRequest", 9): "closed",
    }


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"coverage": 2, "release": "4.3.1", "listeners": {}}'])
def test_another_text_is_refused(text: str) -> None:
    """The error names the known format."""
    with pytest.raises(ValueError):
        CoverageReport.read(text)
