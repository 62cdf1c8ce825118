"""The part of an encoding that a divergence shows, with the names of its fields."""

from dataclasses import replace
from typing import Final

from kafkawire.annotate import Annotation, Span, annotate
from kafkawire.schema.layout import MessageLayout
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.divergence import NamedBytes

MOST_BYTES: Final = 1024
"""Bytes of one side that a divergence shows: most messages whole, of others the part around the place."""

_BEFORE: Final = 256
"""Bytes of a part before the place of interest, where there are so many."""


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
        header: None where no header goes before the body.
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
