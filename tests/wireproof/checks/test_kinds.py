"""The kind of a difference: the same word in every run."""

from dataclasses import replace

import pytest

from wireproof.checks import follows, leading
from wireproof.checks.kinds import kind_of, kind_of_mutation, kind_of_values
from wireproof.ledger import KIND
from wireproof.model import Crashed, Decoded, Divergence, Encoded, Mutation, Outcome, Refused, Sized


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
    """By its class alone: messages hold offsets and values. What a foreign codec calls it needs no quotes."""
    assert kind_of(reply) == kind
    assert KIND.fullmatch(kind)


def test_an_answer_where_a_refusal_is_wanted_is_accepted():
    """But a crash stays one."""
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
def test_null_and_empty_are_told_apart(codec, oracle, kind):
    """The commonest confusion has words of its own; zero is not empty."""
    assert kind_of_values(codec, oracle) == kind


@pytest.mark.parametrize(
    ("operator", "outcome", "kind"),
    [
        ("length=minus-2", Outcome.ACCEPTED, "laxer:length"),
        ("append=zero", Outcome.ACCEPTED, "laxer:append"),
        ("header-length=minus-2-at-7", Outcome.ACCEPTED, "laxer:header-length"),
        ("crc=flip,sealed", Outcome.ACCEPTED, "laxer:crc"),
        ("stream-byte-75,sealed", Outcome.ACCEPTED, "laxer:stream-byte"),
        ("length=minus-2", Outcome.CRASHED, "crashed:IndexError"),
        ("length=minus-2", Outcome.REFUSED, "refused:IndexError"),
        ("length=minus-2", Outcome.HUNG, "laxer:length"),
    ],
)
def test_malformed_bytes_have_the_kind_of_what_was_done(operator, outcome, kind):
    """Where the codec gives no answer: the class of its error."""
    mutation = Mutation(operator, "", 0, b"", b"")
    assert kind_of_mutation("laxer", mutation, outcome, "IndexError") == kind


BYTES = Divergence("bytes", "codec", "differs", "topics[0].name")


@pytest.mark.parametrize(
    ("change", "does"),
    [
        ({"check": "oracle-reads", "path": "other"}, True),
        ({"check": "round-trip", "path": "topics[7].name"}, True),
        ({"check": "round-trip", "path": "other"}, True),
        ({"check": "decode"}, False),
        ({"check": "oracle-reads", "subject": "twin"}, False),
        ({}, False),
    ],
)
def test_what_is_read_in_wrong_bytes_is_no_cause_of_its_own(change, does):
    """The same codec's, whoever reads them, at any field."""
    other = replace(BYTES, **change)
    assert follows(other, BYTES) is does
    assert leading([other, BYTES]) == ([BYTES] if does else [other, BYTES])
