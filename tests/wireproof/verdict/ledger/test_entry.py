"""The entry that explains a divergence, and the message about entries that nearly do."""

import pickle
from dataclasses import replace

import pytest

from tests.support.environments.ledgers import ENTRY, entry, place, wild
from tests.support.environments.small_environment import cell
from wireproof.model.cell import RECORDS_MODULE, Cell, FramePart
from wireproof.model.codec_ends import HANG, ExpectedEnd
from wireproof.model.divergence import Divergence
from wireproof.verdict.ledger.ledger import Ledger

BYTES = Divergence(
    "bytes", "codec", "the bytes differ from Kafka's", "name", "string, nullable, versions 0-3, default ''"
)
CELL = cell("PingRequest", 2)


def explained(*entries, found=BYTES, where=CELL):
    return Ledger(entries).explain(where, [found])[0]


def test_a_cause_is_explained_at_any_place():
    """The case and the index do not matter."""
    nested = entry(field="hops[].name")
    assert explained(ENTRY).entry == "ping-null"
    assert explained(nested, found=replace(BYTES, path="hops[17].name")).entry == "ping-null"


@pytest.mark.parametrize(
    ("change", "near"),
    [
        ({"path": "count"}, ""),
        ({"kind": "invalid"}, "ping-null is about this place, for kind differs; this is invalid"),
        ({"check": "encode"}, "ping-null is about this field, for bytes differs"),
        ({"subject": "layout"}, "ping-null is about this field, for bytes differs"),
    ],
)
def test_another_cause_is_not_explained(change, near):
    """The message names the nearest entry, so that users need not search for it."""
    found = explained(ENTRY, found=replace(BYTES, **change))
    assert (found.entry, found.near) == ("", near)


def test_another_version_is_not_explained():
    """The entry is named with the versions that it covers."""
    found = explained(ENTRY, where=cell("PingRequest", 0))
    assert (found.entry, found.near) == ("", "ping-null says the same of versions 1-3, releases all")
    assert explained(entry(releases="4.4.0")).entry == ""
    assert explained(ENTRY, where=cell("PingResponse", 2)).entry == ""


def test_a_subject_narrows_an_entry():
    """The entry covers only the codec of this name."""
    assert explained(entry(subject="codec")).entry == "ping-null"
    assert explained(entry(subject="another")).entry == ""


PLACES = (place(2), place(1), place(2, "hops[].name"), place(2, message="PingResponse"))


@pytest.mark.parametrize(
    ("change", "near"),
    [
        ({}, ""),
        ({"path": "hops[3].name"}, ""),
        (
            {"path": "nickname"},
            "wild says the same of other fields of PingRequest, and was not observed at nickname",
        ),
        (
            {"path": ""},
            "wild says the same of other fields of PingRequest, and was not observed at the message itself",
        ),
        (
            {"part": FramePart.HEADER},
            "wild says the same of other data (message: 2 messages, 3 fields), "
            "and was not observed here (header of PingRequest)",
        ),
        ({"part": FramePart.RECORD_SET}, "and was not observed here (record-set of PingRequest)"),
        ({"part": FramePart.EMBEDDED}, "and was not observed here (embedded of PingRequest)"),
        ({"field": "int32, versions 0-3, default -1"}, ""),
        ({"kind": "invalid"}, "wild is about this place, for kind differs; this is invalid"),
    ],
)
def test_an_entry_for_all_messages_explains_the_places_where_it_was_observed(change, near):
    """Another field, or the same field in another part of the frame, is a finding that names the entry."""
    found = explained(wild(*PLACES), found=replace(BYTES, **change))
    assert near in found.near
    assert bool(found.entry) is (not near and change.get("field") is None)


@pytest.mark.parametrize(
    ("where", "near"),
    [
        (cell("PingRequest", 1), ""),
        (cell("PingResponse", 2), ""),
        (
            cell("PingRequest", 3),
            "wild says the same of name in versions 1-2 of PingRequest, and was not observed in 3",
        ),
        (
            cell("RequestHeader", 2),
            "wild says the same of 2 other messages (message), and was not observed in RequestHeader",
        ),
    ],
)
def test_an_entry_for_all_messages_explains_the_messages_where_it_was_observed(where, near):
    """The same holds for their versions."""
    found = explained(wild(*PLACES), where=where)
    assert (bool(found.entry), found.near) == (not near, near)


def test_without_evidence_an_entry_for_all_messages_explains_nothing():
    """An older wireproof, or a user, wrote such an entry."""
    found = explained(wild())
    assert (found.entry, found.near) == (
        "",
        "wild says the same and has no evidence of any place, so it explains nothing",
    )


def test_the_nearest_entry_is_named():
    """An entry for this message is nearer than an entry for others."""
    far, near = wild(place(0, message="PingResponse"), id="far"), wild(place(2, "host"), id="near")
    assert explained(far, near).near.startswith("near says the same of other fields")


