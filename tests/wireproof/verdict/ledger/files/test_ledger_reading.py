"""Reading of a ledger file: its entries, and the error for everything else."""

import pytest

from tests.support.environments.ledgers import OLD_TEXT, TEXT
from wireproof.model.cell import FramePart
from wireproof.verdict.ledger.entry import ReasonKind
from wireproof.verdict.ledger.evidence import Location
from wireproof.verdict.ledger.files.ledger_reading import LedgerError, read_ledger
from wireproof.verdict.ledger.files.repairing import added
from wireproof.verdict.ledger.spans import Versions


def faults_of(text: str) -> str:
    with pytest.raises(LedgerError) as caught:
        read_ledger(text, "known.toml")
    return str(caught.value)


def test_an_entry_is_read():
    """Without a value in the file, releases are all, and optional fields are empty."""
    (entry,) = read_ledger(TEXT, "known.toml").entries
    assert entry.id == "ping-null"
    assert entry.versions == Versions.parse("1-3")
    assert str(entry.releases) == "all"
    assert entry.reason_kind is ReasonKind.BUG
    assert entry.subject == entry.link == entry.type == ""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('check = "bytes"', 'check = "bites"', "check 'bites' is unknown: did you mean 'bytes'?"),
        ('kind = "differs"', 'kind = "it differs"', "kind 'it differs' is not valid: expected"),
        ('"bug"', '"bugs"', "reason-kind 'bugs' is unknown: did you mean 'bug'?"),
        ('"1-3"', '"1+"', "versions: '1+' has an open end"),
        ("versions =", "version =", "unknown key 'version': did you mean 'versions'?"),
        ('owner = "me"\n', "\n", "it lacks owner"),
        ('owner = "me"', 'owner = " "', "owner is empty"),
        ("2099-05-20", "2026-11-20", "it expires on 2026-11-20, before its first day 2026-11-21"),
        ("2099-05-20", '"next year"', "expires 'next year' is not a date"),
        ("2099-05-20", "2099-05-20T00:00:00", "expires is not a date"),
        ('["enumerated"]', '["weather"]', "phases ['weather'] is not valid: expected a list of"),
        ('"PingRequest"', '"Ping*"', "only a cause in a primitive has"),
        ('"1-3"', '"all"', "only a cause in a primitive has"),
        ('field = "name"', 'type = "string"', "only a cause in a primitive has"),
        ('id = "ping-null"', 'id = "Ping null"', "id 'Ping null' is not valid: expected lower-case letters"),
    ],
)
def test_a_fault_is_reported_with_its_line_and_its_fix(old, new, says):
    """The error has the file, line, entry and fault, and a command that fixes it."""
    text = faults_of(TEXT.replace(old, new))
    assert says in text
    assert text.startswith("known.toml:10: entry ")
    assert "wireproof ledger remove --ledger known.toml " in text
    assert text.endswith("Correct it, then type: wireproof ledger check --ledger known.toml")


def test_all_faults_are_reported_at_once():
    """The faults of each entry are listed in order."""
    second = TEXT.partition("# Reported to them.\n")[2].replace("1-3", "x")
    text = faults_of(TEXT.replace('"bytes"', '"bites"') + second)
    assert "known.toml:10: entry ping-null: check 'bites' is unknown" in text
    assert "known.toml:17: entry ping-null: versions:" in text


def test_an_id_is_unique():
    """The second entry is reported with the place of the first."""
    text = faults_of(TEXT + TEXT.partition("# Reported to them.\n")[2])
    assert "the id is taken by known.toml:10" in text


def test_invalid_toml_is_reported_with_its_place():
    """The error has the line and the column."""
    assert "known.toml: not valid TOML: " in (text := faults_of("format = \n"))
    assert "line 1" in text


@pytest.mark.parametrize("head", ["", "format = 0", 'format = "1"'])
def test_a_file_must_name_its_format(head):
    """A file without a format is refused as a whole."""
    assert "write format = 7" in faults_of(TEXT.replace("format = 7", head))


def test_a_file_of_a_newer_wireproof_is_refused():
    """It may hold entries that this release of wireproof does not understand."""
    text = faults_of(TEXT.replace("format = 7", "format = 99"))
    assert "format is 99: this wireproof reads formats up to 7: install a newer wireproof" in text


WILD = OLD_TEXT.replace('"PingRequest"', '"*"').replace('"1-3"', '"all"')


