"""Sets of versions and releases, as a ledger writes them."""

import pytest

from wireproof.verdict.ledger.spans import Extent, Releases, Versions

KNOWN = ("2.8.2", "3.0.2", "3.9.2", "3.10.0", "4.0.0")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("3", "3"), ("1-3", "1-3"), ("7, 1-3", "1-3, 7"), ("1,2,3", "1-3"), ("1-4, 3-6", "1-6"), ("all", "all")],
)
def test_versions_are_the_shortest_ranges(text, canonical):
    """Ranges are sorted, merged, and equal when read again."""
    versions = Versions.parse(text)
    assert str(versions) == canonical
    assert Versions.parse(str(versions)) == versions


@pytest.mark.parametrize("text", ["", "x", "3+", "1-", "5-3", "none", "1,,2", "-1"])
def test_invalid_versions_are_an_error(text):
    """A range without an end is invalid: it would cover unknown versions."""
    with pytest.raises(ValueError):
        Versions.parse(text)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("all", KNOWN),
        ("3.9.2", ("3.9.2",)),
        ("3.0.0-3.9.2", ("3.0.2", "3.9.2")),
        ("3.9.3+", ("3.10.0", "4.0.0")),
        ("2.8.2, 4.0.0", ("2.8.2", "4.0.0")),
    ],
)
def test_releases_are_compared_by_number(text, inside):
    """3.10 comes after 3.9; both ends belong to a span."""
    releases = Releases.parse(text)
    assert tuple(release for release in KNOWN if release in releases) == inside
    assert Releases.parse(str(releases)) == releases


@pytest.mark.parametrize("text", ["", "newest", "4", "4.0.0-3.0.2", "4.0.0-", "3.0.2 4.0.0"])
def test_invalid_releases_are_an_error(text):
    """The text is not a release, or the ends of the span are in the wrong order."""
    with pytest.raises(ValueError):
        Releases.parse(text)


def test_chosen_releases_become_spans_without_other_releases():
    """A gap in the known releases is a gap in the spans."""
    assert str(Releases.of({"2.8.2", "3.0.2", "3.10.0"}, KNOWN)) == "2.8.2-3.0.2, 3.10.0"


def test_an_extent_is_one_word():
    """A printed command can be typed without quotes."""
    extent = Extent.parse("2.8.2-3.0.2,4.0.0/1-3,7")
    assert str(extent) == "2.8.2-3.0.2,4.0.0/1-3,7"
    assert ("4.0.0", 7) in extent
    assert ("3.9.2", 7) not in extent
    with pytest.raises(ValueError, match="RELEASES/VERSIONS"):
        Extent.parse("1-3")
