"""Differences between two encodings of a record set, field by field."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from kafkawire.annotate import Annotation, Span
from kafkawire.errors import CodecError
from kafkawire.records import annotate_records, decode_records
from wireproof.model import ByteEvidence, Divergence
from wireproof.model.divergence import DIFFERS
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.alignment import span_differences
from wireproof.proof.checks.comparing.byte_windows import first_difference, named_bytes
from wireproof.proof.checks.difference_kinds import UNREADABLE
from wireproof.proof.checks.evidence_text import around

__all__ = ["record_differences"]


def record_differences(
    check: Check, subject: str, summary: str, codec: bytes, oracle: bytes
) -> Iterator[Divergence]:
    """Iterate over the differing fields of two encodings; sizes and checksums follow from other fields."""
    ours, theirs = annotate_records(codec), annotate_records(oracle)

    first = _first_field(codec, oracle, ours, theirs)
    evidence = ByteEvidence(named_bytes(codec, ours, first[1]), named_bytes(oracle, theirs, first[2]))

    def found(path: str, at: int, oracle_at: int, kind: str = DIFFERS) -> Divergence:
        words = path, "", oracle_at, around(codec, at), around(oracle, oracle_at)
        return Divergence(check, subject, summary, *words, kind=kind, bytes=evidence)

    yield found(*first)
    for each in span_differences((codec, ours), (oracle, theirs), _is_derived, _counted):
        if each.oracle > first[2]:
            yield found(each.place.path, each.codec, each.oracle, each.kind)
    try:
        decode_records(codec)
    except CodecError as error:  # a size or a checksum that does not fit what follows it
        at = min(error.offset or 0, len(codec))
        yield replace(
            found(error.path, at, at, UNREADABLE), summary=f"the bytes contradict themselves: {error}"
        )


def _first_field(codec: bytes, oracle: bytes, ours: Annotation, theirs: Annotation) -> tuple[str, int, int]:
    """Return the first field whose bytes differ, and the offset of the first such byte on both sides."""
    known = {(span.path, span.role): span for span in ours.spans}
    for span in theirs.spans:
        mine = known.get((span.path, span.role))
        if mine is None:
            break  # the codec's bytes have another structure: paths do not match any more
        written, read = codec[mine.start : mine.end], oracle[span.start : span.end]
        if written != read and not _is_derived(span):
            at = first_difference(written, read)
            return span.path, mine.start + at, span.start + at
    offset = first_difference(codec, oracle)
    return theirs.at(offset).path, offset, offset


def _is_derived(span: Span) -> bool:
    return span.path.endswith(_DERIVED)


def _counted(span: Span) -> str:
    """Return the path of the counted elements: a batch counts its records, a record its headers."""
    return f"{span.path.removesuffix('count')}records" if span.path.endswith(".count") else span.path


_DERIVED: Final = (".size", ".crc", ".length")
"""The ends of the paths of fields that follow from others."""
