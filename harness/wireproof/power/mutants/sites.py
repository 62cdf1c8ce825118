"""The sites of mutations in a layout, its structs and fields, and functions that change the layout there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from kafkawire.schema import (
    FieldLayout,
    FieldSpec,
    MessageKind,
    MessageLayout,
    MessageSpec,
    ScalarType,
    SchemaSet,
    StructLayout,
    VersionRange,
    resolve,
)
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.model.layout_parts import with_fields, with_struct


@dataclass(frozen=True, slots=True)
class Site:
    """One place in one cell.

    Attributes:
        path: the path of the field or struct: ``topics[].index``, ``topics[]``, ``""`` for the message.
        struct: the struct itself, or the struct that has the field.
        struct_path: the path of that struct.
        field: the field; None if the site is the struct itself.
    """

    cell: Cell
    layout: MessageLayout
    path: str
    struct: StructLayout
    struct_path: str
    field: FieldLayout | None = None

    def __str__(self) -> str:
        return f"{self.cell.id} {self.path}".rstrip()


def sites(cell: Cell, layout: MessageLayout) -> Iterator[Site]:
    """Every struct, the message first, each followed by its fields."""
    yield Site(cell, layout, "", layout.root, "")
    for path, struct, field in layout.walk():
        yield Site(cell, layout, path, struct, path.rpartition(".")[0], field)
        if field.struct is not None:
            inside = f"{path}[]" if field.is_array else path
            yield Site(cell, layout, inside, field.struct, inside)


@dataclass(frozen=True, slots=True)
class DefinitionSite:
    """One message, or one field of it.

    Attributes:
        path: the path of the field, ``topics.index``; ``""`` for the message itself.
        field: the field; None if the site is the message itself.
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
    """The fields of a field's struct, which is defined in place or shared by several fields."""
    common = {struct.name: struct.fields for struct in spec.common_structs}
    return () if field.struct_name is None else common.get(field.struct_name, field.fields)


