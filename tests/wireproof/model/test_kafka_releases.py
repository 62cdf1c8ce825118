"""Numbers of releases are compared as numbers, and each feature has one first line."""

import pytest

from wireproof.kafka.releases.release_table import table
from wireproof.model.kafka.releases import ReleaseFeature, release_line, release_number


def test_releases_are_ordered_by_their_numbers():
    """3.10.0 comes after 3.9.2, which its text does not."""
    assert sorted(["3.10.0", "3.9.2", "2.8.2"], key=release_number) == ["2.8.2", "3.9.2", "3.10.0"]


@pytest.mark.parametrize(("release", "line"), [("3.9.2", (3, 9)), ("3.9", (3, 9)), ("4.4.0", (4, 4))])
def test_a_line_is_the_first_two_numbers(release, line):
    """A patch belongs to its line; the name of a line is its own."""
    assert release_line(release) == line


@pytest.mark.parametrize("text", ["4", "newest", "4.x.1"])
def test_a_text_that_is_not_a_release_has_no_line(text):
    """A word or a single number is an error."""
    with pytest.raises(ValueError, match=r"unpack|invalid literal"):
        release_line(text)


@pytest.mark.parametrize("feature", ReleaseFeature)
def test_a_feature_begins_with_a_line_of_the_table(feature):
    """The first line of a feature is pinned, has the feature, and the line before it lacks it.

    A feature that came with a patch is in the line from that patch on.
    """
    patch = feature.first[2] if len(feature.first) > 2 else 0
    lines = sorted({release_line(release.version) for release in table().releases})
    assert feature.since in lines
    assert feature.witness
    for line in lines:
        assert feature.is_in(f"{line[0]}.{line[1]}.{patch}") is (line >= feature.since)
    if patch:
        assert not feature.is_in(f"{feature.since[0]}.{feature.since[1]}.{patch - 1}")


def test_features_are_distinct():
    """Two features that begin with the same line have different witnesses."""
    assert len(ReleaseFeature) == len(ReleaseFeature.__members__)
