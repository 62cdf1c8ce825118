"""One message at one version, with nothing left to decide.

`resolve` makes layouts out of definitions; codecs, strategies, the canonical form and reports read
nothing else. Layouts are hashable and compare by content: two releases that define a cell alike give
equal layouts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias
from uuid import UUID

from kafkawire.schema.model import (
    ArrayType,
    FieldType,
    IntegerEncoding,
    MessageKind,
    ScalarType,
    VersionRange,
)


class Empty(Enum):
    """The default of an array (no elements) or of a struct (each field at its own default)."""

    EMPTY = "empty"

    def __repr__(self) -> str:
        return "EMPTY"


EMPTY: Final = Empty.EMPTY

Default: TypeAlias = bool | int | float | str | bytes | UUID | Empty | None


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """A field that this version has.

    Attributes:
        name: the key in values, such as ``throttleTimeMs``.
        type: its type; a struct's own fields are in `struct`.
        struct: the layout of the struct, or of the array's elements; None for other types.
        nullable: whether null is valid in this version.
        default: the value that an absent key means; None is null.
        tag: its tag in this version; None if it is written in place.
        compact: whether a length or count is an unsigned varint of length + 1 (KIP-482) in place of
            an int16 (string) or int32 (bytes, records, arrays). For an array the elements of type
            string or bytes follow the same rule.
        versions: all versions that have the field, for reports.
        map_key: whether it is part of the key of a map-like array.
        entity_type: Kafka's `entityType`; ``""`` if there is none.
        zero_copy: Java holds it as a ByteBuffer; no effect on the wire.
        reserved_tag: its tag in other versions, if this version writes it in place; else None.
        encoding: the encoding of the integer, or of the array's elements (KIP-625); None for the type's own
            encoding, as in all messages of Kafka. It may be narrower than the type.
        is_array: whether it is an array.
        scalar: the type itself, or the array's element type, if that is a scalar; else None.
    """

    name: str
    type: FieldType
    struct: "StructLayout | None"
    nullable: bool
    default: Default
    tag: int | None
    compact: bool
    versions: VersionRange
    ignorable: bool = False
    map_key: bool = False
    entity_type: str = ""
    zero_copy: bool = False
    reserved_tag: int | None = None
    encoding: IntegerEncoding | None = None
    is_array: bool = field(init=False, compare=False, repr=False)
    scalar: ScalarType | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        inner = self.type.element if isinstance(self.type, ArrayType) else self.type
        object.__setattr__(self, "is_array", inner is not self.type)
        object.__setattr__(self, "scalar", inner if isinstance(inner, ScalarType) else None)

    @property
    def range_type(self) -> ScalarType | None:
        """The type whose values the bytes can hold: `scalar`, or the narrower integer of the encoding."""
        return self.scalar if self.encoding is None else self.encoding.integer_type


@dataclass(frozen=True, slots=True)
class AbsentField:
    """A field that the struct has in other versions only.

    A value may hold it at its default. Another value is dropped if the field is `ignorable`, else refused
    (Kafka: generated `write`, "Attempted to write a non-default ...").

    Attributes:
        struct: for a struct or an array of them: the layout whose fields are all absent, which
            recognises a default struct; else None.
        tag: its tag in the versions that have it tagged. Here the tag is reserved: its bytes are refused.
        nullable: whether null is valid in any of its versions.
    """

    name: str
    type: FieldType
    struct: "StructLayout | None"
    default: Default
    ignorable: bool
    tag: int | None
    versions: VersionRange
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class StructLayout:
    """A struct, or the message itself.

    Attributes:
        flexible: whether it ends with a tag section.
        fields: the fields written in place, in order.
        tagged: the tagged fields, by ascending tag.
        absent: the fields of other versions.
    """

    name: str
    flexible: bool
    fields: tuple[FieldLayout, ...]
    tagged: tuple[FieldLayout, ...] = ()
    absent: tuple[AbsentField, ...] = ()

    @property
    def all_fields(self) -> tuple[FieldLayout, ...]:
        """The fields in place, then the tagged ones: the order of the wire and of the canonical form."""
        return self.fields + self.tagged

    @property
    def reserved_tags(self) -> frozenset[int]:
        """The tags of fields that only other versions have: their bytes are refused here."""
        of_absent = (field.tag for field in self.absent)
        in_place = (field.reserved_tag for field in self.fields)
        return frozenset(tag for tag in (*of_absent, *in_place) if tag is not None)


@dataclass(frozen=True, slots=True)
class MessageLayout:
    """A message at one version.

    Attributes:
        header_version: the version of the request or response header before it; None for messages that are
            sent without a header, or if the definition does not state it.
        versions: all valid versions of the message.
    """

    name: str
    kind: MessageKind
    api_key: int | None
    version: int
    root: StructLayout
    header_version: int | None = None
    versions: VersionRange = VersionRange.NONE

    def __hash__(self) -> int:
        # Layouts are looked up for every judged value, and most are identical to the stored object: hashing
        # the whole tree would cost more than the lookup saves.
        return hash((self.name, self.version, self.kind))

    @property
    def flexible(self) -> bool:
        return self.root.flexible

    def walk(self) -> Iterator[tuple[str, StructLayout, FieldLayout]]:
        """Each field, outer before inner: its path (``topics[].partitions[].index``), its struct, itself."""
        yield from _walk("", self.root)


def _walk(prefix: str, struct: StructLayout) -> Iterator[tuple[str, StructLayout, FieldLayout]]:
    for each in struct.all_fields:
        path = f"{prefix}{each.name}"
        yield path, struct, each
        if each.struct is not None:
            yield from _walk(f"{path}[]." if each.is_array else f"{path}.", each.struct)
