"""`GeneratedOracle`: classes that Kafka's generator made in this process, as an oracle of their messages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wireproof.kafka.oracle._java_release import JavaRelease
from wireproof.kafka.oracle._jvm import start
from wireproof.kafka.oracle.kafka import KafkaOracle
from wireproof.model.cell import Cell
from wireproof.model.oracle import OracleError


class _GeneratedClasses(JavaRelease):
    """A `JavaRelease` whose classes exist already."""

    def __init__(self, release: str, java: Any, names: Mapping[str, str], heap_mb: int, peak: bool) -> None:
        super().__init__(
            release,
            {},
            {},
            shared=(),
            cache_dir=Path(),
            ecj=None,
            helper=None,
            heap_mb=heap_mb,
            peak=peak,
        )
        self._jpype = start(heap_mb, peak)
        self._java = java
        self._names = dict(names)

    def class_name(self, cell: Cell) -> str:
        """Return the name of a message's class; the module of the cell is not looked at.

        Raises:
            OracleError: no message of this name was generated.
        """
        for simple in (f"{cell.message}Data", cell.message):
            if simple in self._names:
                return self._names[simple]
        raise OracleError(f"the generator made no class of {cell.message}: it made {', '.join(self._names)}")

    def start(self) -> Any:
        """Return the classes in Java."""
        return self._java


class GeneratedOracle(KafkaOracle):
    """The oracle of messages whose classes were made in this process, over the clients of a release.

    Made by `SchemaGenerator.oracle`. Kafka has no table of their headers, so there are no frames of them.

    Args:
        java: the classes in Java (`Release`).
        names: the qualified name of each class by its simple name.
    """

    def __init__(
        self, release: str, java: Any, names: Mapping[str, str], *, heap_mb: int, peak: bool
    ) -> None:
        self._java = _GeneratedClasses(release, java, names, heap_mb, peak)

    def header_versions(self, cell: Cell) -> int | None:
        """None: the generator knows the headers of a whole module only."""
        self._java.class_name(cell)
        return None
