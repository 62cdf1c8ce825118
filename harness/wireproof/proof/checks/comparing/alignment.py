"""Two encodings side by side, span by span: every place at which they differ, not only the first.

After a difference, the field is skipped on both sides, and the spans after it are compared. If the codec's
bytes cannot be read to their end, the search is for the place at which both sides agree again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from kafkawire.annotate import Annotation, Span
from kafkawire.values import TAGS
from wireproof.model.divergence import without_indices
from wireproof.proof.checks.difference_kinds import (
    EXTRA_BYTES,
    MISSING_BYTES,
    TAGS_ADDED,
    TAGS_LOST,
    kind_of_spans,
)

_STRUCTURE = frozenset({"count", "length", "tag count", "marker"})
"""Roles of spans that describe the following bytes."""


@dataclass(frozen=True, slots=True)
class SpanDifference:
    """One place at which two encodings differ.

    Attributes:
        place: the span on Kafka's side, or on the codec's if Kafka has none.
        codec, oracle: the offset of its first byte on each side.
    """

    place: Span
    kind: str
    codec: int
    oracle: int


def span_differences(
    codec: tuple[bytes, Annotation],
    oracle: tuple[bytes, Annotation],
    derived: Callable[[Span], bool] = lambda span: span.role == "tag",
    counted: Callable[[Span], str] = lambda span: span.path,
) -> Iterator[SpanDifference]:
    """The places at which a codec's bytes differ from Kafka's, in the order of the bytes.

    Args:
        codec, oracle: the bytes of each side, with their annotation.
        derived: returns whether a span follows from others, as a size does: it is no place of its own.
        counted: returns the path of the elements that a count is about.
    """
    return _Pair(*codec, *oracle, derived, counted).walk()


@dataclass(slots=True)
class _Pair:
    codec: bytes
    ours: Annotation
    oracle: bytes
    theirs: Annotation
    derived: Callable[[Span], bool]
    counted: Callable[[Span], str]
    i: int = 0
    j: int = 0
    loose: set[str] = field(default_factory=set)
    below: tuple[str, ...] = ()
    """The beginnings of the paths inside the loose ones."""
    swapped: set[tuple[str, str]] = field(default_factory=set)
    latest: Span | None = None
    """The latest difference, until both sides agree after it."""

    def walk(self) -> Iterator[SpanDifference]:
        at_ours = {_key(span): index for index, span in enumerate(self.ours.spans)}
        at_theirs = {_key(span): index for index, span in enumerate(self.theirs.spans)}
        while True:
            ours, theirs = self._spans()
            if self._implied(theirs) and at_ours.get(_key(theirs), -1) < self.i:
                self.j += 1
                continue
            if self._implied(ours) and at_theirs.get(_key(ours), -1) < self.j:
                self.i += 1
                continue
            if self.latest is not None and not self._implied(ours) and not self._implied(theirs):
                resumed = self._resume(ours, theirs, self.latest)
                self.latest = None
                if resumed is not None:
                    yield from resumed
                    return
            if ours is None or theirs is None:
                yield from self._end(ours, theirs)
                return
            if _key(ours) == _key(theirs):
                yield from self._compare(ours, theirs)
            elif at_ours.get(_key(theirs), -1) < self.i:
                yield from self._lone(theirs, MISSING_BYTES)
                self.j += 1
            elif at_theirs.get(_key(ours), -1) < self.j:
                yield from self._lone(ours, EXTRA_BYTES)
                self.i += 1
            else:
                yield from self._lone(theirs, kind_of_spans(ours, theirs))
                self.swapped.add(_key(theirs))
                self.j += 1

    def _spans(self) -> tuple[Span | None, Span | None]:
        ours, theirs = self.ours.spans, self.theirs.spans
        return (
            ours[self.i] if self.i < len(ours) else None,
            theirs[self.j] if self.j < len(theirs) else None,
        )

    def _offsets(self) -> tuple[int, int]:
        ours, theirs = self._spans()
        return (
            self.ours.end if ours is None else ours.start,
            self.theirs.end if theirs is None else theirs.start,
        )

    def _apart(self, place: Span, kind: str) -> SpanDifference:
        self.latest = place
        if place.role == "tag count":
            self._loosen(self._tags_of(place))
        elif place.role in _STRUCTURE or kind in (EXTRA_BYTES, MISSING_BYTES):
            self._loosen({self.counted(place)})
        return SpanDifference(place, kind, *self._offsets())

    def _compare(self, ours: Span, theirs: Span) -> Iterator[SpanDifference]:
        """Compare two spans of the same field."""
        same = self.codec[ours.start : ours.end] == self.oracle[theirs.start : theirs.end]
        if not same and not self.derived(theirs):
            yield self._apart(theirs, kind_of_spans(ours, theirs))
        self.i += 1
        self.j += 1

    def _lone(self, span: Span, kind: str) -> Iterator[SpanDifference]:
        """Report a span that the other side does not have here."""
        if self._implied(span) or _key(span) in self.swapped:
            return
        if span.role == "tag":
            self._loosen({span.path})
            kind = {MISSING_BYTES: TAGS_LOST, EXTRA_BYTES: TAGS_ADDED}.get(kind, kind)
            span = replace(span, path=_tags_path(span.path), field=None)
            yield self._apart(span, kind)
        elif not self.derived(span):
            yield self._apart(span, kind)

    def _end(self, ours: Span | None, theirs: Span | None) -> Iterator[SpanDifference]:
        """Yield the spans that are left on one side, or the bytes that cannot be read."""
        left = [
            span
            for span in (*self.ours.spans[self.i :], *self.theirs.spans[self.j :])
            if not self._implied(span) and (span.role == "tag" or not self.derived(span))
        ]
        if left:
            yield from self._lone(left[0], MISSING_BYTES if ours is None else EXTRA_BYTES)
        elif self.ours.end < len(self.codec) and self.theirs.spans:
            yield SpanDifference(self.theirs.spans[-1], EXTRA_BYTES, self.ours.end, self.theirs.end)

    def _implied(self, span: Span | None) -> bool:
        """Return True if a span belongs to an earlier difference: the elements after a count."""
        return span is not None and (span.path in self.loose or span.path.startswith(self.below))

    def _loosen(self, paths: set[str]) -> None:
        self.below += tuple(f"{path}{begin}" for path in paths - self.loose for begin in ".[")
        self.loose |= paths

    def _tags_of(self, count: Span) -> set[str]:
        """The paths of the tagged fields that a count is about."""
        struct = count.path.rpartition(".")[0]
        spans = (*self.ours.spans, *self.theirs.spans)
        return {each.path for each in spans if each.role == "tag" and each.path.rpartition(".")[0] == struct}

    def _resume(self, ours: Span | None, theirs: Span | None, latest: Span) -> list[SpanDifference] | None:
        """Return the last differences if both sides agree again after one; None if they do not."""
        one, other = self._offsets()
        mine, kafkas = self.codec[one:], self.oracle[other:]
        if mine == kafkas:
            return []
        if self.ours.stopped is None and self.ours.end == len(self.codec):
            return None  # the codec's bytes can be read: the spans show where they differ
        if len(mine) > len(kafkas) and mine.endswith(kafkas):
            return [SpanDifference(latest, EXTRA_BYTES, one, other)]
        if len(mine) < len(kafkas) and kafkas.endswith(mine) and theirs is not None:
            return [SpanDifference(theirs, MISSING_BYTES, one, other)]
        return self._everywhere(latest, (one, other))

    def _everywhere(self, place: Span, at: tuple[int, int]) -> list[SpanDifference] | None:
        """Return the differences if the field is longer or shorter by the same number of bytes at each of its
        places, and nothing else differs; else None."""
        name = without_indices(place.path), place.role
        mine = [(without_indices(span.path), span.role) == name for span in self.theirs.spans]
        more, rest = divmod(len(self.codec) - len(self.oracle), max(1, sum(mine)))
        if not more or rest:
            return None
        pos = 0
        for span, is_it in zip(self.theirs.spans, mine, strict=True):
            length = span.end - span.start + (more if is_it else 0)
            if length < 0 or not (is_it or self.codec.startswith(self.oracle[span.start : span.end], pos)):
                return None
            pos += length
        return [SpanDifference(place, EXTRA_BYTES if more > 0 else MISSING_BYTES, *at)]


def _tags_path(path: str) -> str:
    """Return the tag section of a tagged field."""
    struct, dot, _ = path.rpartition(".")
    return f"{struct}{dot}{TAGS}"


def _key(span: Span | None) -> tuple[str, str]:
    return ("", "") if span is None else (span.path, span.role)
