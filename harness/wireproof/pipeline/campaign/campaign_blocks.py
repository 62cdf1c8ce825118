"""The blocks of a campaign and their results, one small Parquet file each.

    results/RELEASE/MESSAGE/VERSION/
        named.parquet              the layout and the enumerated cases
        cases-N-COUNT.parquet      seeded instances, from number N on
        smaller-N.parquet          the failure of instance N, made smaller
        *.trying                   what a worker is at; the file stays where the worker died

A file appears complete or not at all, with the same content from any worker: a block may be proven twice.
"""

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow  # type: ignore[import-untyped]
from pyarrow import parquet

from wireproof.base.files import remove_file, replace_file, replacing
from wireproof.model import Cell
from wireproof.proof.run import CellProgress, CellResult, LostCell
from wireproof.proof.run.core.cell_events import ProverEvent

BLOCK_CASES: Final = 8192
"""Seeded instances of one block: a second or a few, which a worker that dies loses. Whole blocks of the bulk
source, so that nothing is drawn twice; the eighth of those ends with 1 MiB."""

OUTCOME: Final = pyarrow.schema(
    [
        ("release", pyarrow.string()),
        ("module", pyarrow.string()),
        ("message", pyarrow.string()),
        ("version", pyarrow.int32()),
        ("first", pyarrow.int64()),
        ("cases", pyarrow.int64()),
        ("bytes", pyarrow.int64()),
        ("failed", pyarrow.int64()),
        ("seconds", pyarrow.float64()),
        ("told", pyarrow.binary()),
    ]
)
"""A row for each file.

- first: the number of the first seeded instance; null of the enumerated cases.
- cases, bytes, failed: judged, their encoded bytes, and those that diverged.
- seconds: of the clock, in its worker.
- told: the events and the sum, pickled; only the version of wireproof that wrote them reads them.
"""

_BROKEN: Final = "broken.txt"


@dataclass(frozen=True, slots=True)
class Block:
    """The cases that one call proves.

    Attributes:
        cell: its place in the campaign's list.
        first: the number of the first seeded instance.
        cases: how many of them; 0 is the layout and the enumerated cases.
        smaller_s: seconds to make its one case smaller, which failed; 0 of every other block.
    """

    cell: int
    first: int = 0
    cases: int = 0
    smaller_s: float = 0.0

    @property
    def name(self) -> str:
        """The name of the block's file."""
        if self.smaller_s:
            return f"smaller-{self.first}"
        return f"cases-{self.first}-{self.cases}" if self.cases else "named"


def blocks_of(cell: int, cases: int, size: int = BLOCK_CASES) -> Iterator[Block]:
    """The blocks of a cell, in the order in which one machine would prove them."""
    yield Block(cell)
    for first in range(0, cases, size):
        yield Block(cell, first, min(size, cases - first))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a block: its events, then its sum."""

    events: tuple[ProverEvent, ...]
    done: CellResult | LostCell


class Results:
    """The folder of results; every machine of the campaign sees the same."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def place(self, cell: Cell, block: Block) -> Path:
        """The file of a block."""
        return self._folder / cell.id / f"{block.name}.parquet"

    def has(self, cell: Cell, block: Block) -> bool:
        """Return True if the block is done."""
        return self.place(cell, block).is_file()

    def read(self, cell: Cell, block: Block) -> Outcome:
        """The result of a finished block.

        Raises:
            OSError: it cannot be read.
            ValueError: it is damaged.
        """
        (pickled,) = parquet.read_table(self.place(cell, block), columns=["told"])["told"].to_pylist()
        try:
            outcome = pickle.loads(pickled)
        except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError) as error:
            raise ValueError(f"{self.place(cell, block)} is damaged: {error}") from error
        assert isinstance(outcome, Outcome)
        return outcome

    def write(self, cell: Cell, block: Block, outcome: Outcome) -> None:
        """Put down what became of a block.

        Raises:
            OSError: it cannot be written.
        """
        events = tuple(each for each in outcome.events if not isinstance(each, CellProgress))
        first = block.first if block.cases else None
        row = (cell.release, cell.module, cell.message, cell.version, first, *_sums(outcome.done))
        values = [*row, pickle.dumps(Outcome(events, outcome.done))]
        columns = [pyarrow.array([value], each.type) for value, each in zip(values, OUTCOME, strict=True)]
        place = self.place(cell, block)
        place.parent.mkdir(parents=True, exist_ok=True)
        with replacing(place) as file:
            parquet.write_table(pyarrow.Table.from_arrays(columns, schema=OUTCOME), file)

    def forget(self, cell: Cell, block: Block) -> None:
        """The block is to be proven again."""
        remove_file(self.place(cell, block))

    def trying(self, cell: Cell, block: Block, names: Sequence[str]) -> None:
        """A worker is at these cases of a block, the first and the last.

        Raises:
            OSError: it cannot be written.
        """
        mark = self._mark(cell, block)
        mark.parent.mkdir(parents=True, exist_ok=True)
        replace_file(mark, "\n".join(names))

    def tried(self, cell: Cell, block: Block) -> None:
        """The worker has come to the block's end."""
        remove_file(self._mark(cell, block))

    def begun(self, cell: Cell, block: Block) -> list[str] | None:
        """The cases that a worker was at when it last said something; None where none is at the block."""
        try:
            return self._mark(cell, block).read_text("utf-8").splitlines()
        except FileNotFoundError:
            return None

    def _mark(self, cell: Cell, block: Block) -> Path:
        return self.place(cell, block).with_suffix(".trying")

    def say_broken(self, message: str, advice: str) -> None:
        """Announce to all workers that no cell can be proven."""
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_file(self._folder / _BROKEN, f"{message}\n\n{advice}")

    def broken(self) -> tuple[str, str] | None:
        """The reason why no cell can be proven, and the advice; None without one. Each is returned once."""
        try:
            message, _, advice = (self._folder / _BROKEN).read_text("utf-8").partition("\n\n")
        except FileNotFoundError:
            return None
        remove_file(self._folder / _BROKEN)
        return message, advice


def _sums(done: CellResult | LostCell) -> tuple[int, int, int, float]:
    if isinstance(done, LostCell):
        return 0, 0, 0, 0.0
    return sum(done.cases.values()), done.data_bytes, done.failed_cases, done.duration_s
