"""Judgement of a codec's own objects: whether two of them are equal, and whether a duplicate is right."""

from dataclasses import replace

from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Equality, Reencoded, Reply, Unsupported
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import differing_bytes, value_difference, wrong_reply
from wireproof.proof.checks.difference_kinds import HASHES_DIFFER, SEEN_EQUAL, SEEN_UNEQUAL, kind_of
from wireproof.proof.checks.evidence_text import reply_words


def judge_same(subject: str, reply: Reply) -> Divergence | None:
    """Judge the comparison of two objects that were read from the same bytes."""
    match reply:
        case Unsupported() | Equality(equal=True, hashes=None | True):
            return None
        case Equality(equal=True):
            summary, kind = "equal objects have other hashes", HASHES_DIFFER
        case Equality():
            summary, kind = "objects read of the same bytes are not equal", SEEN_UNEQUAL
        case _:
            summary, kind = "two objects cannot be compared", kind_of(reply)
    words = reply_words(reply)
    return Divergence(Check.EQUAL, subject, summary, codec=words, oracle="equal", kind=kind)


def judge_different(
    layout: MessageLayout, subject: str, reply: Reply, value: bytes, other: bytes
) -> Divergence | None:
    """Judge the comparison of two objects that were read from the bytes of different values.

    Args:
        value, other: the canonical binaries of the values.
    """
    if isinstance(reply, Unsupported) or (isinstance(reply, Equality) and not reply.equal):
        return None
    summary = "objects of different values are equal"
    if not isinstance(reply, Equality):
        summary = "two objects cannot be compared"
    found = value_difference(layout, Check.EQUAL, subject, summary, value, other)
    return replace(
        found,
        codec=reply_words(reply),
        oracle=f"not equal: {found.codec} and {found.oracle}",
        kind=kind_of(reply, SEEN_EQUAL),
    )


def judge_copy(layout: MessageLayout, subject: str, reply: Reply, data: bytes) -> Divergence | None:
    """Judge the bytes of an object's duplicate.

    Args:
        data: the bytes from which the object was read; the codec is known to write it with these bytes.
    """
    if isinstance(reply, Unsupported):
        return None
    if not isinstance(reply, Reencoded):
        return wrong_reply(Check.COPY, subject, "an object is not duplicated", reply, "duplicates it")
    if reply.data == data:
        return None
    return differing_bytes(layout, Check.COPY, subject, "a duplicate is written otherwise", reply.data, data)
