"""The sites of mutations in a definition, which spans all versions, and functions that change it there."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kafkawire.schema import ArrayType, FieldSpec, MessageSpec, SchemaSet, StructType

__all__ = ["DefinitionSite", "definition_sites", "with_field"]


@dataclass(frozen=True, slots=True)
class DefinitionSite:
    """One message, or one field of it.

    Attributes:
        path: of the field, ``topics.index``; ``""`` for the message itself.
        field: None where the message itself is meant.
    """

    release: str
    module: str
    spec: MessageSpec
    path: str = ""
    field: FieldSpec | None = None

    def __str__(self) -> str:
        return f"{self.release}/{self.spec.name} {self.path}".rstrip()


def definition_sites(schemas: SchemaSet) -> Iterator[DefinitionSite]:
    """Yield every message that has cells, each followed by its fields."""
    for module, spec in schemas:
        if not spec.retired:
            message = DefinitionSite(schemas.release, module, spec)
            yield message
            yield from _fields(message, spec.fields)


def _fields(outer: DefinitionSite, fields: tuple[FieldSpec, ...]) -> Iterator[DefinitionSite]:
    for field in fields:
        path = f"{outer.path}.{field.json_name}" if outer.path else field.json_name
        site = replace(outer, path=path, field=field)
        yield site
        yield from _fields(site, _inner(outer.spec, field))


def _inner(spec: MessageSpec, field: FieldSpec) -> tuple[FieldSpec, ...]:
    """The fields of its struct: written there, or in one that several fields share."""
    match field.type.element if isinstance(field.type, ArrayType) else field.type:
        case StructType(name=name):
            common = {struct.name: struct.fields for struct in spec.common_structs}
            return common.get(name, field.fields)
        case _:
            return ()


def with_field(spec: MessageSpec, old: FieldSpec, new: FieldSpec) -> MessageSpec:
    """The definition with one field changed: everywhere, where it is a field of a shared struct."""

    def changed(fields: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
        return tuple(
            new if field is old else replace(field, fields=changed(field.fields)) if field.fields else field
            for field in fields
        )

    structs = tuple(replace(struct, fields=changed(struct.fields)) for struct in spec.common_structs)
    return replace(spec, fields=changed(spec.fields), common_structs=structs)
