"""Two values or two encodings that differ, as divergences: the first difference, and those after it.

The first difference is enough if the codec has no known deviations. If the first one is known, the judgement
goes on to the later ones by `Divergence.rank` (`wireproof.proof.checks.check_table`).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from kafkawire.annotate import Annotation, Span, annotate
from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.adapter import Refused, Reply, Sized, Unsupported
from wireproof.model.divergence import DIFFERS, ByteEvidence, Divergence, NamedBytes
from wireproof.proof.checks.check_table import Check, left_out
from wireproof.proof.checks.comparing.alignment import span_differences
from wireproof.proof.checks.difference_kinds import (
    INVALID,
    is_reordered,
    kind_of,
    kind_of_spans,
    kind_of_values,
)
from wireproof.proof.checks.evidence_text import around, field_at, field_words, reply_words, value_words

MOST_BYTES: Final = 1024
"""Bytes of one side that a divergence shows: all of most messages, else the part around the place."""

_BEFORE: Final = 256
"""Bytes that a part shows before the place of interest, if there are that many."""


def first_difference(one: bytes, other: bytes) -> int:
    """Return the index of the first byte that differs, or the length of the shorter."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def named_bytes(data: bytes, annotation: Annotation | None, at: int | None = None) -> NamedBytes:
    """Return at most `MOST_BYTES` of the bytes, with the fields that the annotation names in them.

    Args:
        at: the offset of the byte of interest; None shows the beginning.
    """
    start = 0
    if at is not None and len(data) > MOST_BYTES:
        start = max(0, min(at - _BEFORE, len(data) - MOST_BYTES))
    end = min(len(data), start + MOST_BYTES)
    spans = () if annotation is None else annotation.spans
    fields = tuple(
        (span.start, min(span.end, len(data)), _name(span))
        for span in spans
        if span.start < end and span.end > start and span.start < span.end
    )
    return NamedBytes(data[start:end].hex(), start, len(data), fields)


def annotate_frame(header: MessageLayout | None, body: MessageLayout, data: bytes) -> Annotation:
    """Name the bytes of a frame: its size, the fields of its header (``header.clientId``), those of its body.

    Args:
        header: None if the body has no header.
    """
    named: tuple[Span, ...] = (Span(0, min(PREFIX_BYTES, len(data)), "size", None, "value", None),)
    if header is None:
        end = PREFIX_BYTES
    else:
        head = annotate(header, data, PREFIX_BYTES)
        named += tuple(replace(span, path=f"header.{span.path}") for span in head.spans)
        end = head.end
        if head.stopped is not None:
            return Annotation(named, end, head.stopped)
    rest = annotate(body, data, end)
    return Annotation((*named, *rest.spans), rest.end, rest.stopped)


def _name(span: Span) -> str:
    """``topics[0].name``, ``topics count``, ``_tags count``: the field; the role of bytes without a value."""
    role = span.role.removeprefix("tag ") if span.path.endswith("_tags") else span.role
    return span.path if role in ("value", "unknown tag") else f"{span.path} {role}".strip()


@dataclass(frozen=True, slots=True)
class Difference:
    """A field at which two values differ.

    Attributes:
        path: with indices; ``""`` is the message.
        field: the layout of the field; None for the message itself and for unknown tags.
    """

    path: str
    field: FieldLayout | None
    left: object
    right: object


def differences(layout: MessageLayout, left: dict[str, Any], right: dict[str, Any]) -> Iterator[Difference]:
    """All differences of two full values (no key absent), in the order of the layout.

    An array with the same elements in another order is one difference. Elements of other arrays are compared
    by their index, then the lengths of the arrays. Floats are compared by their bits, so that a NaN equals
    itself and -0.0 differs from 0.0.
    """
    return _in_struct("", layout.root, left, right)


def _in_struct(
    prefix: str, struct_: StructLayout, left: dict[str, Any], right: dict[str, Any]
) -> Iterator[Difference]:
    for field in struct_.all_fields:
        yield from _in_field(f"{prefix}{field.name}", field, left.get(field.name), right.get(field.name))
    yield from _in_tags(f"{prefix}{TAGS}", left.get(TAGS, {}), right.get(TAGS, {}))


def _in_tags(path: str, left: dict[int, bytes], right: dict[int, bytes]) -> Iterator[Difference]:
    """Yield lost tags, then added tags, then different contents, as separate differences."""
    if left == right:
        return
    yield Difference(path, None, left, right)
    kept = {tag: data for tag, data in right.items() if tag in left}
    shared = {tag: data for tag, data in left.items() if tag in right}
    if len(kept) < len(right) and len(shared) < len(left):
        yield Difference(path, None, left, kept)
    if len(kept) < max(len(right), len(left)) and shared != kept:
        yield Difference(path, None, shared, kept)


