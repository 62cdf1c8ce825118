"""The definition of a message as its author wrote it, all versions together, in Kafka's own terms.

Sources: Kafka's `MessageSpec`, `StructSpec`, `FieldSpec`, `FieldType`, `Versions` (module generator).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import lru_cache
from typing import ClassVar, Final, TypeAlias

MAX_VERSION: Final = 32767
"""The end of an open range such as ``7+`` (`Versions`: Short.MAX_VALUE)."""


@dataclass(frozen=True, slots=True, order=True)
class VersionRange:
    """A closed range of versions, both ends included; empty where `lowest` is above `highest`."""

    lowest: int
    highest: int

    ALL: ClassVar["VersionRange"]
    NONE: ClassVar["VersionRange"]

    @classmethod
    @lru_cache(1_000)
    def parse(cls, text: str) -> "VersionRange":
        """Read ``"3"``, ``"2-5"``, ``"7+"`` or ``"none"`` as Kafka's `Versions.parse` does.

        Raises:
            ValueError: the text is none of these, or a bound is negative or above 32,767.
        """
        text = text.strip()
        if text == "none":
            return cls(0, -1)
        if text.endswith("+"):
            return cls(_version(text[:-1]), MAX_VERSION)
        lowest, dash, highest = text.partition("-")
        return cls(_version(lowest), _version(highest if dash else lowest))

    @property
    def empty(self) -> bool:
        return self.lowest > self.highest

    def __contains__(self, version: int) -> bool:
        return self.lowest <= version <= self.highest

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lowest, self.highest + 1))

    def __len__(self) -> int:
        return max(0, self.highest - self.lowest + 1)

    def intersect(self, other: "VersionRange") -> "VersionRange":
        """The versions that are in both."""
        both = VersionRange(max(self.lowest, other.lowest), min(self.highest, other.highest))
        return VersionRange.NONE if both.empty else both

    def covers(self, other: "VersionRange") -> bool:
        """Test if each version of `other` is in this range."""
        return other.empty or (self.lowest <= other.lowest and other.highest <= self.highest)

    def __str__(self) -> str:
        if self.empty:
            return "none"
        if self.highest == MAX_VERSION:
            return f"{self.lowest}+"
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest}-{self.highest}"


VersionRange.ALL = VersionRange(0, MAX_VERSION)
VersionRange.NONE = VersionRange(0, -1)


def _version(text: str) -> int:
    """One bound, as Java's `Short.parseShort` reads it: an optional sign, then ASCII digits."""
    digits = text.removeprefix("+")
    if not (
        digits.isascii() and digits.isdigit() and len(digits.lstrip("0")) <= 5 and int(digits) <= MAX_VERSION
    ):
        raise ValueError(f"{text!r} is not a version: want a whole number from 0 to {MAX_VERSION}")
    return int(digits)


class MessageKind(StrEnum):
    """The `type` of a message (Kafka: `MessageSpecType`)."""

    REQUEST = "request"
    RESPONSE = "response"
    HEADER = "header"
    DATA = "data"
    METADATA = "metadata"
    COORDINATOR_KEY = "coordinator-key"
    COORDINATOR_VALUE = "coordinator-value"


class ScalarType(Enum):
    """A type without structure. The value is Kafka's name of it."""

    BOOL = "bool"
    INT8 = "int8"
    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    FLOAT64 = "float64"
    UUID = "uuid"
    STRING = "string"
    BYTES = "bytes"
    RECORDS = "records"

    def __str__(self) -> str:
        return self.value

    # Members are looked up for every scalar of a value; the hash of an `Enum` is computed in Python.
    __hash__ = object.__hash__


INTEGER_RANGES: Final = {
    ScalarType.INT8: (-(1 << 7), (1 << 7) - 1),
    ScalarType.INT16: (-(1 << 15), (1 << 15) - 1),
    ScalarType.UINT16: (0, (1 << 16) - 1),
    ScalarType.INT32: (-(1 << 31), (1 << 31) - 1),
    ScalarType.UINT32: (0, (1 << 32) - 1),
    ScalarType.INT64: (-(1 << 63), (1 << 63) - 1),
}
"""The smallest and the largest number of each integer type."""