def with_field(spec: MessageSpec, old: FieldSpec, new: FieldSpec) -> MessageSpec:
    """The definition with one field changed; a field of a shared struct changes in every place of use."""

    def changed(fields: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
        return tuple(
            new if field is old else replace(field, fields=changed(field.fields)) if field.fields else field
            for field in fields
        )

    structs = tuple(replace(struct, fields=changed(struct.fields)) for struct in spec.common_structs)
    return replace(spec, fields=changed(spec.fields), common_structs=structs)


def every(*conditions: Callable[[Site], bool]) -> Callable[[Site], bool]:
    return lambda site: all(condition(site) for condition in conditions)


def either(*conditions: Callable[[Site], bool]) -> Callable[[Site], bool]:
    return lambda site: any(condition(site) for condition in conditions)


def of_field(holds: Callable[[FieldLayout], bool]) -> Callable[[Site], bool]:
    """Return a condition of fields, which no site of a struct meets."""
    return lambda site: site.field is not None and holds(site.field)


def of_struct(holds: Callable[[StructLayout], bool]) -> Callable[[Site], bool]:
    """Return a condition of structs, which no site of a field meets."""
    return lambda site: site.field is None and holds(site.struct)


def of_type(*types: ScalarType) -> Callable[[Site], bool]:
    """A field that is a single scalar of one of these types."""
    return of_field(lambda field: field.type in types)


is_nullable: Final = of_field(lambda field: field.nullable)
is_compact: Final = of_field(lambda field: field.compact)
is_array: Final = of_field(lambda field: field.is_array)
is_tagged: Final = of_field(lambda field: field.tag is not None)
is_in_place: Final = of_field(lambda field: field.tag is None)
is_nullable_struct: Final = of_field(
    lambda field: field.nullable and not field.is_array and field.struct is not None
)
is_flexible_struct: Final = of_struct(lambda struct: struct.flexible)
holds_text_or_bytes: Final = of_type(ScalarType.STRING, ScalarType.BYTES)


def is_message(site: Site) -> bool:
    """The message itself: one site for each cell."""
    return site.field is None and not site.path


def in_frames(site: Site) -> bool:
    """A request or a response with a header."""
    framed = site.layout.kind in (MessageKind.REQUEST, MessageKind.RESPONSE)
    return is_message(site) and framed and site.layout.header_version is not None


def with_edited_struct(site: Site, change: Callable[[StructLayout], StructLayout]) -> MessageLayout:
    return with_struct(site.layout, site.struct_path, change)


def with_edited_field(site: Site, **changes: Any) -> MessageLayout:
    assert site.field is not None
    new = replace(site.field, **changes)

    def swap(field: FieldLayout) -> FieldLayout:
        return new if field is site.field else field

    return with_edited_struct(site, lambda struct: with_fields(struct, swap))


def of_defined_field(holds: Callable[[FieldSpec], bool]) -> Callable[[DefinitionSite], bool]:
    """Return a condition of defined fields, which no site of a message meets."""
    return lambda site: site.field is not None and holds(site.field)


def valid_span(site: DefinitionSite, field: FieldSpec) -> VersionRange:
    return field.versions.intersect(site.spec.valid_versions)


def in_place_span(site: DefinitionSite) -> VersionRange:
    """The valid versions that have the field; none for a tagged field and for the message."""
    field = site.field
    return VersionRange.NONE if field is None or field.tag is not None else valid_span(site, field)


def shifted(versions: VersionRange, lowest: int = 0, highest: int = 0) -> VersionRange:
    return VersionRange(versions.lowest + lowest, versions.highest + highest)


def defined(edit: Callable[[MessageSpec], MessageSpec]) -> Callable[[DefinitionSite, int], MessageLayout]:
    return lambda site, version: resolve(edit(site.spec), version)


def defined_field(edit: Callable[[FieldSpec], FieldSpec]) -> Callable[[DefinitionSite, int], MessageLayout]:
    def layout(site: DefinitionSite, version: int) -> MessageLayout:
        assert site.field is not None
        return resolve(with_field(site.spec, site.field, edit(site.field)), version)

    return layout


def is_whole_message(site: DefinitionSite) -> bool:
    return site.field is None and len(site.spec.valid_versions) > 1


def version_before(site: DefinitionSite, version: int) -> MessageLayout:
    """The layout of the version below under the label of this one; the lowest version keeps its own."""
    wanted = max(version - 1, site.spec.valid_versions.lowest)
    return replace(resolve(site.spec, wanted), version=version)


_FETCH_SINCE = {0: 0, 1: 2, 2: 4}
"""The first version of Fetch that carries a magic."""
_MAGIC_2_SINCE = {"ProduceRequest": 3, "FetchResponse": 4}
"""The first version of a message that carries magic 2; 0 for messages that are not listed."""


def is_set_of(*magics: int) -> Callable[[Site], bool]:
    """Return a condition: cells of record sets with one of these magics, which are the versions of a set."""
    return lambda site: is_message(site) and is_set(site) and site.cell.version in magics


def carries(*magics: int) -> Callable[[Site], bool]:
    """Return a condition: cells of record sets with these magics, and messages that carry all these magics.

    Old segments keep their magic.
    """
    in_sets = is_set_of(*magics)
    return lambda site: in_sets(site) or is_fetch_of(site, max(magics))


def is_fetch_of(site: Site, magic: int) -> bool:
    """Return True for a response of Fetch or ShareFetch whose version carries a magic."""
    name, version = site.layout.name, site.cell.version
    since = name == "ShareFetchResponse" or (name == "FetchResponse" and version >= _FETCH_SINCE[magic])
    return is_message(site) and since


def knows_the_delete_horizon(site: Site) -> bool:
    """Return True where sets of magic 2 may have a delete horizon."""
    return carries(2)(site) and ReleaseFeature.DELETE_HORIZON.is_in(site.cell.release)


def is_set(site: Site) -> bool:
    return site.cell.module == RECORDS_MODULE


def is_message_with_records(site: Site) -> bool:
    """Return True for a message of Produce, Fetch, ShareFetch or FetchSnapshot that carries magic 2."""
    scalars = (field.scalar for _, _, field in site.layout.walk())
    if not is_message(site) or is_set(site) or ScalarType.RECORDS not in scalars:
        return False
    return site.cell.version >= _MAGIC_2_SINCE.get(site.layout.name, 0)