def test_an_entry_of_one_message_is_about_one_part():
    """The part is the body by default: a header's field of the same name is another place."""
    header = replace(BYTES, part=FramePart.HEADER)
    assert explained(ENTRY, found=header).entry == ""
    assert explained(entry(part="header"), found=header).entry == "ping-null"
    assert explained(entry(part="header")).entry == ""
    sets = Cell("1.0.0", RECORDS_MODULE, "PingRequest", 2)
    assert explained(ENTRY, where=sets).entry == "ping-null"
    assert explained(entry(part="message"), where=sets).entry == ""


def test_a_derived_failure_of_an_explained_divergence_is_explained():
    """Kafka reads another value from bytes that are known to be wrong: this is not a separate cause."""
    reads = replace(BYTES, check="oracle-reads", path="count", kind="differs")
    trip = replace(BYTES, check="round-trip", path="hops", kind="empty-for-null")
    other = replace(BYTES, check="decode", path="count")
    found = Ledger((ENTRY,)).explain(CELL, [BYTES, reads, trip, other])
    assert [each.entry for each in found] == ["ping-null", "ping-null", "ping-null", ""]
    assert [each.entry for each in Ledger((ENTRY,)).explain(CELL, [reads, trip])] == ["", ""]


def test_a_known_kafka_bug_comes_first():
    """No ledger is asked about a known Kafka bug."""
    assert explained(ENTRY, found=replace(BYTES, erratum="KAFKA-1")).entry == ""


def test_a_ledger_can_be_sent_to_other_processes():
    """It is equal in the other process."""
    ledger = pickle.loads(pickle.dumps(Ledger((ENTRY,), "known.toml")))
    assert ledger == Ledger((ENTRY,), "known.toml")
    assert ledger.explain(CELL, [BYTES])[0].entry == "ping-null"


def test_unknown_tags_are_a_primitive():
    """All structs write them in the same way: one entry explains the tags of every struct, and no field."""
    fields = "_tags", "hops[]._tags", "_tags[]", "name", "hops[].my_tags"
    tags = wild(*(place(2, field) for field in fields), type="tags")
    for path in ("_tags", "hops[3]._tags", "_tags[9]"):
        assert explained(tags, found=replace(BYTES, path=path, field="")).entry == "wild"
    assert explained(tags).entry == ""
    assert explained(tags, found=replace(BYTES, path="hops[3].my_tags", field="")).entry == ""


def test_a_hang_is_explained_at_each_place_of_its_operator():
    """A run reports one place for each operator, and skips the others. Another operator, and other data, are
    not explained; an entry without evidence explains nothing."""
    known = wild(*PLACES, check="malformed", kind="hang:tag-count-huge", type="")
    hang = replace(BYTES, check="malformed", kind="hang:tag-count-huge", path="_tags")

    assert explained(known, found=hang, where=cell("PingResponse", 3)).entry == "wild"
    assert explained(known, found=replace(hang, kind="hang:tag-count-negative")).entry == ""
    assert explained(known, found=replace(hang, part=FramePart.HEADER)).entry == ""
    assert explained(wild(check="malformed", kind="hang:tag-count-huge", type=""), found=hang).entry == ""


def test_the_end_of_a_process_is_explained_in_all_versions_of_its_field():
    """A run asks one version of a field, whichever comes first among its processes, and skips the others.
    Another field, another part and an error that the codec reports itself are not explained."""
    known = wild(place(2), check="malformed", kind="death:count-huge", type="")
    end = replace(BYTES, check="malformed", kind="death:count-huge")

    assert explained(known, found=end, where=cell("PingRequest", 2)).entry == "wild"
    assert explained(known, found=end, where=cell("PingRequest", 3)).entry == "wild"
    assert explained(known, found=replace(end, path="count"), where=cell("PingRequest", 3)).entry == ""
    assert (
        explained(known, found=replace(end, part=FramePart.HEADER), where=cell("PingRequest", 3)).entry == ""
    )
    assert explained(known, found=end, where=cell("PingResponse", 3)).entry == ""
    error = wild(place(2), check="malformed", kind="crashed:TypeError", type="")
    found = replace(end, kind="crashed:TypeError")
    assert explained(error, found=found, where=cell("PingRequest", 3)).entry == ""


def test_an_entry_about_an_end_states_the_one_case_that_a_run_asks() -> None:
    """The case is of any release. Without a case, or of another kind, an entry states no end."""
    case = "1.0.0/PingRequest/2/mutations/default/count=max@7"
    known = wild(*PLACES, check="malformed", kind="death:count-huge", type="", case=case)
    places = frozenset((each.message, each.field) for each in PLACES)
    expected = ExpectedEnd("", "process", "count-huge", "PingRequest/2/mutations/default/count=max@7", places)
    assert known.expected_end == expected
    one = replace(ENTRY, check="malformed", kind="hang:length-null", field="name", case=case)
    assert one.expected_end == ExpectedEnd(
        "", HANG, "length-null", expected.case, frozenset({("PingRequest", "name")})
    )
    assert replace(one, case="").expected_end is None
    assert replace(one, kind="crashed:KeyError").expected_end is None
