"""All that a bench is made of, as plain data: it travels to the process, or the machine, that makes it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from kafkawire.schema.model import SchemaSet
from wireproof.corpus import EntrySource
from wireproof.releases import Release
from wireproof.testees import Launch

__all__ = ["OWN_NAME", "RECORDS_SUBJECT", "Prepared", "ReleaseParts"]

OWN_NAME = "kafkawire"
"""What our own codec is called beside others."""

RECORDS_SUBJECT = "kafkawire[records]"
"""Our codec of record sets, which has no twin."""


@dataclass(frozen=True, slots=True)
class ReleaseParts:
    """One release as a worker needs it; plain data, so that it can be pickled."""

    release: Release
    schemas: SchemaSet
    jars: Mapping[str, Path]
    extras: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that a worker's bench is made of; plain data.

    Attributes:
        support: jars on the class loader that all releases share.
        twins: which of our own codec are under test.
        testee: the codec under test in their place; None for our own.
        corpus: the entries that the corpus phase tries.
        java: whether Kafka's classes are asked at all.
        beside: codecs that are held side by side with the first twin of ours, by what they are called.
        helper: the jar of the oracle's own classes, where it is not found beside the code.
    """

    parts: tuple[ReleaseParts, ...]
    support: tuple[Path, ...]
    cache_dir: Path
    offline: bool
    twins: tuple[str, ...]
    testee: Launch | None = None
    corpus: EntrySource | None = None
    java: bool = True
    beside: tuple[tuple[str, Launch], ...] = ()
    helper: Path | None = None

    @property
    def files(self) -> list[Path]:
        """The files of this machine that a bench on another one needs."""
        own = [] if self.helper is None else [self.helper]
        jars = (jar for part in self.parts for jar in (*part.jars.values(), *part.extras.values()))
        return list(dict.fromkeys([*own, *self.support, *jars]))

    def found(self, find: Callable[[Path], Path]) -> "Prepared":
        """The same with each of these files where a machine has it."""
        parts = tuple(
            replace(
                part,
                jars={name: find(jar) for name, jar in part.jars.items()},
                extras={name: find(jar) for name, jar in part.extras.items()},
            )
            for part in self.parts
        )
        helper = None if self.helper is None else find(self.helper)
        return replace(self, parts=parts, support=tuple(map(find, self.support)), helper=helper)

    @property
    def subjects(self) -> tuple[str, ...]:
        """What is under test."""
        if self.beside:
            return (OWN_NAME, *(name for name, _ in self.beside))
        if self.testee is not None:
            return (self.testee.name,)
        return (*(f"kafkawire[{twin}]" for twin in self.twins), RECORDS_SUBJECT)
