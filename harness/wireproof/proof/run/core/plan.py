"""The plan of a run: its cells, selected by the user's options."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Protocol

from kafkawire.schema.model import MessageSpec, SchemaSet
from wireproof.base.grouping import grouped
from wireproof.model.cell import Cell, Phase, full_pattern
from wireproof.model.codec_ends import EVERY_HANG_S, HANG_BUDGET_S, ExpectedEnd
from wireproof.model.divergence import Divergence
from wireproof.proof.config.selection import DEFAULT_PHASES, MutationSet, Selection
from wireproof.proof.deviations.search.cell_diagnosis import KnownCause

REPORTED_EACH: Final = 3
"""Failures of one cause that a phase of a cell reports one by one; the rest are counted."""

OTHERS_EVERY: Final = 32
"""The codecs after the first get one of this many instances of the bulk phase."""


class KnownDeviations(Protocol):
    """Deviations that are known. It is pickled into each worker.

    A run never reads a ledger: it gets this object, and a function that checks the ledger at the end.
    """

    @property
    def known_causes(self) -> Sequence[KnownCause]:
        """The causes that predict a codec's answers: an answer that one predicts counts as right."""

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        """The divergences of a case, each with the `entry` that explains it, or with words about an almost
        matching entry. The same entry explains the divergences that follow from an explained one."""

    @property
    def cases(self) -> Collection[str]:
        """The ids of cases of malformed bytes that show known deviations: a result says which passed."""

    @property
    def expected_ends(self) -> Sequence[ExpectedEnd]:
        """The questions that are known to hang a codec or to end its process."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options with which each cell is proven.

    Attributes:
        examples: random instances a cell.
        seed: of everything random; the same seed gives the same cases.
        shrink_s: wall-clock seconds for shrinking all failures of a cell together.
        shrink_all_s: wall-clock seconds for shrinking all failures of one process.
        instances: random instances that the oracle makes for a cell, in addition to boundary instances.
        cases: seeded instances a cell in the bulk phase.
        first_case: the number of the first of them, counted from 0.
        others_every: the interval of the instances that the codecs after the first get, too.
        fresh_retries: whether malformed bytes that a codec answers wrongly are asked again, alone.
        every_hang: try malformed bytes at each field though their operator has hung the codec elsewhere,
            for `EVERY_HANG_S` in place of `hang_s`.
        hang_s: seconds that all processes may spend on questions without an answer.
        classes: whether the classes of values that are met are counted.
        mutations: how many of a cell's mutations are tried, if their phase runs.
        known: explains the testee's known deviations; None if there are none.
        reported_each: failures of one cause that a phase of a cell reports one by one; the rest are counted.
        first_batch: the most cases of a cell's first batch; later ones are larger. For proofs that end at the
            first failure. None: batches are as large as one call should carry.
    """

    phases: tuple[Phase, ...] = DEFAULT_PHASES
    examples: int = 50
    seed: int = 0
    shrink_s: float = 5.0
    instances: int = 20
    cases: int = 10_000
    first_case: int = 0
    others_every: int = OTHERS_EVERY
    known: KnownDeviations | None = None
    mutations: MutationSet = MutationSet.ALL
    shrink_all_s: float = math.inf
    classes: bool = True
    hang_s: float = HANG_BUDGET_S
    every_hang: bool = False
    fresh_retries: bool = True
    reported_each: int = REPORTED_EACH
    first_batch: int | None = None

    @property
    def hang_budget_s(self) -> float:
        """Seconds that all processes may spend on hangs."""
        return EVERY_HANG_S if self.every_hang else self.hang_s

    @property
    def whole_phases(self) -> tuple[Phase, ...]:
        """The phases that try all of their cases: what passes there is right."""
        sliced = {Phase.MUTATIONS} if self.mutations is MutationSet.SLICE else set()
        return tuple(phase for phase in self.phases if phase not in sliced)


def retired(schemas: SchemaSet) -> Iterator[tuple[str, MessageSpec]]:
    """The messages that have no valid version any more, and so no cells."""
    return ((module, message) for module, message in schemas if message.retired)


def select(cells: Iterable[Cell], selection: Selection) -> list[Cell]:
    """The cells that the selection leaves."""
    return in_shard(matching(cells, selection), selection.shard)


def matching(cells: Iterable[Cell], selection: Selection) -> list[Cell]:
    """The cells that the selection leaves, before they are divided into shards."""
    patterns = [_regex(full_pattern(pattern)) for pattern in selection.patterns]
    messages = [_regex(name) for name in selection.messages]
    return [
        cell
        for cell in cells
        if (not selection.modules or cell.module in selection.modules)
        and (not messages or _matches(messages, cell.message))
        and any(cell.version in each for each in selection.versions)
        and (not patterns or _matches(patterns, cell.id))
    ]


def in_shard(cells: Iterable[Cell], shard: tuple[int, int]) -> list[Cell]:
    """The cells of a shard: (index, count), the index counted from 1."""
    index, count = shard
    return [
        cell for cell in cells if int.from_bytes(sha256(cell.id.encode()).digest()[:8]) % count == index - 1
    ]


def at_edges(cells: Iterable[Cell], flexible: Callable[[Cell], bool]) -> list[Cell]:
    """Return, for each message of a release, the newest version with tag sections and the newest without
    (KIP-482).

    Those two have nearly all fields that the message ever had, in both ways of writing. Shards are made from
    these cells (`in_shard`), since a shard's cells would have other edges.
    """
    newest: dict[tuple[str, str, bool], Cell] = {}
    kept = list(cells)
    for cell in kept:
        key = cell.release, cell.message, flexible(cell)
        if key not in newest or newest[key].version < cell.version:
            newest[key] = cell
    chosen = set(newest.values())
    return [cell for cell in kept if cell in chosen]


def over_releases(cells: Iterable[Cell]) -> list[tuple[Cell, ...]]:
    """The cells grouped by message and version, over all releases: the layouts in a group are often equal."""
    groups = grouped(((cell.message, cell.version), cell) for cell in cells)
    return [tuple(group) for group in groups.values()]


def _matches(patterns: Sequence[re.Pattern[str]], text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in patterns)


def _regex(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*|\*)", pattern)
    wild = {"**": ".*", "*": "[^/]*"}
    return re.compile("".join(wild.get(part) or re.escape(part) for part in parts))
