"""The kind of a difference is the same in every run."""

from dataclasses import replace

import pytest

from kafkawire.compiler import interpret_layout
from tests.support.schemas.real_layouts import real
from wireproof.model.adapter import Crashed, Decoded, Encoded, Refused, Sized
from wireproof.model.divergence import Divergence
from wireproof.model.malformed_input import DecodeOutcome, Mutation
from wireproof.proof.checks.check_table import follows, leading
from wireproof.proof.checks.difference_kinds import kind_of, kind_of_mutation, kind_of_values, operator_of
from wireproof.proof.strategies.malformed.message_mutations import mutations
from wireproof.verdict.ledger.files.ledger_reading import KIND


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Refused("TRUNCATED", "3 of 4 bytes at 17"), "refused:TRUNCATED"),
        (Refused("", "no"), "refused"),
        (Crashed("KeyError", "'a'"), "crashed:KeyError"),
        (Crashed("thread 'main' panicked at src/lib.rs", ""), "crashed:thread-main-panicked-at-src-lib.rs"),
        (Crashed("java.lang.OutOfMemoryError", ""), "crashed:java.lang.OutOfMemoryError"),
        (Crashed("x" * 500, ""), "crashed:" + "x" * 60),
        (Encoded(b""), "differs"),
        (Sized(3), "differs"),
        (Decoded({}), "differs"),
    ],
)
def test_a_reply_has_its_kind(reply, kind):
    """The kind is the class alone, because messages hold offsets and values. The error class of a foreign
    codec needs no quotes."""
    assert kind_of(reply) == kind
    assert KIND.fullmatch(kind)


def test_an_answer_in_place_of_a_refusal_is_of_the_kind_accepted():
    """A crash stays a crash."""
    assert kind_of(Encoded(b""), "accepted") == "accepted"
    assert kind_of(Crashed("KeyError", ""), "accepted") == "crashed:KeyError"


@pytest.mark.parametrize(
    ("codec", "oracle", "kind"),
    [
        (None, "", "null-for-empty"),
        (None, [], "null-for-empty"),
        (b"", None, "empty-for-null"),
        (None, "x", "differs"),
        (None, 0, "differs"),
        (1, 2, "differs"),
    ],
)
def test_null_and_empty_are_different_kinds(codec, oracle, kind):
    """The most frequent confusion has its own kinds; zero is not empty."""
    assert kind_of_values(codec, oracle) == kind


@pytest.mark.parametrize(
    ("operator", "after", "wanted"),
    [
        ("count=null", b"\xff" * 4, "count-null"),
        ("count=zero", b"\x00", "count-null"),
        ("count=zero-at-12", b"\x05\x00\x00", "count-null"),
        ("count=zero", bytes(4), "count-smaller"),
        ("count=minus-2", b"", "count-negative"),
        ("count=all-bits", b"", "count-negative"),
        ("count=max", b"", "count-huge"),
        ("count=one-more", b"", "count-larger"),
        ("length=null-alone", b"", "length-null"),
        ("header-length=minus-2-at-7", b"", "header-length-negative"),
        ("tag-size=padded-5", b"", "tag-size-padded"),
        ("tag=bit-32", b"", "tag-overflow"),
        ("tag-count=endless", b"", "tag-count-too-long"),
        ("tag-count=zero", b"\x00", "tag-count-smaller"),
        ("frame-size=null", b"", "frame-size-null"),
        ("identity=127", b"", "identity-larger"),
        ("marker=minus-128", b"", "marker-negative"),
        ("marker=padded-null", b"", "marker-padded"),
        ("text=surrogate-pair", b"", "text-surrogate"),
        ("text=too-long", b"", "text-too-long"),
        ("tags=swapped-3", b"", "tags-order"),
        ("header-tags=doubled-9-at-19", b"", "header-tags-doubled"),
        ("tags=of-another-version-2-last", b"", "tags-of-another-version"),
        ("tags=unknown-first", b"", "tags-unknown"),
        ("tags=unknown-size-max-last", b"", "tags-size"),
        ("tags=tag-all-bits-first", b"", "tags-number"),
        ("append=zero", b"", "append"),
        ("bool=two", b"", "bool"),
        ("header-version=1", b"", "header-version"),
        ("truncate", b"", "truncate"),
        ("crc=flip,sealed", b"", "crc"),
        ("stream-byte-75,sealed", b"", "stream-byte"),
        ("length=-1,sealed", b"", "length-null"),
        ("length=-2147483648", b"", "length-negative"),
        ("count=2147483647,sealed", b"", "count-huge"),
        ("count=14", b"", "count-wrong"),
        ("length-not-minimal", b"", "length-not-minimal"),
    ],
)
def test_a_kind_of_malformed_bytes_names_their_operator(operator, after, wanted):
    """A codec handles a null count and another negative count in two branches: neither hides the other."""
    assert operator_of(Mutation(operator, "", 0, b"", after)) == wanted
    assert KIND.fullmatch(f"laxer:{wanted}")


