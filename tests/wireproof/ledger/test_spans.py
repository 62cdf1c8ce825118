"""Sets of versions and releases, as a ledger writes them."""

import pytest

from wireproof.ledger import Extent, Releases, Versions

KNOWN = ("2.8.2", "3.0.2", "3.9.2", "3.10.0", "4.0.0")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [("3", "3"), ("1-3", "1-3"), ("7, 1-3", "1-3, 7"), ("1,2,3", "1-3"), ("1-4, 3-6", "1-6"), ("all", "all")],
)
def test_versions_are_the_least_ranges(text, canonical):
    """Sorted, merged, and the same when read again."""
    versions = Versions.parse(text)
    assert str(versions) == canonical
    assert Versions.parse(str(versions)) == versions


@pytest.mark.parametrize("text", ["", "x", "3+", "1-", "5-3", "none", "1,,2", "-1"])
def test_no_versions(text):
    """An open end is none: it would span what nobody has seen."""
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
def test_no_releases(text):
    """What is no release, or a span the wrong way round."""
    with pytest.raises(ValueError):
        Releases.parse(text)


def test_chosen_releases_become_spans_that_hold_no_other():
    """A gap in the known ones is a gap in the spans."""
    assert str(Releases.of({"2.8.2", "3.0.2", "3.10.0"}, KNOWN)) == "2.8.2-3.0.2, 3.10.0"


def test_an_extent_is_one_word():
    """So that a printed command can be typed without quotes."""
    extent = Extent.parse("2.8.2-3.0.2,4.0.0/1-3,7")
    assert str(extent) == "2.8.2-3.0.2,4.0.0/1-3,7"
    assert ("4.0.0", 7) in extent
    assert ("3.9.2", 7) not in extent
    with pytest.raises(ValueError, match="RELEASES/VERSIONS"):
        Extent.parse("1-3")
