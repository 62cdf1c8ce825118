"""Which entry explains a divergence, and what is said of those that nearly do."""

import pickle
from dataclasses import replace

import pytest

from ledgers import ENTRY, entry
from small_bench import cell
from wireproof.ledger import Ledger
from wireproof.model import Divergence

BYTES = Divergence(
    "bytes", "codec", "the bytes differ from Kafka's", "name", "string, nullable, versions 0-3, default ''"
)
CELL = cell("PingRequest", 2)


def explained(*entries, found=BYTES, where=CELL):
    return Ledger(entries).explain(where, [found])[0]


def test_the_cause_is_explained_wherever_it_stands():
    """Any case, any index."""
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
def test_another_cause_is_not(change, near):
    """Words tell of the entry that comes near, so that nobody has to look for it."""
    found = explained(ENTRY, found=replace(BYTES, **change))
    assert (found.entry, found.near) == ("", near)


def test_another_version_is_not():
    """The entry is named with what it covers."""
    found = explained(ENTRY, where=cell("PingRequest", 0))
    assert (found.entry, found.near) == ("", "ping-null says the same of versions 1-3, releases all")
    assert explained(entry(releases="4.4.0")).entry == ""
    assert explained(ENTRY, where=cell("PingResponse", 2)).entry == ""


def test_a_subject_narrows_an_entry():
    """To the codec of this name."""
    assert explained(entry(subject="codec")).entry == "ping-null"
    assert explained(entry(subject="another")).entry == ""


def test_a_primitive_explains_every_message_and_field_of_its_type():
    """And no other type."""
    wild = entry(message="*", versions="all", field="", type="string")
    assert explained(wild, where=cell("PingResponse", 0)).entry == "ping-null"
    assert explained(wild, found=replace(BYTES, field="int32, versions 0-3, default -1")).entry == ""
    tail = entry(message="*", versions="all", field="", check="tail", kind="accepted")
    assert explained(tail, found=Divergence("tail", "codec", "", kind="accepted")).entry == "ping-null"


@pytest.mark.parametrize(
    ("path", "known"), [("name", True), ("hops[3].name", True), ("hops[].name[2]", True), ("nickname", False)]
)
def test_a_primitive_may_be_about_fields_of_some_names_alone(path, known):
    """Wherever they stand; another field of the type is not explained."""
    wild = entry(message="*", versions="all", field="", type="string", names=("name", "host"))
    assert bool(explained(wild, found=replace(BYTES, path=path)).entry) is known


def test_what_follows_from_an_explained_divergence_is_explained():
    """Kafka reads another value in bytes that are known to be wrong: no cause of its own."""
    reads = replace(BYTES, check="oracle-reads", path="count", kind="differs")
    trip = replace(BYTES, check="round-trip", path="hops", kind="empty-for-null")
    other = replace(BYTES, check="decode", path="count")
    found = Ledger((ENTRY,)).explain(CELL, [BYTES, reads, trip, other])
    assert [each.entry for each in found] == ["ping-null", "ping-null", "ping-null", ""]
    assert [each.entry for each in Ledger((ENTRY,)).explain(CELL, [reads, trip])] == ["", ""]


def test_an_erratum_comes_first():
    """Where Kafka is known to be wrong, no ledger is asked."""
    assert explained(ENTRY, found=replace(BYTES, erratum="KAFKA-1")).entry == ""


def test_a_ledger_goes_to_other_processes():
    """And is the same there."""
    ledger = pickle.loads(pickle.dumps(Ledger((ENTRY,), "known.toml")))
    assert ledger == Ledger((ENTRY,), "known.toml")
    assert ledger.explain(CELL, [BYTES])[0].entry == "ping-null"


def test_unknown_tags_are_a_primitive():
    """All structs write them alike: one entry explains those of every struct, and no field."""
    wild = entry(message="*", versions="all", field="", type="tags")
    for path in ("_tags", "hops[3]._tags", "_tags[9]"):
        assert explained(wild, found=replace(BYTES, path=path, field="")).entry == "ping-null"
    assert explained(wild).entry == ""
    assert explained(wild, found=replace(BYTES, path="hops[3].my_tags", field="")).entry == ""
