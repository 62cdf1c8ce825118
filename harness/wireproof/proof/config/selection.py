"""The cells and phases that a run selects."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from kafkawire.schema.model import VersionRange
from wireproof.model import Phase

__all__ = ["ALL_PHASES", "DEFAULT_PHASES", "MutationSet", "Selection", "mutations_of", "phases_of"]


class MutationSet(StrEnum):
    """The mutations of a cell that are tried."""

    SLICE = "slice"
    """Each operator once at each kind of place."""
    ALL = "all"


DEFAULT_PHASES = (
    Phase.SHAPE,
    Phase.ENUMERATED,
    Phase.ORACLE,
    Phase.FRAME,
    Phase.RECORDS,
    Phase.EMBEDDED,
    Phase.EVOLUTION,
    Phase.RANDOM,
    Phase.MUTATIONS,
)


ALL_PHASES = (*DEFAULT_PHASES, Phase.BULK)
"""In the order in which they run; what is not among the default ones runs where it is asked for."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection of cells. An empty part selects all; the parts are combined with *and*.

    Attributes:
        modules: module names.
        messages: message names, with ``*`` for any text.
        versions: ranges of message versions; a version may be in any of them.
        patterns: cell patterns, ``RELEASE/MESSAGE/VERSION`` or ``MESSAGE/VERSION``; ``*`` within a part,
            ``**`` over parts.
        shard: (index, count): every count-th part of the cells, by a digest of their name, so that a
            new cell never moves another; index counts from 1.
    """

    modules: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    versions: tuple[VersionRange, ...] = (VersionRange.ALL,)
    patterns: tuple[str, ...] = ()
    shard: tuple[int, int] = (1, 1)


def phases_of(names: Sequence[str]) -> tuple[Phase, ...]:
    """The named phases in the order in which they run; the default phases without a name.

    The phase `shape` always runs: while a layout differs from Kafka's class, the other phases prove little.
    """
    if not names:
        return DEFAULT_PHASES
    return tuple(phase for phase in ALL_PHASES if phase is Phase.SHAPE or phase.value in names)


def mutations_of(chosen: MutationSet | None, names: Sequence[str]) -> MutationSet:
    """The number of mutations to try: the chosen one, else all where their phase is named, else a slice."""
    if chosen is not None:
        return chosen
    return MutationSet.ALL if Phase.MUTATIONS.value in names else MutationSet.SLICE
