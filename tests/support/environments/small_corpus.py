"""Sets of a corpus made without Java: the interpreted codec replaces Kafka's classes.

They prove nothing about codecs. They are written as any set is, for tests of the code that reads and judges
sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.oracles.interpreted_oracle import InterpretedOracle
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import Cell
from wireproof.proof.run.core.environment import Layouts, MakeEnvironment, WorkerEnvironment
from wireproof.proof.run.corpus_entries.entry_generation import make_entries
from wireproof.proof.strategies.layout_source import LayoutSource
from wireproof.traffic.corpus.corpus_file import CorpusFile, CorpusHead, CorpusKind, head_of
from wireproof.traffic.corpus.corpus_folder import EntrySource, NewCorpusFolder

RELEASE = "4.4.0"
LARGEST_BYTES = 512
JARS = {"none.jar": "0" * 64}


def real_environment() -> WorkerEnvironment:
    """Make an environment with a release's snapshot, and the interpreted codec in Kafka's place."""
    layouts = Layouts({RELEASE: load_snapshot(table().find(RELEASE))})
    return WorkerEnvironment(
        layouts, [], {RELEASE: InterpretedOracle(RELEASE, layouts)}, LayoutSource(lambda cell: "{}")
    )


def parts_of(environment: WorkerEnvironment, cells: Sequence[Cell]) -> list[CorpusFile]:
    """The files of cells of one message."""
    made = [make_entries(environment, cell, LARGEST_BYTES) for cell in cells]
    like = CorpusHead(CorpusKind.GOLDEN, cells[0].release, cells[0].module, cells[0].message, "a test", JARS)
    golden = tuple(entry for each in made for entry in each.golden)
    malformed = tuple(entry for each in made for entry in each.malformed)
    return [
        CorpusFile(head_of(CorpusKind.GOLDEN, like, golden), golden),
        CorpusFile(head_of(CorpusKind.MALFORMED, like, malformed), malformed),
    ]


def write_set(path: Path, environment: WorkerEnvironment, cells: Sequence[Cell]) -> Path:
    """A set of cells of one message as a folder."""
    with NewCorpusFolder(path) as new:
        for part in parts_of(environment, cells):
            new.write(part)
    return path


def real_cells(message: str, *versions: int) -> list[Cell]:
    """Cells of the release's clients."""
    return [Cell(RELEASE, "clients", message, version) for version in versions]


@dataclass(frozen=True)
class With:
    """Make an environment with a corpus, with or without an oracle."""

    make: MakeEnvironment
    corpus: EntrySource
    oracle: bool = False

    def __call__(self) -> WorkerEnvironment:
        environment = replace(self.make(), corpus=self.corpus)
        return environment if self.oracle else replace(environment, oracles={})