@pytest.mark.parametrize(
    ("place", "good"),
    [
        ('type = "string"', True),
        ('type = "[]int32"', True),
        ('type = "PingHop"', False),
        ("", False),
        ('field = "name"', False),
        ('type = "string"\nfield = "name"', False),
    ],
)
def test_only_a_primitive_spans_messages(place, good):
    """A primitive has the same bytes at any place; a struct or a path does not."""
    text = WILD.replace('field = "name"', place)
    if good:
        assert read_ledger(text, "known.toml").entries[0].any_message
    else:
        assert 'message = "*"' in faults_of(text)


SEEN = """
[entry.seen.message]
PingRequest = "0-3: name, hops[].{name, host}"
PingResponse = ["1", "2-3: hops[].{at, via.{name, host}}"]

[entry.seen.header]
PingRequest = "0: clientId"
"""


def test_evidence_is_read_and_written_back() -> None:
    """There is a line for each message, or several if versions show different fields."""
    text = WILD.replace('field = "name"', 'type = "string"') + SEEN
    (known,) = read_ledger(text, "known.toml").entries
    assert known.seen.words() == [
        "message/PingRequest 0-3: hops[].{host, name}, name",
        "message/PingResponse 1",
        "message/PingResponse 2-3: hops[].{at, via.{host, name}}",
        "header/PingRequest 0: clientId",
    ]
    assert Location(FramePart.MESSAGE, "PingResponse", 3, "hops[].via.host") in known.seen
    assert read_ledger(added("", [known]), "known.toml").entries == (known,)


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        ("seen = 7", "seen: '' is not a part"),
        ("[entry.seen.body]\nPingRequest = '1'", "seen: 'body' is not a part"),
        ("[entry.seen]\nmessage = '1'", "seen: 'message' is not a part"),
        ("[entry.seen.message]\nPingRequest = 1", "seen: PingRequest has no lines"),
        ("[entry.seen.message]\nPingRequest = 'all: name'", "seen: 'all' has an open end"),
        ("[entry.seen.message]\nPingRequest = '1+: name'", "has an open end"),
        ("[entry.seen.message]\nPingRequest = '1: hops{name}'", "is not a list of fields"),
        ("[entry.seen.message]\nPingRequest = '1: hops.{name'", "is not a list of fields"),
        ("[entry.seen.message]\nPingRequest = '1: name,'", "is not a list of fields"),
        ("[entry.seen.message]\nPingRequest = '1: name host'", "is not a list of fields"),
    ],
)
def test_invalid_evidence_is_reported(seen: str, says: str) -> None:
    """Evidence names messages with their versions and fields, without patterns."""
    assert says in faults_of(WILD.replace('field = "name"', 'type = "string"') + seen)


def test_evidence_and_parts_have_their_place() -> None:
    """An entry of one message names its own place; an entry of all messages has evidence for each."""
    assert 'seen needs message = "*"' in faults_of(OLD_TEXT + SEEN)
    assert read_ledger(TEXT.replace("field =", 'part = "header", field ='), "").entries[0].part == "header"
    assert "part 'head' is unknown: did you mean 'header'?" in faults_of(
        TEXT.replace("field =", 'part = "head", field =')
    )
    typed = WILD.replace('field = "name"', 'type = "string"\npart = "header"')
    assert "neither field nor part" in faults_of(typed)


@pytest.mark.parametrize(
    ("check", "kind", "good"),
    [
        ("tail", "accepted", True),
        ("cut", "crashed:IndexError", True),
        ("malformed", "laxer:append", True),
        ("malformed", "laxer:length", False),
        ("malformed", "different:count", True),
        ("malformed", "crashed:KeyError", True),
        ("malformed", "hang:count", True),
        ("malformed", "refused:KeyError", False),
        ("encode", "crashed:TypeError", False),
    ],
)
def test_a_check_that_concerns_no_field_spans_messages_too(check, kind, good):
    """Such checks are about the calls of a codec. Of malformed bytes they are cut and lengthened ones, counts
    and tags, and how a decoder ends; no others."""
    text = (
        WILD.replace('field = "name"\n', "")
        .replace('"bytes"', f'"{check}"')
        .replace('"differs"', f'"{kind}"')
    )
    if good:
        assert read_ledger(text, "known.toml").entries[0].any_message
    else:
        assert "concerns no field" in faults_of(text)