def test_every_label_of_the_table_is_known():
    """Each mutation of a number, a marker, a text or a tag has a specific kind."""
    layout = real("FetchRequest", 12)
    values = [{}, {"topics": [{"topic": "a", "partitions": [{}]}], "clusterId": "b", "_tags": {9: b"\x01"}}]
    encode = interpret_layout(layout).encode
    made = [each for value in values for each in mutations(layout, encode(value)) if "=" in each.operator]
    coarse = {operator_of(each) for each in made} & {"length", "count", "tag", "tags", "tag-size", "marker"}
    assert made
    assert not coarse


@pytest.mark.parametrize(
    ("outcome", "error", "kind"),
    [
        (DecodeOutcome.ACCEPTED, "", "laxer:length-negative"),
        (DecodeOutcome.HUNG, "", "laxer:length-negative"),
        (DecodeOutcome.STOPPED, "stopped-early", "stopped-early:length-negative"),
        (DecodeOutcome.CRASHED, "IndexError", "crashed:IndexError"),
        (DecodeOutcome.CRASHED, "read-past-end", "read-past-end"),
        (DecodeOutcome.REFUSED, "IndexError", "refused:IndexError"),
    ],
)
def test_malformed_bytes_have_the_kind_of_their_operator(outcome, error, kind):
    """If the codec gives no answer, the kind has the class of its error."""
    mutation = Mutation("length=minus-2", "", 0, b"", b"")
    assert kind_of_mutation("laxer", mutation, outcome, error) == kind


BYTES = Divergence("bytes", "codec", "differs", "topics[0].name")


@pytest.mark.parametrize(
    ("change", "does"),
    [
        ({"check": "oracle-reads", "path": "other"}, True),
        ({"check": "round-trip", "path": "topics[7].name"}, True),
        ({"check": "round-trip", "path": "other"}, True),
        ({"check": "decode"}, False),
        ({"check": "oracle-reads", "subject": "twin"}, False),
        ({"check": "frame-bytes", "path": "topics[3].name"}, True),
        ({"check": "frame-bytes", "path": "topics"}, True),
        ({"check": "frame-bytes", "path": ""}, True),
        ({"check": "frame-bytes", "path": "clientId"}, False),
        ({"check": "frame-bytes", "path": "topics[3].name", "part": "header"}, False),
        ({"check": "frame-bytes", "path": "topics[0].names"}, False),
        ({"check": "frame-bytes", "path": "", "kind": "crashed:KeyError"}, False),
        ({}, False),
    ],
)
def test_a_wrong_value_in_wrong_bytes_is_not_a_separate_cause(change, does):
    """Such a divergence is of the same codec, at any field, and any reader can find it."""
    other = replace(BYTES, **change)
    assert follows(other, BYTES) is does
    assert leading([other, BYTES]) == ([BYTES] if does else [other, BYTES])