class IntegerEncoding(StrEnum):
    """An encoding that KIP-625 proposes for integers. No release of Kafka has it.

    ``packed`` is the zig-zag varint of a signed integer, ``upacked`` the unsigned varint of its two's
    complement, ``fixed`` the full width.
    """

    FIXED16 = "fixed16"
    FIXED32 = "fixed32"
    FIXED64 = "fixed64"
    PACKED16 = "packed16"
    PACKED32 = "packed32"
    PACKED64 = "packed64"
    UPACKED16 = "upacked16"
    UPACKED32 = "upacked32"
    UPACKED64 = "upacked64"

    @property
    def bits(self) -> int:
        """The width of the integers that it can hold, signed ones: 16, 32 or 64."""
        return int(self.value[-2:])

    @property
    def is_fixed(self) -> bool:
        """True if all integers take the same number of bytes."""
        return self.value.startswith("fixed")

    @property
    def integer_type(self) -> ScalarType:
        """The integer type of the same width."""
        return ScalarType(f"int{self.bits}")


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct, named."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array; its elements are never null and never arrays."""

    element: ScalarType | StructType

    def __str__(self) -> str:
        return f"[]{self.element}"


FieldType: TypeAlias = ScalarType | StructType | ArrayType


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One field as written.

    Attributes:
        versions: the versions that have the field; `tagged_versions` if only these are written.
        fields: the fields of an inline struct; empty for other types and for common structs.
        default: the text of `default`; ``""`` if it is absent or JSON null, ``"null"`` for null.
        flexible_versions: the field's own override; None if the message's versions apply.
        tag: the tag; None if the field is never tagged.
        encodings: KIP-625's `encoding`, by range of versions; empty if it is not given.
        line: the line of its file, from 1; 0 if it was not read from text.
    """

    name: str
    type: FieldType
    versions: VersionRange
    fields: tuple["FieldSpec", ...] = ()
    map_key: bool = False
    nullable_versions: VersionRange = VersionRange.NONE
    default: str = ""
    ignorable: bool = False
    entity_type: str = ""
    tagged_versions: VersionRange = VersionRange.NONE
    flexible_versions: VersionRange | None = None
    tag: int | None = None
    zero_copy: bool = False
    line: int = 0
    encodings: tuple[tuple[VersionRange, IntegerEncoding], ...] = ()

    @property
    def json_name(self) -> str:
        """The key in values and in Kafka's JSON: the first letter in lower case (`ThrottleTimeMs`)."""
        return self.name[:1].lower() + self.name[1:]

    @property
    def element(self) -> ScalarType | StructType:
        """The type of an array's elements; for any other field its type."""
        return self.type.element if isinstance(self.type, ArrayType) else self.type

    @property
    def struct_name(self) -> str | None:
        """The name of the struct type of the field or of its elements; None for scalars."""
        inner = self.element
        return inner.name if isinstance(inner, StructType) else None


def struct_fields(fields: tuple[FieldSpec, ...]) -> Iterator[tuple[str, FieldSpec]]:
    """The fields that are structs or arrays of structs, outer before inner, each after the struct's name."""
    for field in fields:
        if field.struct_name is not None:
            yield field.struct_name, field
            yield from struct_fields(field.fields)


@dataclass(frozen=True, slots=True)
class StructSpec:
    """A struct that several fields of one message share (an entry of `commonStructs`)."""

    name: str
    versions: VersionRange
    fields: tuple[FieldSpec, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class MessageSpec:
    """One message as written.

    Attributes:
        valid_versions: empty for a retired message (``"none"``), which has no cells.
        header_versions: the header version of each message version, as ranges in ascending order; empty if
            unknown, and for messages that are neither request nor response. Kafka keeps header versions in
            `ApiMessageType`, outside the schema file (until KIP-1313).
        source: the file it was read from, for problems and reports.
    """

    name: str
    kind: MessageKind
    valid_versions: VersionRange
    flexible_versions: VersionRange
    fields: tuple[FieldSpec, ...]
    common_structs: tuple[StructSpec, ...] = ()
    api_key: int | None = None
    deprecated_versions: VersionRange = VersionRange.NONE
    listeners: tuple[str, ...] = ()
    latest_version_unstable: bool = False
    header_versions: tuple[tuple[VersionRange, int], ...] = ()
    source: str = ""

    @property
    def retired(self) -> bool:
        """True if no version is valid any more."""
        return self.valid_versions.empty


@dataclass(frozen=True, slots=True)
class SchemaSet:
    """Every message of one release.

    Attributes:
        release: the release, such as ``4.4.0``.
        modules: module name (``clients``, ``metadata``, ...) to its messages by name. Message names
            are unique over the modules of a release.
    """

    release: str
    modules: Mapping[str, Mapping[str, MessageSpec]]

    def __iter__(self) -> Iterator[tuple[str, MessageSpec]]:
        """(module, message) pairs, in order of module, then of name."""
        for module, messages in self.modules.items():
            for message in messages.values():
                yield module, message

    def find(self, name: str) -> tuple[str, MessageSpec]:
        """The module and the message of this name.

        Raises:
            KeyError: no module has it.
        """
        for module, messages in self.modules.items():
            if name in messages:
                return module, messages[name]
        raise KeyError(name)
