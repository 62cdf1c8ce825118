"""Drawing ranges of versions, and the ways to write one."""

from kafkawire.schema.model import MAX_VERSION, VersionRange
from wireproof.proof.strategies.schemas.choices import Choices, chance, pick

__all__ = ["draw_within", "odd_spelling", "open_from", "range_tree"]


def open_from(lowest: int) -> VersionRange:
    """The range without an end: ``3+``."""
    return VersionRange(lowest, MAX_VERSION)


def draw_within(choices: Choices, around: VersionRange) -> VersionRange:
    """A range that has a version in common with `around`: all of it, a part, or more than it."""
    lowest = around.lowest
    span = min(around.highest, lowest + 5) - lowest
    form = choices.below(10)
    if form < 4 or around.empty:
        return open_from(0)
    first = lowest + choices.below(span + 1)
    if form < 7:
        return open_from(first)
    last = first + choices.below(lowest + span - first + 1)
    if form == 7:
        return VersionRange(0, last)
    return VersionRange(first, last)


def range_tree(choices: Choices, versions: VersionRange) -> str | int:
    """A range as a value of the schema: mostly as Kafka's authors write it."""
    if chance(choices, 3):
        return odd_spelling(choices, versions)
    if versions.empty and versions != VersionRange.NONE:
        return f"{versions.lowest}-{versions.highest}"
    return str(versions)


def odd_spelling(choices: Choices, versions: VersionRange) -> str | int:
    """One of the unusual ways to write a range that `Versions.parse` accepts."""
    text = str(versions)
    if versions.empty:
        return " none " if versions == VersionRange.NONE else f"{versions.lowest}-{versions.highest}"
    lowest, highest = versions.lowest, versions.highest
    ways: list[str | int] = [
        f" {text}",
        f"{lowest}-{highest}",
        f"0{lowest}-+{highest}",
        f"{lowest}-0{highest}",
    ]
    if lowest == highest:
        ways += [lowest, f"+{lowest}"]
    return pick(choices, ways)
