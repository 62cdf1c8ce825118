"""Sets of a corpus that need no Java to be made: the interpreted codec stands in for Kafka's classes.

They prove nothing about codecs, and are written as any set is; so what reads and judges them can be tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.oracles.twin_oracle import TwinOracle
from wireproof.corpus import CorpusFile, CorpusHead, CorpusKind, EntrySource, NewCorpusFolder, head_of
from wireproof.model import Cell
from wireproof.releases import load_snapshot, table
from wireproof.run import Layouts, MakeEnvironment, WorkerEnvironment
from wireproof.run.corpus_entries.entry_generation import make_entries
from wireproof.strategies.layout_source import LayoutSource

RELEASE = "4.4.0"
LARGEST_BYTES = 512
JARS = {"none.jar": "0" * 64}


def real_bench() -> WorkerEnvironment:
    """Layouts of a release out of its snapshot, and the twin in Kafka's place."""
    layouts = Layouts({RELEASE: load_snapshot(table().find(RELEASE))})
    return WorkerEnvironment(
        layouts, [], {RELEASE: TwinOracle(RELEASE, layouts)}, LayoutSource(lambda cell: "{}")
    )


def parts_of(bench: WorkerEnvironment, cells: Sequence[Cell]) -> list[CorpusFile]:
    """The files of cells of one message."""
    made = [make_entries(bench, cell, LARGEST_BYTES) for cell in cells]
    like = CorpusHead(CorpusKind.GOLDEN, cells[0].release, cells[0].module, cells[0].message, "a test", JARS)
    golden = tuple(entry for each in made for entry in each.golden)
    malformed = tuple(entry for each in made for entry in each.malformed)
    return [
        CorpusFile(head_of(CorpusKind.GOLDEN, like, golden), golden),
        CorpusFile(head_of(CorpusKind.MALFORMED, like, malformed), malformed),
    ]


def write_set(path: Path, bench: WorkerEnvironment, cells: Sequence[Cell]) -> Path:
    """A set of cells of one message as a folder."""
    with NewCorpusFolder(path) as new:
        for part in parts_of(bench, cells):
            new.write(part)
    return path


def real_cells(message: str, *versions: int) -> list[Cell]:
    """Cells of the release's clients."""
    return [Cell(RELEASE, "clients", message, version) for version in versions]


@dataclass(frozen=True)
class With:
    """Makes a bench with a corpus, with or without an oracle."""

    make: MakeEnvironment
    corpus: EntrySource
    oracle: bool = False

    def __call__(self) -> WorkerEnvironment:
        bench = self.make()
        bench.corpus = self.corpus
        if not self.oracle:
            bench.oracles = {}
        return bench
