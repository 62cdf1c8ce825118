"""Files of older releases of wireproof: read as they are, and migrated by one command."""

from dataclasses import replace

import pytest

from tests.support.environments.ledgers import CATALOGUE, OLD_TEXT, TEXT, TODAY
from tests.support.environments.small_environment import cell
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.verdict.ledger.audit import check_alone
from wireproof.verdict.ledger.files.ledger_reading import LedgerError, read_ledger
from wireproof.verdict.ledger.files.migrations import FORMAT, MIGRATIONS, Migration
from wireproof.verdict.ledger.files.repairing import migrated, removed

OLD = OLD_TEXT.replace("format = 6", "format = 1")
CASED = OLD.replace("phases =", 'case = "4.3.1/PingRequest/1/enumerated/name/null"\nphases =')
RENAMED = (
    *MIGRATIONS,
    Migration(FORMAT + 1, "0.2.0", checks={"octets": "bytes"}),
    Migration(FORMAT + 2, "0.3.0", kinds={"declined": "refused", "otherwise": "differs"}),
)
"""Examples of changes that later releases might bring."""
ANCIENT = (
    OLD_TEXT.replace('"bytes"', '"octets"')
    .replace('"differs"', '"declined:NULL"')
    .replace('"ping-null" ', '"ping-request-name-octets-declined-null" ')
)


def test_an_older_file_is_read_as_one_of_today() -> None:
    """Its entries name the release in which they were tried, which is that of their case."""
    ledger = read_ledger(CASED, "known.toml")

    assert ledger.outdated
    assert str(ledger.entries[0].tried) == "4.3.1"
    assert not read_ledger(TEXT, "known.toml").outdated


def test_migrating_writes_what_is_read() -> None:
    """Comments stay, and a second migration changes nothing."""
    text, changes = migrated(CASED)

    assert changes == ["ping-null: tried = 4.3.1", f"format 1 becomes {FORMAT}"]
    assert read_ledger(text, "").entries == read_ledger(CASED, "").entries
    assert not read_ledger(text, "").outdated
    comments = ["# Known.", "# Reported to them.", "# a name"]
    assert [line.strip() for line in text.splitlines() if "#" in line] == comments
    assert migrated(text) == (text, [])


def test_an_entry_without_a_case_names_no_tried_releases() -> None:
    """An entry for some releases, or without a case, does not name the releases in which it was tried."""
    some = CASED.replace('versions = "1-3"', 'versions = "1-3"\nreleases = "4.3.1"')
    assert migrated(some)[1] == migrated(OLD)[1] == [f"format 1 becomes {FORMAT}"]


def test_renamed_checks_and_kinds_are_understood_and_rewritten() -> None:
    """Changes of several releases are applied; an id that was derived from old names is derived again, and
    the old id stays an alias."""
    ledger = read_ledger(ANCIENT, "known.toml", RENAMED)
    (entry,) = ledger.entries
    assert (entry.check, entry.kind) == ("bytes", "refused:NULL")
    assert entry.id == "ping-request-name-bytes-refused-null"
    assert ledger.find("ping-request-name-octets-declined-null") is entry

    text, changes = migrated(ANCIENT, RENAMED)
    assert len(changes) == 4
    again = read_ledger(text, "known.toml", RENAMED)
    assert again == replace(ledger, outdated=False)
    assert again.find("ping-request-name-octets-declined-null") == entry
    assert migrated(text, RENAMED) == (text, [])


def test_the_old_check_of_reading_kafkas_bytes_becomes_decode() -> None:
    """Since format 3: an entry that already has the new check stays as it is, and the old id is an alias."""
    entry = OLD_TEXT[OLD_TEXT.index("[[entry]]") :].replace('"bytes"', '"round-trip"')
    made = entry.replace('"ping-null"', '"ping-request-name-round-trip"').replace("ping-null ", "ping ")
    other = made.replace("round-trip", "decode")
    old = f"format = 2\n{made}\n{other}"
    ledger = read_ledger(old, "known.toml")

    assert [(each.id, each.check) for each in ledger.entries] == [("ping-request-name-decode", "decode")]
    assert ledger.find("ping-request-name-round-trip") == ledger.entries[0]
    text, changes = migrated(old)
    assert read_ledger(text, "").entries == ledger.entries
    assert "ping-request-name-decode: an entry that explains the same is removed" in changes
    sets = old.replace('"PingRequest"', '"RecordBatch"')
    assert {each.check for each in read_ledger(sets, "").entries} == {"round-trip", "decode"}


