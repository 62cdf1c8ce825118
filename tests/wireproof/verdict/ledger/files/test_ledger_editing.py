"""Changes of a ledger file leave the rest of the file as it is."""

from datetime import date

import pytest

from tests.support.environments.ledgers import ENTRY, TEXT, entry, place, wild
from wireproof.model import Phase
from wireproof.verdict.ledger import Evidence, Extent, LedgerError, read_ledger
from wireproof.verdict.ledger.entry import free_id
from wireproof.verdict.ledger.files.ledger_editing import added, amended, narrowed, removed, with_evidence

TWO = added(TEXT, [entry(id="second", versions="0", link="https://example.org/1")])


def ids(text: str) -> list[str]:
    return [each.id for each in read_ledger(text, "known.toml").entries]


def test_a_written_entry_is_read_unchanged():
    """Every part of an entry is written to a new file and read again."""
    whole = entry(
        subject="codec[a]", link="https://example.org/1", case="1.0.0/PingRequest/1/enumerated/name/null",
        phases=(Phase.ENUMERATED, Phase.FRAME), releases="2.8.2-3.9.2, 4.4.0", versions="1-2, 7",
        reason='it says "no"\nand\ttwice',
    )  # fmt: skip
    wild = entry(id="wild", message="*", versions="all", field="", type="[]int32")

    assert read_ledger(added("", [whole, wild]), "known.toml").entries == (whole, wild)


def test_adding_leaves_the_file_as_it_is():
    """The old text stays byte by byte."""
    assert TWO.startswith(TEXT)
    assert ids(TWO) == ["ping-null", "second"]


def test_amending_leaves_comments_and_order():
    """One line differs."""
    text = amended(TEXT, "ping-null", {"expires": date(2100, 1, 1)})
    pairs = zip(TEXT.splitlines(), text.splitlines(), strict=True)
    assert [new for old, new in pairs if old != new] == ["expires = 2100-01-01"]


def test_removing_an_entry_removes_only_it_and_the_comment_above():
    """The header of the file and the comments of the other entries stay."""
    commented = TWO.replace('[[entry]]\nid = "second"', '# About the second.\n[[entry]]\nid = "second"')
    first_gone = removed(commented, "ping-null")
    assert first_gone.startswith("# Known.\nformat = 6\n\n# About the second.\n[[entry]]")
    assert removed(commented, "second") == TEXT
    assert ids(removed(removed(commented, "second"), "ping-null")) == []


def test_an_entry_of_a_file_with_faults_can_be_removed():
    """A file with faults is fixed by removing the entry."""
    broken = TWO.replace('id = "second"', 'id = "second"\nnonsense = 1')
    with pytest.raises(LedgerError):
        read_ledger(broken, "known.toml")
    assert removed(broken, "second") == TEXT


WILD = added(TWO, [wild(place(1), place(2), id="third"), wild(place(0), id="last")])


@pytest.mark.parametrize("entry_id", ["third", "last"])
def test_new_evidence_replaces_the_old_evidence(entry_id):
    """All other entries, and the other lines of this entry, stay byte by byte."""
    more = Evidence.of([place(1), place(1, "hops[].name"), place(3, message="PingResponse")])
    text = with_evidence(WILD, entry_id, more)
    before, after = (read_ledger(each, "known.toml").entries for each in (WILD, text))
    assert [each.id for each in after if each not in before] == [entry_id]
    assert next(each for each in after if each.id == entry_id).seen == more
    gone = set(WILD.splitlines()) - set(text.splitlines())
    assert all(line.startswith("PingRequest = ") for line in gone)
    assert with_evidence(text, entry_id, next(each for each in before if each.id == entry_id).seen) == WILD


def test_evidence_goes_with_its_entry():
    """Evidence is amended and removed like any other part of its entry."""
    text = amended(WILD, "third", {"owner": "you", "tried": "4.4.0"})
    known = next(each for each in read_ledger(text, "").entries if each.id == "third")
    assert (known.owner, str(known.tried), len(known.seen.messages())) == ("you", "4.4.0", 1)
    assert removed(removed(WILD, "last"), "third") == TWO


def test_narrowing_makes_a_copy_for_each_further_extent():
    """Each copy has its own id; the rest is that of the entry."""
    ledger = read_ledger(TEXT, "known.toml")
    extents = [Extent.parse("all/1"), Extent.parse("4.4.0/2-3"), Extent.parse("2.8.2/2")]
    entries = read_ledger(narrowed(TEXT, ledger, ledger.entries[0], extents), "known.toml").entries
    assert [each.id for each in entries] == ["ping-null", "ping-null-2", "ping-null-3"]
    assert [str(each.extent) for each in entries] == ["all/1", "4.4.0/2-3", "2.8.2/2"]
    assert {each.reason for each in entries} == {ENTRY.reason}


def test_an_unknown_entry_is_an_error():
    """The error has the command that lists the entries."""
    with pytest.raises(LedgerError, match="there is no entry 'nobody'"):
        removed(TEXT, "nobody")
    with pytest.raises(LedgerError, match="ledger list"):
        amended(TEXT, "nobody", {"owner": "you"})


def test_a_used_id_gets_a_number():
    """The first free number is used."""
    assert free_id("a", ["a", "a-2"]) == "a-3"
    assert free_id("a", []) == "a"
