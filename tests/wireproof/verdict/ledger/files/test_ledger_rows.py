"""Causes and entries take what they do not state from the table of defaults."""

from datetime import date

import pytest

from tests.support.environments.ledgers import entry
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.files.ledger_reading import NEW_FILE, LedgerError, read_ledger
from wireproof.verdict.ledger.files.repairing import added, defaults_text, with_bounds
from wireproof.verdict.ledger.known_causes import LedgerCause
from wireproof.verdict.ledger.spans import Releases

SINCE, EXPIRES = date(2026, 11, 27), date(2027, 5, 26)
HEAD = f'{NEW_FILE}\n{defaults_text(ReasonKind.BUG, "ann", SINCE, EXPIRES)}tried = "4.4.0"\n'
OWN = entry(
    id="own",
    reason_kind=ReasonKind.BUG,
    owner="ann",
    since=SINCE,
    expires=EXPIRES,
    releases="all",
    tried=Releases.parse("4.4.0"),
)
CAUSE = LedgerCause(
    "crash",
    Deviation(CodecDirection.DECODE, "unknown-tag", "crash", "KeyError"),
    ReasonKind.BUG,
    "a tag is looked up in a dictionary",
    "bob",
    SINCE,
    EXPIRES,
)


def test_what_equals_the_defaults_is_not_written():
    """The file is read as it was written; another owner is stated."""
    text = added(HEAD, [OWN], [CAUSE])
    known = read_ledger(text, "known.toml")
    assert (known.entries, known.causes) == ((OWN,), (CAUSE,))
    assert (
        text.count("since")
        == text.count("expires")
        == text.count('owner = "ann"')
        == text.count("tried")
        == 1
    )
    assert text.count('owner = "bob"') == 1


def test_bounds_and_former_ids_stand_above_the_causes():
    """A reader of the file meets the tables before the lists."""
    text = with_bounds(added(HEAD, [OWN], [CAUSE]), {"written": 7}, "1.0.0")
    assert (
        text.index("[defaults]")
        < text.index("[bounds]")
        < text.index("causes = [")
        < text.index("entries = [")
    )
    assert read_ledger(text, "known.toml").causes == (CAUSE,)


def test_an_entry_of_some_releases_has_no_default_of_tried():
    """`tried` is about entries for all releases."""
    some = entry(id="some", releases="3.9.2")
    assert read_ledger(added(HEAD, [some]), "known.toml").entries == (some,)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('defaults = "ann"', "`defaults` is not a table"),
        ('[defaults]\nreason = "r"', "unknown key 'reason' in \\[defaults\\]: expected reason-kind, owner"),
    ],
)
def test_wrong_defaults_are_named(line, words):
    """One line each, with what to write."""
    with pytest.raises(LedgerError, match=words):
        read_ledger(f"{NEW_FILE}\n{line}\n", "known.toml")


def test_a_wrong_value_is_a_fault_of_what_takes_it():
    """The reader of an entry checks it."""
    with pytest.raises(LedgerError, match="since"):
        read_ledger(added(HEAD, [OWN]).replace(f"since = {SINCE}", 'since = "soon"'), "known.toml")
