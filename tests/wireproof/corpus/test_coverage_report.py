"""The account of captures: what was advertised and answered, kept as text, added up."""

import pytest

from wireproof.corpus import NOT_ASKED, CoverageReport


def account(answered: set[tuple[str, int]], **reasons: str) -> CoverageReport:
    """A listener that advertises four versions of Fetch."""
    reach = CoverageReport("4.3.1")
    client = reach.listener("CLIENT")
    client.advertised |= {("FetchRequest", version) for version in (4, 5, 6, 9)}
    client.answered |= answered
    reach.explain({("CLIENT", "FetchRequest", int(name[1:])): reason for name, reason in reasons.items()})
    return reach


def test_what_is_written_is_read() -> None:
    """Pairs as spans of versions, reasons for those that were not answered."""
    reach = account({("FetchRequest", 4), ("FetchRequest", 5)}, v6="silent: 5 s")
    text = reach.text()
    assert '"FetchRequest": "4-6, 9"' in text
    assert CoverageReport.read(text).text() == text
    assert CoverageReport.read(text).listeners["CLIENT"].missing == {
        ("FetchRequest", 6): "silent: 5 s",
        ("FetchRequest", 9): NOT_ASKED,
    }


def test_two_captures_reach_together() -> None:
    """What either answered is answered; a reason is kept as long as it is one."""
    reach = account({("FetchRequest", 4)}, v6="silent: 5 s", v9="closed")
    reach.add(account({("FetchRequest", 6)}))
    assert reach.listeners["CLIENT"].missing == {
        ("FetchRequest", 5): NOT_ASKED,
        ("FetchRequest", 9): "closed",
    }


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"coverage": 2, "release": "4.3.1", "listeners": {}}'])
def test_what_is_no_account_is_refused(text: str) -> None:
    """With the format that is known."""
    with pytest.raises(ValueError):
        CoverageReport.read(text)
