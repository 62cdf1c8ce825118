"""Two values or two encodings that differ, as divergences: the first difference, and those after it.

The first one is enough if nothing is known of the codec. If the first is known, judging goes on after it by
`Divergence.rank` (`wireproof.proof.checks.check_table`).
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from kafkawire.annotate import Annotation, Span, annotate
from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import FieldLayout, MessageLayout
from wireproof.model import ByteEvidence, Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.alignment import span_differences
from wireproof.proof.checks.comparing.byte_windows import first_difference, named_bytes
from wireproof.proof.checks.comparing.field_differences import differences
from wireproof.proof.checks.difference_kinds import kind_of_spans, kind_of_values
from wireproof.proof.checks.evidence_text import around, field_words, value_words

_MOST: Final = 64
"""Differences of one comparison that are looked at: causes, not places."""


def value_difference(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Divergence:
    """Two canonical binaries that differ, as the first field that does."""
    return next(value_differences(layout, check, subject, summary, codec, oracle))


def value_differences(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Iterator[Divergence]:
    """Two canonical binaries that differ, as one divergence for each cause."""
    return ranked(_value_differences(layout, check, subject, summary, codec, oracle))


def _value_differences(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Iterator[Divergence]:
    form = canonical(layout)
    whole = Divergence(check, subject, summary, codec=codec.hex(), oracle=oracle.hex())
    try:
        sides = form.from_binary(codec), form.from_binary(oracle)
    except CodecError as error:
        yield replace(whole, summary=f"{summary} ({error})")
        return
    found = None
    for found in differences(layout, *sides):
        yield Divergence(
            check,
            subject,
            summary,
            found.path,
            _words(found.field),
            codec=value_words(found.left),
            oracle=value_words(found.right),
            kind=kind_of_values(found.left, found.right),
        )
    if found is None:
        yield whole


def ranked(found: Iterator[Divergence]) -> Iterator[Divergence]:
    """The first divergence of each cause, with its place among the others of the comparison."""
    causes: set[tuple[str, str, str, str]] = set()
    new = (each for each in found if each.cause not in causes)
    for rank, each in enumerate(islice(new, _MOST)):
        causes.add(each.cause)
        yield replace(each, rank=rank)


def differing_bytes(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Divergence:
    """Two encodings that differ, as the first byte that does and the field it belongs to."""
    return next(byte_differences(layout, check, subject, summary, codec, oracle))


def byte_differences(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Iterator[Divergence]:
    """Two encodings that differ, as one divergence for each cause."""
    return ranked(_byte_differences(layout, check, subject, summary, codec, oracle))


def _byte_differences(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Iterator[Divergence]:
    ours, theirs = annotate(layout, codec), annotate(layout, oracle)
    first = first_difference(codec, oracle)

    evidence = ByteEvidence(named_bytes(codec, ours, first), named_bytes(oracle, theirs, first))

    def found(place: Span, kind: str, at: int, oracle_at: int) -> Divergence:
        words = place.path, _words(place.field), oracle_at, around(codec, at), around(oracle, oracle_at)
        return Divergence(check, subject, summary, *words, kind=kind, bytes=evidence)

    mine, place = _places((codec, ours), (oracle, theirs), first)
    yield found(place, kind_of_spans(mine, place), first, first)
    for each in span_differences((codec, ours), (oracle, theirs)):
        if each.oracle > first:
            yield found(each.place, each.kind, each.codec, each.oracle)


def _places(
    codec: tuple[bytes, Annotation], oracle: tuple[bytes, Annotation], offset: int
) -> tuple[Span, Span]:
    """Return the spans of the byte at an offset, on both sides.

    The size of a tagged field differs because of its content: then the content is reported.
    """
    (written, ours), (read, theirs) = codec, oracle
    place = theirs.at(offset)
    if place.role != "tag" or place.field is None:
        return ours.at(offset), place
    for one, other in zip(ours.spans, theirs.spans, strict=False):
        alike = (one.path, one.role) == (other.path, other.role)
        same_tag = one.role == "tag" and one.value == other.value
        if not alike or not (same_tag or written[one.start : one.end] == read[other.start : other.end]):
            return one, other
    return ours.at(offset), place


def _words(field: FieldLayout | None) -> str:
    return "" if field is None else field_words(field)
