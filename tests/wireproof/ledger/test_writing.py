"""Changes of a ledger's file leave all else as it is."""

from datetime import date

import pytest

from ledgers import ENTRY, TEXT, entry
from wireproof.ledger import Extent, LedgerError, read_ledger
from wireproof.ledger.entry import free_id
from wireproof.ledger.writing import added, amended, narrowed, removed
from wireproof.model import Phase

TWO = added(TEXT, [entry(id="second", versions="0", link="https://example.org/1")])


def ids(text: str) -> list[str]:
    return [each.id for each in read_ledger(text, "known.toml").entries]


def test_what_is_written_is_read_again():
    """Every part of an entry, in a file made of nothing."""
    whole = entry(
        subject="codec[a]", link="https://example.org/1", case="1.0.0/PingRequest/1/enumerated/name/null",
        phases=(Phase.ENUMERATED, Phase.FRAME), releases="2.8.2-3.9.2, 4.4.0", versions="1-2, 7",
        reason='it says "no"\nand\ttwice',
    )  # fmt: skip
    wild = entry(id="wild", message="*", versions="all", field="", type="[]int32")

    assert read_ledger(added("", [whole, wild]), "known.toml").entries == (whole, wild)


def test_adding_leaves_the_file_as_it_is():
    """To the letter."""
    assert TWO.startswith(TEXT)
    assert ids(TWO) == ["ping-null", "second"]


def test_amending_leaves_comments_and_order():
    """One line differs."""
    text = amended(TEXT, "ping-null", {"expires": date(2100, 1, 1)})
    pairs = zip(TEXT.splitlines(), text.splitlines(), strict=True)
    assert [new for old, new in pairs if old != new] == ["expires = 2100-01-01"]


def test_removing_takes_the_comment_above_along_and_nothing_else():
    """The header of the file and the comments of the others stay."""
    commented = TWO.replace('[[entry]]\nid = "second"', '# About the second.\n[[entry]]\nid = "second"')
    first_gone = removed(commented, "ping-null")
    assert first_gone.startswith("# Known.\nformat = 4\n\n# About the second.\n[[entry]]")
    assert removed(commented, "second") == TEXT
    assert ids(removed(removed(commented, "second"), "ping-null")) == []


def test_an_entry_of_a_file_with_faults_can_be_removed():
    """That is how such a file is repaired."""
    broken = TWO.replace('id = "second"', 'id = "second"\nnonsense = 1')
    with pytest.raises(LedgerError):
        read_ledger(broken, "known.toml")
    assert removed(broken, "second") == TEXT


def test_narrowing_makes_a_copy_for_each_further_extent():
    """With ids of their own; all else is the entry's."""
    ledger = read_ledger(TEXT, "known.toml")
    extents = [Extent.parse("all/1"), Extent.parse("4.4.0/2-3"), Extent.parse("2.8.2/2")]
    entries = read_ledger(narrowed(TEXT, ledger, ledger.entries[0], extents), "known.toml").entries
    assert [each.id for each in entries] == ["ping-null", "ping-null-2", "ping-null-3"]
    assert [str(each.extent) for each in entries] == ["all/1", "4.4.0/2-3", "2.8.2/2"]
    assert {each.reason for each in entries} == {ENTRY.reason}


def test_what_is_not_there_is_told():
    """With the command that lists what is."""
    with pytest.raises(LedgerError, match="there is no entry 'nobody'"):
        removed(TEXT, "nobody")
    with pytest.raises(LedgerError, match="ledger list"):
        amended(TEXT, "nobody", {"owner": "you"})


def test_ids_get_numbers():
    """The first that is free."""
    assert free_id("a", ["a", "a-2"]) == "a-3"
    assert free_id("a", []) == "a"
