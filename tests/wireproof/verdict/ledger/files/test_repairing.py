"""Repairs applied to a ledger's file: an entry never explains more afterwards."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.schema.model import VersionRange
from tests.support.environments.ledgers import TEXT
from wireproof.verdict.ledger.files.ledger_reading import LedgerError, read_ledger
from wireproof.verdict.ledger.files.repairing import LedgerRepair, widened_part
from wireproof.verdict.ledger.spans import Extent, Releases, Versions

KNOWN = ("2.8.2", "3.0.2", "3.9.2", "4.0.2", "4.4.0")
LEDGER = read_ledger(TEXT, "known.toml")
(ENTRY,) = LEDGER.entries
OTHERS = ("0.9.0", "9.0.0")
"""Releases that the table does not have, or not yet."""


def releases() -> st.SearchStrategy[Releases]:
    spans = st.sampled_from(KNOWN).flatmap(
        lambda first: st.sampled_from(["", *KNOWN[KNOWN.index(first) :]]).map(lambda last: (first, last))
    )
    return st.lists(spans, max_size=2).map(lambda found: Releases(tuple(sorted(found))))


def versions() -> st.SearchStrategy[Versions]:
    numbers = st.sets(st.integers(0, 6), min_size=1).map(Versions.of)
    return st.one_of(numbers, st.just(Versions.ALL))


@given(releases(), versions(), releases(), versions())
def test_an_extent_is_narrower_only_if_the_entry_holds_there(
    held: Releases, kept: Versions, to: Releases, of: Versions
):
    """In every release, known or not, at every version."""
    entry, extent = replace(ENTRY, releases=held, versions=kept), Extent(to, of)
    more = {
        (release, version)
        for release in (*KNOWN, *OTHERS)
        for version in (*range(8), VersionRange.ALL.highest)
        if (release, version) in extent and not (release in held and version in kept)
    }

    assert bool(widened_part(entry, extent, KNOWN)) == bool(more)


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /",
        "wireproof ledger amend --ledger known.toml ping-null --reason x",
        "wireproof ledger accept --ledger known.toml --from events",
        "wireproof ledger remove --ledger known.toml",
        "wireproof ledger remove --ledger known.toml --yes",
        "wireproof ledger remove --from known.toml ping-null",
        "wireproof ledger narrow --ledger known.toml ping-null",
        "wireproof ledger narrow --ledger known.toml ping-null --to",
        "wireproof ledger narrow --ledger known.toml ping-null --owner me",
        "wireproof ledger narrow --ledger known.toml ping-null --to 1-3",
        "wireproof ledger narrow",
        "wireproof ledger 'unclosed",
        "",
    ],
)
def test_another_command_is_refused(command: str):
    """An event file may come from another person."""
    with pytest.raises(LedgerError, match="is not a repair"):
        LedgerRepair.parse(command)


def test_a_printed_command_is_applied():
    """`remove` and `narrow` do what the commands of these names do."""
    removing = LedgerRepair.parse("wireproof ledger remove --ledger known.toml ping-null")
    assert not read_ledger(removing.apply(TEXT, LEDGER, KNOWN), "").entries

    narrowing = LedgerRepair.parse("wireproof ledger narrow --ledger known.toml ping-null --to all/2")
    (left,) = read_ledger(narrowing.apply(TEXT, LEDGER, KNOWN), "").entries
    assert str(left.versions) == "2"
    assert left.id == "ping-null"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("narrow --ledger known.toml ping-null --to all/0-99", "does not hold for version 0"),
        ("narrow --ledger known.toml other --to all/1", "has no entry 'other'"),
        ("remove --ledger known.toml other", "there is no entry 'other'"),
    ],
)
def test_a_repair_that_does_not_fit_is_refused(words: str, says: str):
    """The error names what is wrong."""
    with pytest.raises(LedgerError, match=says):
        LedgerRepair.parse(f"wireproof ledger {words}").apply(TEXT, LEDGER, KNOWN)
