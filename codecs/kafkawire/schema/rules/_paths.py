"""The path of each field of a definition: the walk that all rules share."""

from collections.abc import Iterator
from dataclasses import dataclass

from kafkawire.schema.model import ArrayType, FieldSpec, MessageSpec, VersionRange


@dataclass(frozen=True, slots=True)
class StructPlace:
    """A list of fields: the message's own, a common struct's, or an inline struct's.

    Attributes:
        name: Kafka's name of the struct.
        path: the path of its owner; ``""`` for the message itself.
        around: the versions of the struct within all outer structs; for a common struct, its own versions.
        owner: the inline struct's field, else None.
        in_common: whether it is a common struct, or inside one.
        line: the line of the struct or its field; 0 for the message itself.
    """

    name: str
    path: str
    around: VersionRange
    fields: tuple[FieldSpec, ...]
    owner: FieldSpec | None
    line: int
    in_common: bool = False

    @property
    def top_level(self) -> bool:
        return not self.path

    def places(self) -> Iterator["FieldPlace"]:
        """Its fields, each with its path."""
        is_array = self.owner is not None and isinstance(self.owner.type, ArrayType)
        prefix = "" if self.top_level else f"{self.path}[]." if is_array else f"{self.path}."
        for field in self.fields:
            yield FieldPlace(field, f"{prefix}{field.json_name}", self)


@dataclass(frozen=True, slots=True)
class FieldPlace:
    field: FieldSpec
    path: str
    struct: StructPlace

    @property
    def versions(self) -> VersionRange:
        """The field's versions within all outer structs."""
        return self.field.versions.intersect(self.struct.around)


def walk_structs(spec: MessageSpec) -> Iterator[StructPlace]:
    """Each list of fields of a message, outer before inner; common structs last."""
    common = frozenset(struct.name for struct in spec.common_structs)
    yield from _walk(StructPlace(spec.name, "", spec.valid_versions, spec.fields, None, 0), common)
    for struct in spec.common_structs:
        yield from _walk(
            StructPlace(struct.name, struct.name, struct.versions, struct.fields, None, struct.line, True),
            common,
        )


def _walk(struct: StructPlace, common: frozenset[str]) -> Iterator[StructPlace]:
    yield struct
    for place in struct.places():
        field = place.field
        name = field.struct_name
        if name is not None and (name not in common or field.fields):
            yield from _walk(
                StructPlace(
                    name, place.path, place.versions, field.fields, field, field.line, struct.in_common
                ),
                common,
            )
