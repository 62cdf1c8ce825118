"""The cells that a selection keeps."""

from typing import Any

import pytest

from kafkawire.schema import VersionRange
from tests.support.environments import small_environment
from wireproof.model.cell import Cell
from wireproof.proof.config.selection import Selection
from wireproof.proof.run.core.environment import all_cells
from wireproof.proof.run.core.plan import at_edges, in_shard, retired, select

CELLS = list(all_cells(small_environment.schemas()))


def ids(**parts: Any) -> list[str]:
    return [cell.id for cell in select(CELLS, Selection(**parts))]


def test_every_valid_version_of_every_message_is_a_cell():
    """Cells are sorted by module, message and version, and none is missing."""
    assert len(CELLS) == 4 + 4 + 2 + 2
    assert ids() == [cell.id for cell in CELLS]
    assert ids()[:4] == [f"1.0.0/PingRequest/{version}" for version in range(4)]


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        ("1.0.0/PingRequest/2", 1),
        ("1.0.0/PingRequest/*", 4),
        ("PingRequest/2", 1),
        ("Ping*/*", 8),
        ("1.0.0/Ping*/1", 2),
        ("**", 12),
        ("*", 12),
        ("1.0.0/*/?", 0),
        ("**/0", 3),
        ("1.0.0/**", 12),
        ("1.0.0/Ping/2", 0),
        ("1.0.0/PingRequest/2?", 0),
    ],
)
def test_a_star_stays_within_a_part_and_two_stars_do_not(pattern, count):
    """`*` matches any text without a slash, `**` matches any text; every other character matches itself.
    A pattern of two parts has no release, one of one part no version either."""
    assert len(ids(patterns=(pattern,))) == count


def test_the_options_of_a_selection_are_combined_with_and():
    """Each option narrows the selection; several values of one option widen it."""
    assert ids(messages=("PingRequest",), versions=(VersionRange(2, 4), VersionRange(5, 9))) == [
        "1.0.0/PingRequest/2",
        "1.0.0/PingRequest/3",
    ]
    assert len(ids(messages=("PingRequest", "*Response"))) == 8
    assert ids(modules=("raft",)) == []


def test_the_edges_are_the_newest_version_of_each_form():
    """Each message has at most two edges in a release: one cell with tag sections and one without."""
    flexible = {cell: cell.version >= 2 for cell in CELLS}
    chosen = at_edges(reversed(CELLS), flexible.__getitem__)
    assert sorted(cell.id for cell in chosen) == [
        *("1.0.0/PingRequest/1", "1.0.0/PingRequest/3", "1.0.0/PingResponse/1", "1.0.0/PingResponse/3"),
        *("1.0.0/RequestHeader/1", "1.0.0/RequestHeader/2", "1.0.0/ResponseHeader/1"),
    ]


def test_the_shards_of_edges_are_the_edges():
    """The union of all shards is the set of edges of a run without shards."""
    flexible = {cell: cell.version >= 2 for cell in CELLS}
    edges = at_edges(CELLS, flexible.__getitem__)
    shards = [in_shard(edges, (index, 3)) for index in (1, 2, 3)]
    assert sorted(cell for shard in shards for cell in shard) == sorted(edges)
    assert all(cell in edges for shard in shards for cell in shard)


def test_shards_are_disjoint_complete_and_stable():
    """Each cell is in exactly one shard, and a new cell does not move other cells."""
    shards = [ids(shard=(index, 3)) for index in (1, 2, 3)]
    assert sorted(name for shard in shards for name in shard) == sorted(ids())
    more = [*CELLS, Cell("1.0.0", "clients", "AaaRequest", 0)]
    for index, shard in enumerate(shards, 1):
        left = {cell.id for cell in select(more, Selection(shard=(index, 3)))}
        assert set(shard) == left - {"1.0.0/AaaRequest/0"}


def test_messages_without_versions_are_retired_not_cells():
    """These messages all have cells; only a message whose versions are "none" is retired."""
    assert list(retired(small_environment.schemas())) == []
