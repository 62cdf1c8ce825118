"""The seeded source is a pure function of message, version, seed and block."""

import os
import subprocess
import sys

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from tests.support.schemas import kitchen_sink
from wireproof.model.cell import Cell
from wireproof.proof.strategies.drawing.bulk_blocks import BLOCK_CASES, bulk_block
from wireproof.proof.strategies.layout_source import LayoutSource

LAYOUT = kitchen_sink.layout(2)
FORM = canonical(LAYOUT)


def drawn(block: int, seed: int = 0) -> list[bytes]:
    return [FORM.to_binary(value) for value in bulk_block(LAYOUT, seed, block)]


def no_text(cell: Cell) -> str:
    raise AssertionError(f"the independent count of {cell} is not asked for")


SOURCE = LayoutSource(no_text)


def test_a_block_is_the_same_each_time_it_is_drawn() -> None:
    """A block does not depend on the blocks before it, or on another layout in between."""
    alone = drawn(5)
    for block in (9, 0, 4):
        drawn(block)
    bulk_block(kitchen_sink.layout(0), 0, 5)
    assert drawn(5) == alone


def test_another_process_draws_the_same() -> None:
    """Another process with another hash seed draws the same bytes."""
    program = (
        "import hashlib; from kafkawire.canonical import canonical;"
        "from tests.support.schemas import kitchen_sink;"
        "from wireproof.proof.strategies.drawing.bulk_blocks import bulk_block;"
        "layout = kitchen_sink.layout(2);"
        "drawn = map(canonical(layout).to_binary, bulk_block(layout, 7, 3));"
        "print(hashlib.sha256(b''.join(drawn)).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_seeds_blocks_and_versions_differ() -> None:
    """Each seed, block and version has other instances."""
    first = set(drawn(1))
    assert len(first) > 0.95 * BLOCK_CASES
    for other in (drawn(2), drawn(1, seed=1)):
        assert len(first & set(other)) < 0.05 * BLOCK_CASES


def test_most_instances_have_all_keys_and_some_omit_defaults() -> None:
    """Three of four instances have every key of the message; the fourth is sparse."""
    whole = {field.name for field in LAYOUT.root.all_fields}
    values = bulk_block(LAYOUT, 0, 1)
    assert all(whole <= value.keys() for number, value in enumerate(values) if number % 4)
    assert sum(not whole <= value.keys() for value in values[::4]) > 60


def test_large_instances_come_at_a_fixed_rate() -> None:
    """The last instance of a block has 64 KiB, that of every eighth block 1 MiB."""
    codec = interpret_layout(LAYOUT)
    sizes = [codec.size(bulk_block(LAYOUT, 0, block)[-1]) for block in range(9)]
    assert [size > 2**20 for size in sizes] == [False] * 7 + [True, False]
    assert all(size > 2**16 for size in sizes)


@pytest.mark.parametrize(("first", "count"), [(0, 1), (0, 600), (255, 2), (256, 256), (700, 11)])
def test_any_range_of_instances_is_a_part_of_the_whole(first: int, count: int) -> None:
    """Instances are numbered through all blocks: a run continues where another stopped."""
    whole = [FORM.to_binary(value) for value in SOURCE.bulk(LAYOUT, 0, 1024, seed=3)]
    part = [FORM.to_binary(value) for value in SOURCE.bulk(LAYOUT, first, count, seed=3)]
    assert part == whole[first : first + count]


def test_blocks_are_numbered_from_zero() -> None:
    """A negative number is an error of the caller."""
    with pytest.raises(ValueError, match="negative"):
        bulk_block(LAYOUT, 0, -1)