@pytest.mark.parametrize(
    ("kind", "mutation", "now"),
    [
        ("laxer:count", "count=minus-2@12", "laxer:count-negative"),
        ("hang:tags", "tags=doubled-0-at-4@2", "hang:tags-doubled"),
        ("laxer:count", "count=zero@12", "laxer:count"),
        ("laxer:append", "append=zero@12", "laxer:append"),
        ("crashed:KeyError", "count=minus-2@12", "crashed:KeyError"),
        ("laxer:length", "count=minus-2@12", "laxer:length"),
    ],
)
def test_a_coarse_kind_excuses_only_the_observed_operator(kind: str, mutation: str, now: str) -> None:
    """Since format 4 the entry covers only the operator of its accepted case. If the case does not name the
    operator, the kind stays, which no finding has any more."""
    old = (
        CASED.replace("format = 1", "format = 3")
        .replace(
            "4.3.1/PingRequest/1/enumerated/name/null", f"4.3.1/PingRequest/1/mutations/default/{mutation}"
        )
        .replace('"bytes"', '"malformed"')
        .replace('"differs"', f'"{kind}"')
    )
    assert [entry.kind for entry in read_ledger(old, "").entries] == [now]
    assert read_ledger(migrated(old)[0], "").entries == read_ledger(old, "").entries


def test_a_reader_that_stopped_early_did_not_refuse() -> None:
    """Since format 4 the kind of such an entry says so."""
    old = OLD_TEXT.replace("format = 6", "format = 3").replace('"differs"', '"refused:consumed"')
    assert [entry.kind for entry in read_ledger(old, "").entries] == ["stopped-early"]


@pytest.mark.parametrize(
    ("check", "kind", "field", "phases", "part"),
    [
        ("bytes", "differs", "name", ["enumerated"], ""),
        ("frame-decode", "differs", "clientId", ["frame"], "header"),
        ("frame-decode", "differs", "topics[].name", ["frame"], ""),
        ("malformed", "laxer:length", "header.clientId", ["mutations"], "header"),
        ("malformed", "laxer:frame-size", "", ["mutations"], "header"),
        ("decode", "differs", "records/batches[].records[].key", ["records"], "record-set"),
        ("decode", "differs", "records", ["records"], "record-set"),
        ("decode", "differs", "records", ["enumerated", "records"], ""),
        ("label", "differs", "", ["embedded"], "embedded"),
    ],
)
def test_an_older_entry_is_about_one_part(
    check: str, kind: str, field: str, phases: list[str], part: str
) -> None:
    """Since format 5 the part comes from the entry's check, field and phases, else it is the message
    itself."""
    old = (
        OLD_TEXT.replace("format = 6", "format = 4")
        .replace('"bytes"', f'"{check}"')
        .replace('"differs"', f'"{kind}"')
        .replace('field = "name"', f'field = "{field}"')
        .replace('["enumerated"]', str(phases).replace("'", '"'))
    )
    (known,) = read_ledger(old, "").entries
    assert known.part == part
    assert read_ledger(migrated(old)[0], "").entries == (known,)


def test_an_older_entry_for_all_messages_has_no_evidence() -> None:
    """Since format 5 such an entry explains nothing, read or migrated, because the names of its fields are
    not evidence."""
    old = (
        OLD_TEXT.replace("format = 6", "format = 4")
        .replace('"PingRequest"', '"*"')
        .replace('"1-3"', '"all"')
        .replace('field = "name"', 'type = "string"\nnames = ["name"]')
    )
    text, changes = migrated(old)
    assert changes == ["ping-null: names is removed", f"format 4 becomes {FORMAT}"]
    for each in (old, text):
        ledger = read_ledger(each, "known.toml")
        found = Divergence("bytes", "codec", "the bytes differ", "name", "string, versions 0-3")
        (explained,) = ledger.explain(cell("PingRequest", 2), [found])
        assert not explained.entry
        assert "has no evidence of any place" in explained.near
        (problem,) = check_alone(ledger, CATALOGUE, TODAY)
        assert (problem.fault, problem.fails, problem.repair) == ("no-evidence", True, "")


def test_an_id_chosen_by_a_user_stays() -> None:
    """The id is not one that wireproof derived."""
    text, _ = migrated(OLD_TEXT.replace('"bytes"', '"octets"'), RENAMED)
    assert [entry.id for entry in read_ledger(text, "", RENAMED).entries] == ["ping-null"]
    assert "aliases" not in text


def test_aliases_are_above_the_entries_and_outlive_them() -> None:
    """If the last entry is removed, the aliases stay."""
    text, _ = migrated(ANCIENT, RENAMED)
    assert text.index("[aliases]") < text.index("[[deviation]]") < text.index("# Reported to them.")
    left = read_ledger(removed(text, "ping-request-name-bytes-refused-null"), "", RENAMED)
    assert left.entries == ()
    assert left.find("ping-request-name-octets-declined-null") is None


def test_aliases_in_a_circle_end() -> None:
    """A user may have written such aliases."""
    ledger = read_ledger('format = 7\n[aliases]\na = "b"\nb = "a"\n', "")
    assert ledger.find("a") is None


def test_a_file_of_a_newer_wireproof_is_not_migrated() -> None:
    """The error names the next step."""
    with pytest.raises(LedgerError, match="install a newer wireproof"):
        migrated(TEXT.replace("format = 7", "format = 9"))


def test_the_table_of_migrations_is_consistent() -> None:
    """Formats count up by one; no old name is a check of this release."""
    assert [each.format for each in MIGRATIONS] == list(range(2, FORMAT + 1))
    for each in MIGRATIONS:
        assert not set(each.checks) & set(Check)
