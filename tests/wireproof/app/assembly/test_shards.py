"""`--shard I/N`, of our codec and of testees: adding a case, a message or a claim never moves the others."""

from wireproof.app.assembly.codec_under_test import CodecUnderTest
from wireproof.model.cell import Cell
from wireproof.proof.config.selection import Selection
from wireproof.proof.run.core.plan import select
from wireproof.proof.testees.description.hello import Hello

NAMES = [f"Message{index}" for index in range(40)]
CELLS = [Cell("1.0.0", "clients", name, version) for name in NAMES for version in range(3)]


def claiming(names: list[str]) -> CodecUnderTest:
    """A testee with these messages."""
    hello = {
        "protocol": 1,
        "codec": {"name": "tiny", "version": "0", "language": "python"},
        "messages": {name: {"decode": "0-2"} for name in names},
    }
    return CodecUnderTest("./tiny", hello=Hello.parse(hello))


def test_a_shard_of_a_testee_is_that_part_of_what_it_claims():
    """A claim that comes or goes moves no other cell, and all shards together are all that is claimed."""
    for claimed in (NAMES[:1], NAMES[::2], NAMES[7:], NAMES):
        subject = claiming(claimed)
        shards = [subject.claimed(select(CELLS, Selection(shard=(n, 5)))) for n in range(1, 6)]

        assert sorted(cell for shard in shards for cell in shard) == sorted(subject.claimed(CELLS))
        for n, shard in enumerate(shards, 1):
            whole = select(CELLS, Selection(shard=(n, 5)))
            assert shard == [cell for cell in whole if cell.message in claimed]


def test_the_shards_are_what_they_were():
    """By a digest of the cell's id: the same on any machine, in any process, in years."""
    cells = [Cell("4.4.0", "clients", "FetchRequest", version) for version in range(4, 19)]
    shards = [[cell.version for cell in select(cells, Selection(shard=(n, 3)))] for n in (1, 2, 3)]

    assert shards == [[4, 6, 8, 17], [9, 10, 11, 12, 15, 18], [5, 7, 13, 14, 16]]