def _in_field(path: str, field: FieldLayout, left: Any, right: Any) -> Iterator[Difference]:
    if left is None or right is None:
        if left is not right:
            yield Difference(path, field, left, right)
        return
    if not field.is_array:
        yield from _in_item(path, field, left, right)
        return
    if is_reordered(left, right):
        yield Difference(path, field, left, right)
        return
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        yield from _in_item(f"{path}[{index}]", field, one, other)
    if len(left) != len(right):
        yield Difference(path, field, left, right)


def _in_item(path: str, field: FieldLayout, left: Any, right: Any) -> Iterator[Difference]:
    if field.struct is not None:
        yield from _in_struct(f"{path}.", field.struct, left, right)
    elif not _same(left, right):
        yield Difference(path, field, left, right)


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return struct.pack(">d", left) == struct.pack(">d", right)
    return bool(left == right)


_MOST: Final = 64
"""Most differences of one comparison to report; each has another cause."""


def value_difference(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Divergence:
    """Return the first field at which two canonical binaries differ."""
    return next(value_differences(layout, check, subject, summary, codec, oracle))


def value_differences(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Iterator[Divergence]:
    """Return the differences of two canonical binaries, one divergence for each cause."""
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


def wrong_reply(
    check: Check,
    subject: str,
    summary: str,
    reply: Reply,
    oracle: str,
    *,
    path: str = "",
    field: str = "",
    offset: int | None = None,
    otherwise: str = DIFFERS,
) -> Divergence:
    """Return the divergence of a codec's reply from what the oracle does, in words.

    Args:
        otherwise: the kind of the divergence if the codec does answer.
    """
    kind = kind_of(reply, otherwise)
    return Divergence(check, subject, summary, path, field, offset, reply_words(reply), oracle, kind=kind)


def no_answer(
    layout: MessageLayout, check: Check, subject: str, summary: str, reply: Reply, oracle: str
) -> Divergence:
    """Return the divergence of a reply that is no answer, at the place that a refusal names."""
    if not isinstance(reply, Refused):
        return wrong_reply(check, subject, summary, reply, oracle)
    path, field = reply.path, field_at(layout, reply.path)
    offset = None if check is Check.ENCODE else reply.offset  # a value has no offsets
    return wrong_reply(check, subject, summary, reply, oracle, path=path, field=field, offset=offset)


def judge_size(subject: str, reply: Reply, data: bytes | None) -> Iterator[Divergence]:
    """Judge the size that a codec announces for the bytes that it writes; None if it writes none."""
    if isinstance(reply, Unsupported):
        yield from left_out(Check.SIZE, subject, reply)
    elif data is not None and reply != Sized(len(data)):
        summary = "the size announced is not the length of the bytes"
        yield wrong_reply(Check.SIZE, subject, summary, reply, f"length {len(data)}")


def decoded_value(
    layout: MessageLayout, check: Check, subject: str, whose: str, value: dict[str, Any], expected: bytes
) -> Iterator[Divergence]:
    """Judge a value that a codec decoded.

    Args:
        whose: names the bytes: ``Kafka's bytes``.
    """
    try:
        actual = canonical(layout).to_binary(value)
    except CodecError as error:
        field, words = field_at(layout, error.path), f"{value_words(value)} ({error})"
        summary = f"{whose} are decoded to no valid value"
        yield Divergence(check, subject, summary, error.path, field, codec=words, kind=INVALID)
        return
    if actual != expected:
        summary = f"{whose} are decoded to another value"
        yield from value_differences(layout, check, subject, summary, actual, expected)


def judge_decoded(
    layout: MessageLayout,
    check: Check,
    subject: str,
    value: dict[str, Any],
    expected: bytes,
    *,
    invalid: str,
    other: str,
) -> Iterator[Divergence]:
    """Judge a value that a codec decoded, in words of the caller.

    Args:
        invalid: the summary if it is not a value of the layout.
        other: the summary if it is another value than the expected one.
    """
    try:
        actual = canonical(layout).to_binary(value)
    except CodecError as error:
        yield Divergence(check, subject, invalid, error.path, codec=value_words(value), kind=INVALID)
        return
    if actual != expected:
        yield from value_differences(layout, check, subject, other, actual, expected)


def ranked(found: Iterator[Divergence]) -> Iterator[Divergence]:
    """The first divergence of each cause, with its rank among the divergences of the comparison."""
    causes: set[tuple[str, str, str, str]] = set()
    new = (each for each in found if each.cause not in causes)
    for rank, each in enumerate(islice(new, _MOST)):
        causes.add(each.cause)
        yield replace(each, rank=rank)


def differing_bytes(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Divergence:
    """Return the first byte at which two encodings differ, with its field."""
    return next(byte_differences(layout, check, subject, summary, codec, oracle))


def byte_differences(
    layout: MessageLayout, check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Iterator[Divergence]:
    """Return the differences of two encodings, one divergence for each cause."""
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
