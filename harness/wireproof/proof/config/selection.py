"""The cells and phases that a run selects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from kafkawire.schema.model import VersionRange
from wireproof.model.cell import Phase


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
"""The phases in the order in which they run; a phase that is no default phase runs only if it is named."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection of cells. An empty part selects all; the parts are combined with *and*.

    Attributes:
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
    """The mutations to try: the chosen set; else all if their phase is named, else a slice."""
    if chosen is not None:
        return chosen
    return MutationSet.ALL if Phase.MUTATIONS.value in names else MutationSet.SLICE


def _tonight() -> int:
    """A seed for each day, the same on every machine, such as 20261121. The report names it."""
    return int(f"{datetime.now(UTC):%Y%m%d}")


PROFILES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        # The same cases each time: a change must not fail because of a random case that it did not cause.
        # Half of the cells, to be quick: they have nearly all fields of the others. The budget is long,
        # because cells that a slow machine leaves out would end with exit code 7.
        "pr": {
            "phase": tuple(
                phase.value for phase in DEFAULT_PHASES if phase not in (Phase.SHAPE, Phase.RANDOM)
            ),
            "mutations": MutationSet.SLICE,
            "edges": True,
            "shrink_total": 5.0,
            "budget": 300.0,
        },
        "nightly": {"mutations": MutationSet.ALL, "examples": 500, "seed": _tonight},
        "release": {"release": ("all",), "mutations": MutationSet.ALL},
    }
)
"""The options that each profile sets. A function is called for its value."""


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """The options ``--schemas`` and ``--schemas-jar``.

    Attributes:
        jars: jars with the classes of the fork; empty if Kafka's generator makes classes of the definitions.
    """

    folder: Path
    jars: tuple[Path, ...] = ()

    @property
    def record(self) -> dict[str, Any]:
        """The source in the form of a failure's record; `from_record` reads it."""
        jars = [str(jar.absolute()) for jar in self.jars]
        return {"schemas": str(self.folder.absolute()), "schemasJar": jars}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "SchemaSource | None":
        """The source of a failure's record; None for a failure of Kafka's own release."""
        folder = record.get("schemas")
        return None if not folder else cls(Path(folder), tuple(map(Path, record.get("schemasJar", ()))))

    @classmethod
    def of(cls, folder: Path | None, jars: tuple[Path, ...] = ()) -> "SchemaSource | None":
        """The source; None if no folder is named."""
        return None if folder is None else cls(folder, jars)
