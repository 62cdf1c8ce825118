"""Whether a testee claims what it has: its own index, its claims and its reasons, held against the run."""

from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from wireproof.checks import Inventory, judge_repertoire, judge_tried, to_try
from wireproof.cli.wiring import NamingLayouts, open_testee, snapshots
from wireproof.model import Cell, ClaimProblem, Decode, Decoded, Encode, Encoded, Place, Reply, Way
from wireproof.releases import table
from wireproof.run import ClaimsAudit, Layouts, all_cells
from wireproof.testees import Hello, Launch, TesteeAdapter

__all__ = ["claims_audit", "judge_hello"]

_TRIED: Final = 3
"""Named cases that a place is tried with which is not claimed: its default instance, and its fullest."""


def claims_audit(
    launch: Launch | None, hello: Hello | None, cells: Sequence[Cell], layouts: Layouts
) -> ClaimsAudit | None:
    """What a run asks at its end about a testee; None where our own codec is under test.

    Args:
        cells: those of the run, claimed or not.
    """
    if launch is None or hello is None:
        return None

    def audit() -> Sequence[ClaimProblem]:
        problems = judge_hello(hello, cells)
        return [*problems, *_judge_tried(launch, hello, cells, layouts)]

    return audit


def judge_hello(hello: Hello, cells: Sequence[Cell]) -> tuple[ClaimProblem, ...]:
    """What is wrong with what a testee says of itself; nothing is asked."""
    here = {(cell.message, cell.version) for cell in cells}
    beyond = set(hello.repertoire.claimed) - here
    exists = _everywhere() if beyond else frozenset()
    inventory = Inventory(here, lambda place: place in here or place in exists)
    return judge_repertoire(hello.identity.subject, hello.repertoire, inventory)


def _everywhere() -> frozenset[Place]:
    """Every (message, version) of every release that is known."""
    schemas = snapshots(table().choose("all")).values()
    return frozenset((cell.message, cell.version) for each in schemas for cell in all_cells(each))


def _judge_tried(
    launch: Launch, hello: Hello, cells: Sequence[Cell], layouts: Layouts
) -> tuple[ClaimProblem, ...]:
    """What works though it is not claimed."""
    codec = hello.repertoire
    newest = {(cell.message, cell.version): cell for cell in cells}
    wanted = to_try(codec, newest)
    if not wanted:
        return ()
    with closing(open_testee(launch)) as testee:
        adapter = TesteeAdapter(testee, {}, NamingLayouts())
        worked = {place: _working(adapter, newest[place], layouts, ways) for place, ways in wanted.items()}
    return judge_tried(hello.identity.subject, codec, worked)


def _working(adapter: TesteeAdapter, cell: Cell, layouts: Layouts, ways: frozenset[Way]) -> frozenset[Way]:
    """The ways in which a few cases are all answered as our own codec, which is proven, has them."""
    from wireproof.strategies import scenarios

    layout = layouts.of(cell)
    values = [each.value for each in islice(scenarios(layout), _TRIED)]
    bodies = [compile_layout(layout).encode(value) for value in values]
    replies = adapter.ask_anyway(cell, layout, [*map(Encode, values), *map(Decode, bodies)])
    written, read = replies[: len(values)], replies[len(values) :]
    form = canonical(layout)
    works = {
        Way.ENCODE: all(_holds(reply, data) for reply, data in zip(written, bodies, strict=True)),
        Way.DECODE: all(
            isinstance(reply, Decoded) and form.to_binary(reply.value) == form.to_binary(value)
            for reply, value in zip(read, values, strict=True)
        ),
    }
    return frozenset(way for way in ways if works[way])


def _holds(reply: Reply, data: bytes) -> bool:
    return isinstance(reply, Encoded) and reply.data == data
