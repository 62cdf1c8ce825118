"""Changes of a ledger file leave the rest of the file as it is."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.environments.ledgers import ENTRY, TEXT, TODAY, entry, place, wild
from wireproof.model.cell import Phase
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.verdict.ledger.entry import ReasonKind, free_id
from wireproof.verdict.ledger.evidence import Evidence
from wireproof.verdict.ledger.files.ledger_reading import NEW_FILE, LedgerError, read_ledger
from wireproof.verdict.ledger.files.repairing import added, amended, evidence_values, narrowed, removed
from wireproof.verdict.ledger.known_causes import LedgerCause
from wireproof.verdict.ledger.spans import Extent, Versions

TWO = added(TEXT, [entry(id="second", versions="0", reason="it is late", link="https://example.org/1")])
SAME = added(TWO, [entry(id="third", versions="2")])
CAUSE = LedgerCause(
    "crash",
    Deviation(CodecDirection.DECODE, "unknown-tag", "crash", "KeyError"),
    ReasonKind.BUG,
    "null is written as empty",
    "me",
    TODAY,
    date(2099, 5, 20),
)


def ids(text: str) -> list[str]:
    return [each.id for each in read_ledger(text, "known.toml").entries]


def changed_lines(before: str, after: str) -> list[str]:
    return [line for line in after.splitlines() if line not in before.splitlines()]


def test_a_written_entry_is_read_unchanged():
    """Every part of an entry is written to a new file and read again."""
    whole = entry(
        subject="codec[a]", link="https://example.org/1", case="1.0.0/PingRequest/1/enumerated/name/null",
        phases=(Phase.ENUMERATED, Phase.FRAME), releases="2.8.2-3.9.2, 4.4.0", versions="1-2, 7",
        reason='it says "no"\nand\ttwice # thrice',
    )  # fmt: skip
    wild = entry(id="wild", message="*", versions="all", field="", type="[]int32")

    assert read_ledger(added("", [whole, wild]), "known.toml").entries == (whole, wild)


def test_a_new_reason_leaves_the_file_as_it_is():
    """The old text stays byte by byte."""
    assert TWO.startswith(TEXT)
    assert ids(TWO) == ["ping-null", "second"]


def test_one_reason_is_one_table():
    """A cause and entries with the reason of a deviation are lines of its table; nothing else changes."""
    text = added(SAME, causes=[CAUSE])
    ledger = read_ledger(text, "known.toml")
    assert [each.id for each in ledger.entries] == ["ping-null", "third", "second"]
    assert ledger.causes == (CAUSE,)
    assert (text.count("[[deviation]]"), text.count("null is written as empty")) == (2, 1)
    assert all(line in text.splitlines() for line in TWO.splitlines())
    assert removed(removed(text, "crash"), "third") == TWO


def test_amending_leaves_comments_and_order():
    """One line differs."""
    text = amended(TEXT, "ping-null", {"expires": date(2100, 1, 1)})
    (line,) = changed_lines(TEXT, text)
    assert line in TEXT.replace("2099-05-20", "2100-01-01")
    assert amended(text, "ping-null", {"expires": date(2099, 5, 20)}) == TEXT


def test_an_entry_with_another_reason_leaves_its_table():
    """The others keep theirs; it joins a table that has the new reason."""
    text = amended(SAME, "third", {"reason": "it is late", "link": "https://example.org/1"})
    assert [(each.id, each.reason) for each in read_ledger(text, "").entries] == [
        ("ping-null", "null is written as empty"),
        ("second", "it is late"),
        ("third", "it is late"),
    ]
    assert text.startswith(TEXT)


def test_removing_an_entry_removes_only_it_and_the_comment_above():
    """The header of the file and the comments of the other entries stay."""
    commented = TWO.replace(
        '[[deviation]]\nreason-kind = "bug"\nreason = "it',
        '# Late.\n[[deviation]]\nreason-kind = "bug"\nreason = "it',
    )
    first_gone = removed(commented, "ping-null")
    assert first_gone.startswith("# Known.\nformat = 7\n\n# Late.\n[[deviation]]")
    assert removed(commented, "second") == TEXT
    assert ids(removed(removed(commented, "second"), "ping-null")) == []


def test_the_comment_of_a_line_stays_with_it():
    """Above the line, or at its end: then it goes above."""
    lines = SAME.replace('  { id = "third"', '  # Also late.\n  { id = "third"').replace(
        "2099-05-20 },\n  #", "2099-05-20 }, # twice\n  #"
    )
    text = amended(lines, "third", {"versions": "2-3"})
    assert [line.strip() for line in text.splitlines() if line.strip().startswith("#")] == [
        "# Known.", "# Reported to them.", "# twice", "# Also late.",
    ]  # fmt: skip
    assert (
        text.index("# twice") < text.index('"ping-null"') < text.index("# Also late.") < text.index('"third"')
    )
    assert "#" not in removed(text, "ping-null").partition("entries")[2].replace("# Also late.", "")


def test_an_entry_of_a_file_with_faults_can_be_removed():
    """A file with faults is fixed by removing the entry."""
    broken = TWO.replace('id = "second"', 'id = "second", nonsense = 1')
    with pytest.raises(LedgerError):
        read_ledger(broken, "known.toml")
    assert removed(broken, "second") == TEXT


WILD = added(TWO, [wild(place(1), place(2), id="third"), wild(place(0), id="last")])


@pytest.mark.parametrize("entry_id", ["third", "last"])
def test_new_evidence_replaces_the_old_evidence(entry_id):
    """All other entries, and the other lines of this entry, stay byte by byte."""
    more = Evidence.of([place(1), place(1, "hops[].name"), place(3, message="PingResponse")])
    text = amended(WILD, entry_id, {"seen": evidence_values(more)})
    before, after = (read_ledger(each, "known.toml").entries for each in (WILD, text))
    assert [each.id for each in after if each not in before] == [entry_id]
    assert next(each for each in after if each.id == entry_id).seen == more
    assert len(changed_lines(WILD, text)) == 1
    old = next(each for each in before if each.id == entry_id).seen
    assert amended(text, entry_id, {"seen": evidence_values(old)}) == WILD


def test_evidence_goes_with_its_entry():
    """Evidence is amended and removed like any other part of its entry."""
    text = amended(WILD, "third", {"expires": date(2100, 1, 1), "tried": "4.4.0"})
    known = next(each for each in read_ledger(text, "").entries if each.id == "third")
    assert (known.expires.year, str(known.tried), len(known.seen.messages())) == (2100, "4.4.0", 1)
    assert removed(removed(WILD, "last"), "third") == TWO


REASONS = ("it is late", "it is early", "nobody knows")
STEPS = st.lists(
    st.tuples(
        st.integers(0, 5), st.sampled_from(("add", "reason", "versions", "remove")), st.sampled_from(REASONS)
    )
)


@given(STEPS)
def test_any_edits_give_the_ledger_that_they_describe(steps):
    """A dictionary of entries is edited beside the file. Each reason has one table, and none is empty."""
    text, known = NEW_FILE, {}
    for number, step, reason in steps:
        name = f"entry-{number}"
        if step == "add" and name not in known:
            known[name] = entry(id=name, reason=reason)
            text = added(text, [known[name]])
        elif step == "reason" and name in known:
            known[name] = replace(known[name], reason=reason)
            text = amended(text, name, {"reason": reason, "link": ""})
        elif step == "versions" and name in known:
            known[name] = replace(known[name], versions=Versions.parse(str(number)))
            text = amended(text, name, {"versions": str(number)})
        elif step == "remove" and name in known:
            del known[name]
            text = removed(text, name)
    assert {each.id: each for each in read_ledger(text, "known.toml").entries} == known
    assert text.count("[[deviation]]") == len({each.reason for each in known.values()})
    assert "entries = [\n]" not in text
    assert text == f"{text.rstrip()}\n"


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
