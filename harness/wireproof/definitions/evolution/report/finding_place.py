"""The file and the line of a change between two definitions."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kafkawire.schema import ArrayType, FieldSpec, MessageSpec, SchemaSet, StructType
from wireproof.definitions.evolution import SchemaFinding

__all__ = ["FindingPlaces"]


@dataclass(frozen=True, slots=True)
class FindingPlaces:
    """The definitions of both sides, which know the lines of their fields."""

    before: SchemaSet
    after: SchemaSet

    def place(self, finding: SchemaFinding) -> tuple[str, int]:
        """Return file and line of the field in the new definition; a message that is gone has its old file.

        The line is that of the field, else of the struct around it, else 1. A message of a release has no
        file: its name in Kafka's source is returned.
        """
        spec = _named(self.after, finding.message) or _named(self.before, finding.message)
        if spec is None or not spec.source:
            return f"{finding.message}.json", 1
        return _relative(spec.source), _line(spec, finding.change.path if finding.change else "")


def _named(schemas: SchemaSet, name: str) -> MessageSpec | None:
    return next((messages[name] for messages in schemas.modules.values() if name in messages), None)


def _relative(source: str) -> str:
    """Return the path relative to the working folder, where it is below it, as scanners expect."""
    path = Path(os.path.normpath(source))
    here = Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()


def _line(spec: MessageSpec, path: str) -> int:
    """Return the line of the innermost field of a path that the definition has; 1 for none."""
    lines = [field.line for field in _walked(spec, path)]
    return next((line for line in reversed(lines) if line), 1)


def _walked(spec: MessageSpec, path: str) -> Iterator[FieldSpec]:
    shared = {struct.name: struct.fields for struct in spec.common_structs}
    fields = spec.fields
    for name in path.replace("[]", "").split("."):
        field = next((each for each in fields if each.json_name == name), None)
        if field is None:
            return
        yield field
        inner = field.type.element if isinstance(field.type, ArrayType) else field.type
        fields = field.fields or (shared.get(inner.name, ()) if isinstance(inner, StructType) else ())
