"""The state of a codec around frames: a valid frame directly after one whose header is refused."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Adapter, DecodedFrame, DecodeFrame, Encoded, EncodeFrame, Reply, Request
from wireproof.model.cell import Case, Divergence, Phase
from wireproof.proof.checks.values.whole_frame import judge_cut_header, judge_frame_again
from wireproof.proof.run.context.cell_context import CellContext

_PREFIX_BYTES: Final = 4
_MOST_HEADERS: Final = 16
"""Headers that cannot be written which are tried in each cell."""


def try_refused_headers(
    context: CellContext, adapter: Adapter, header_layout: MessageLayout, case: Case, frame: bytes
) -> None:
    """Frames with a header that is refused, each with a valid frame after it.

    Args:
        case: a frame that the codec has proven.
    """
    valid: list[Request] = [EncodeFrame(case.header or {}, case.value), DecodeFrame(frame)]
    before = adapter.ask(context.cell, context.layout, valid)
    refused: list[Request] = [
        *_cut_headers(header_layout, case, frame),
        *_impossible_headers(context, header_layout, case),
    ]
    requests = [request for each in refused for request in (each, *valid)]
    replies = iter(adapter.ask(context.cell, context.layout, requests))
    for request in refused:
        reply, after = next(replies), [next(replies) for _ in valid]
        if isinstance(request, DecodeFrame):
            _record(context, case, judge_cut_header(adapter.name, len(request.data), reply))
        for one, two in zip(before, after, strict=True):
            _record(context, case, _leftovers(adapter.name, one, two))


def _cut_headers(header_layout: MessageLayout, case: Case, frame: bytes) -> Iterator[DecodeFrame]:
    """The frame cut at each byte of its header, with the size of what is left."""
    head_bytes = interpret_layout(header_layout).size(case.header or {})
    for left in range(head_bytes):
        yield DecodeFrame(left.to_bytes(_PREFIX_BYTES) + frame[_PREFIX_BYTES : _PREFIX_BYTES + left])


def _impossible_headers(
    context: CellContext, header_layout: MessageLayout, case: Case
) -> Iterator[EncodeFrame]:
    """Headers that no codec can write, before the same body."""
    for _, header, _ in islice(context.environment.source.refused(header_layout), _MOST_HEADERS):
        yield EncodeFrame({**(case.header or {}), **header}, case.value)


def _leftovers(subject: str, before: Reply, after: Reply) -> tuple[Divergence, ...]:
    """The divergences of a valid frame after a refused header, if it was answered before."""
    return judge_frame_again(subject, before, after) if isinstance(before, Encoded | DecodedFrame) else ()


def _record(context: CellContext, case: Case, found: tuple[Divergence, ...]) -> None:
    divergences = context.recorder.excused(Phase.FRAME, case.name, found)
    if divergences:
        context.recorder.failed(Phase.FRAME, case.name, divergences)
    context.recorder.count(Phase.FRAME, 1, 0, 1 if divergences else 0)
