"""`resolve`: one version of a definition, with every version range evaluated.

Source: Kafka's `MessageDataGenerator`, which evaluates the ranges while it emits `read` and `write`.
"""

from dataclasses import dataclass

from kafkawire.errors import UnsupportedVersionError
from kafkawire.schema.defaults import parse_default
from kafkawire.schema.layout import AbsentField, Default, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import (
    ArrayType,
    FieldSpec,
    IntegerEncoding,
    MessageSpec,
    ScalarType,
    StructSpec,
    VersionRange,
    struct_fields,
)

_WITH_LENGTH = frozenset({ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS})


def resolve(spec: MessageSpec, version: int) -> MessageLayout:
    """The layout of `spec` at `version`.

    Raises:
        UnsupportedVersionError: the message has no such version.
        ValueError: Kafka refuses the definition, and no layout is possible: a default that its type does not
            have, or a struct inside itself.
    """
    if version not in spec.valid_versions:
        versions = spec.valid_versions
        raise UnsupportedVersionError(spec.name, version, versions.lowest, versions.highest)
    common = {struct.name: struct for struct in spec.common_structs}
    inline = dict(struct_fields(spec.fields)) if common else {}
    resolver = _Resolver(version, spec.flexible_versions, common, inline)
    return MessageLayout(
        name=spec.name,
        kind=spec.kind,
        api_key=spec.api_key,
        version=version,
        root=resolver.struct(spec.name, spec.fields, spec.valid_versions, ()),
        header_version=header_version(spec, version),
        versions=spec.valid_versions,
    )


def header_version(spec: MessageSpec, version: int) -> int | None:
    """The header version of a message version; None if the definition does not state it."""
    return next((header for versions, header in spec.header_versions if version in versions), None)


@dataclass(frozen=True, slots=True)
class _Resolver:
    version: int
    flexible_versions: VersionRange
    common: dict[str, StructSpec]
    inline: dict[str, FieldSpec]

    def struct(
        self, name: str, fields: tuple[FieldSpec, ...], around: VersionRange, outer: tuple[str, ...]
    ) -> StructLayout:
        """A struct; `around` are its versions within all outer structs.

        `outer` has the names of the structs around it.
        """
        in_place: list[FieldLayout] = []
        tagged: list[FieldLayout] = []
        absent: list[AbsentField] = []
        for field in fields:
            versions = field.versions.intersect(around)
            if self.version not in versions:
                absent.append(self.absent(field, versions, outer))
            elif field.tag is not None and self.version in field.tagged_versions:
                tagged.append(self.field(field, versions, outer))
            else:
                in_place.append(self.field(field, versions, outer))
        tagged.sort(key=lambda layout: layout.tag or 0)
        flexible = self.version in self.flexible_versions
        return StructLayout(name, flexible, tuple(in_place), tuple(tagged), tuple(absent))

    def field(self, field: FieldSpec, versions: VersionRange, outer: tuple[str, ...]) -> FieldLayout:
        is_tagged = field.tag is not None and self.version in field.tagged_versions
        return FieldLayout(
            name=field.json_name,
            type=field.type,
            struct=self.inner(field, versions, outer),
            nullable=self.version in field.nullable_versions,
            default=_default(field),
            tag=field.tag if is_tagged else None,
            compact=self.compact(field),
            versions=versions,
            ignorable=field.ignorable,
            map_key=field.map_key,
            entity_type=field.entity_type,
            zero_copy=field.zero_copy,
            reserved_tag=None if is_tagged else field.tag,
            encoding=self.encoding(field),
        )

    def absent(self, field: FieldSpec, versions: VersionRange, outer: tuple[str, ...]) -> AbsentField:
        return AbsentField(
            name=field.json_name,
            type=field.type,
            struct=self.inner(field, versions, outer),
            default=_default(field),
            ignorable=field.ignorable,
            tag=field.tag,
            versions=versions,
            nullable=not field.nullable_versions.intersect(versions).empty,
        )

    def compact(self, field: FieldSpec) -> bool:
        """Test if the field has a length that is written as a varint."""
        if not isinstance(field.type, ArrayType) and field.type not in _WITH_LENGTH:
            return False
        own = field.flexible_versions
        return self.version in (self.flexible_versions if own is None else own)

    def encoding(self, field: FieldSpec) -> IntegerEncoding | None:
        """The encoding of an integer; None for the type's own, which leaves the layout unchanged."""
        chosen = next((name for versions, name in field.encodings if self.version in versions), None)
        own = chosen is not None and chosen.is_fixed and chosen.integer_type is field.element
        return None if own else chosen

    def inner(self, field: FieldSpec, versions: VersionRange, outer: tuple[str, ...]) -> StructLayout | None:
        """The struct of a field or of its elements, by its name: a common struct, else an inline one."""
        name = field.struct_name
        if name is None:
            return None
        if name in outer:
            raise ValueError(f"the struct {name} is inside itself: {' > '.join((*outer, name))}")
        fields, around = self.struct_source(name, field, versions, outer)
        return self.struct(name, fields, around, (*outer, name))

    def struct_source(
        self, name: str, field: FieldSpec, versions: VersionRange, outer: tuple[str, ...]
    ) -> tuple[tuple[FieldSpec, ...], VersionRange]:
        """Return the fields of the struct of this name, and its versions at this place."""
        common = self.common.get(name)
        if common is not None:
            return common.fields, versions.intersect(common.versions)
        if name in self.inline and not self.common.keys().isdisjoint(outer):
            # Inside a common struct Kafka's `StructRegistry` finds the structs of the message's own fields.
            owner = self.inline[name]
            return owner.fields, versions.intersect(owner.versions)
        return field.fields, versions


def _default(field: FieldSpec) -> Default:
    try:
        return parse_default(field.type, field.default)
    except ValueError as error:
        raise ValueError(f"{field.json_name}: {error}") from None
