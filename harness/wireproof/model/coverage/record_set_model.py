"""The coverage model of record sets of one magic, class by class for each compression.

Looked at are plain values (`kafkawire.records.to_value`). Paths are theirs, with the compression between the
brackets: ``batches[gzip].records[].key``. Batches of a lower magic have their own cell; beside those of the
cell's they are a class of their own.
"""

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from kafkawire.records import Compression
from wireproof.model.coverage import reasons
from wireproof.model.coverage.proofs import record_disproof
from wireproof.model.coverage.reasons import Reason
from wireproof.model.coverage.record_field_classes import Allot, Eye, batch_eye, message_eye, message_set_eye
from wireproof.model.coverage.value_classes import CoverageModel, Point
from wireproof.model.coverage.value_nodes import ALL

__all__ = ["record_coverage_model"]


class _RecordCoverageModel(CoverageModel):
    def __init__(self, magic: int, magics: frozenset[int], codecs: frozenset[Compression]) -> None:
        self._magic = magic
        self._points: list[Point] = []
        reasons_: dict[int, Reason] = {}
        self._of_set = _SetEye(self._allot, magic, several=len(codecs) > 1, mixed=bool(magics - {magic}))
        if magic < 2:
            reasons_[len(self._points)] = reasons.NoBatch(magic)
            self._allot("batches", "count-0")
            if Compression.ZSTD in codecs:
                reasons_[len(self._points)] = reasons.NoSuchCompression(magic)
                self._allot("batches[zstd]", "any")
        self._batches: dict[int, tuple[int, Eye]] = {}
        for codec in Compression:
            if codec not in codecs:
                continue
            if magic == 2 or codec is not Compression.ZSTD:
                first = len(self._points)
                eye = self._eye(f"batches[{codec.name.lower()}]", codec)
                self._batches[codec] = (1 << len(self._points)) - (1 << first), eye
        super().__init__(self._points, reasons_)

    def _allot(self, path: str, name: str) -> int:
        self._points.append(Point(path, name))
        return 1 << len(self._points) - 1

    def _eye(self, path: str, codec: Compression) -> Eye:
        if self._magic == 2:
            return batch_eye(self._allot, path)
        if codec is Compression.NONE:
            return message_eye(self._allot, path, self._magic)
        return message_set_eye(self._allot, path, self._magic)

    def look(self, value: Mapping[str, Any], wanted: int = ALL, size_bytes: int | None = None) -> int:
        met = self._of_set.look(value)
        for batch in value.get("batches", ()):
            if batch.get("magic", 0) == self._magic:
                bits, eye = self._batches.get(batch.get("compression", 0), (0, _blind))
                if bits & wanted & ~met:
                    met |= eye(batch)
        return met

    def look_refused(self, path: str, value: Mapping[str, Any]) -> int:
        return 0

    def disproof(self, bit: int) -> str:
        return record_disproof(self.points[bit].path, self.unreachable[bit])


@cache
def record_coverage_model(
    magic: int,
    magics: frozenset[int] = frozenset({0, 1, 2}),
    codecs: frozenset[Compression] = frozenset(Compression),
) -> CoverageModel:
    """The coverage model of the cell ``RecordBatch/MAGIC`` of any release.

    Args:
        magics, codecs: those of the sets that a codec may be asked for.
    """
    return _RecordCoverageModel(magic, frozenset(each for each in magics if each <= magic), codecs)


def _blind(value: Any) -> int:
    return 0


def _records(batch: Mapping[str, Any]) -> Any:
    """Return the records of a batch of magic 2; a message of an older one counts as one."""
    return batch.get("records", ()) if batch.get("magic", 0) == 2 else (batch,)


class _SetEye:
    """Classes of a whole set: the number of batches, their magics and compressions, and the tail."""

    def __init__(self, allot: Allot, magic: int, *, several: bool, mixed: bool) -> None:
        self._magic = magic
        self._none = allot("batches", "count-0") if magic == 2 else 0
        self._one, self._several = allot("batches", "count-1"), allot("batches", "several")
        self._codecs = allot("batches", "several-compressions") if several else 0
        self._empties = allot("batches", "empty-in-a-row") if magic == 2 else 0
        self._rising = allot("batches", "magics-rising") if mixed else 0
        self._falling = allot("batches", "magics-falling") if mixed else 0
        self._no_tail = allot("tail", "none")
        # A size follows the offset, the magic follows the size, the records follow the header.
        self._tails = [
            (12, allot("tail", "no-size")),
            (17, allot("tail", "no-magic")),
            (1 << 31, allot("tail", "cut-off")),
        ]
        self._alone = allot("tail", "alone") if magic == 2 else 0

    def look(self, value: Mapping[str, Any]) -> int:
        batches, tail = value.get("batches", ()), value.get("tail", b"")
        met = (self._none, self._one)[len(batches)] if len(batches) < 2 else self._several
        magics = [batch.get("magic", 0) for batch in batches]
        for before, after in pairwise(magics):
            met |= self._rising if before < after else self._falling if before > after else 0
        if any(not (before or after) for before, after in pairwise(map(_records, batches))):
            met |= self._empties
        if len({batch.get("compression", 0) for batch in batches}) > 1:
            met |= self._codecs
        if not tail:
            return met | self._no_tail
        met |= next(bit for limit, bit in self._tails if len(tail) < limit)
        return met if batches else met | self._alone
