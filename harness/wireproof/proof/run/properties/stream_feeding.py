"""Frames that arrive in parts, as from a stream, for codecs that read streams.

The codec gets the bytes of a frame that it has proven whole, split differently each time. It must give
Kafka's value after the last byte, and leave the bytes of the next frame unread.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from wireproof.model.adapter import Adapter, Claimant, FeedFrame
from wireproof.model.cell import Case, Phase
from wireproof.proof.checks.values.whole_frame import judge_feed
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.prepared_cases import prepare

STREAMS: Final = frozenset({"feed"})
"""The operation on a stream. Only a run of one codec tries it."""

_SHORT_BYTES: Final = 64
"""Frames up to this size are split at each of their bytes."""
_FIRST, _LAST, _BETWEEN = 16, 8, 24
"""The places where longer frames are split: in size and header, at the end, and some between."""
_NEXT: Final = b"\0\0\0"
"""The beginning of a next frame: not all of its size."""


def claims_streams(context: CellContext, adapter: Adapter) -> bool:
    """Return whether the codec is asked for streams of the cell."""
    if context.comparison is not None or not isinstance(adapter, Claimant):
        return False
    return bool(STREAMS & adapter.claimed(context.cell))


def feed_frame(context: CellContext, adapter: Adapter, case: Case, frame: bytes) -> None:
    """Feed a frame in all of its splits, and report each kind of failure once.

    Args:
        case: a frame that the codec has proven.
    """
    body = prepare(context.layout, case).expected
    splits = [*frame_splits(frame)]
    replies = adapter.ask(context.cell, context.layout, [FeedFrame(parts) for parts in splits])
    found = {
        (each.kind, each.path): each
        for parts, reply in reversed([*zip(splits, replies, strict=True)])
        for each in judge_feed(context.layout, adapter.name, parts, len(frame), body, reply)
    }
    context.recorder.record(Phase.FRAME, case.name, found.values(), case.value, asked=frame, size=len(frame))


def frame_splits(frame: bytes) -> Iterator[tuple[bytes, ...]]:
    """Yield the frame whole, split once at each place, split at all of them, and with bytes after it."""
    size = len(frame)
    places = list(range(1, size))
    if size > _SHORT_BYTES:
        between = range(_FIRST, size - _LAST, max(1, size // _BETWEEN))
        places = [*range(1, _FIRST), *between, *range(size - _LAST, size)]
    yield (frame,)
    yield from ((frame[:place], frame[place:]) for place in places)
    bytewise = tuple(frame[start:end] for start, end in pairwise((0, *places, size)))
    yield bytewise
    yield (frame + _NEXT,)
    yield (*bytewise[:-1], bytewise[-1] + _NEXT[:1])
