"""The definitions of a fork, as the user names them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["SchemaSource"]


@dataclass(frozen=True, slots=True)
class SchemaSource:
    """The options ``--schemas`` and ``--schemas-jar``.

    Attributes:
        folder: the folder with message definitions.
        jars: jars with the classes of the fork; empty if Kafka's generator makes classes of the definitions.
    """

    folder: Path
    jars: tuple[Path, ...] = ()

    @property
    def record(self) -> dict[str, Any]:
        """The source as the record of a failure has it; `from_record` reads it."""
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
