"""The model of krammar, franz-go's definition language: structs, fields, types, enums and defaults.

Source: the files and the parser of the module github.com/twmb/franz-go, folder generate.
"""

import math
import re
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cached_property
from typing import Final, TypeAlias

from kafkawire.schema import model
from kafkawire.schema.model import VersionRange


class KrammarScalar(Enum):
    """A type without structure. The value is krammar's name of it."""

    BOOL = "bool"
    INT8 = "int8"
    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    FLOAT64 = "float64"
    VARINT = "varint"
    VARLONG = "varlong"
    UUID = "uuid"
    STRING = "string"
    NULLABLE_STRING = "nullable-string"
    BYTES = "bytes"
    NULLABLE_BYTES = "nullable-bytes"
    VARINT_STRING = "varint-string"
    VARINT_BYTES = "varint-bytes"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class NullableString:
    """A string that may be null from a version on (``nullable-string-v7+``)."""

    since: int


@dataclass(frozen=True, slots=True)
class EnumReference:
    """An integer whose values have names (``enum-ConfigSource``)."""

    name: str


@dataclass(frozen=True, slots=True)
class NamedStruct:
    """A struct that was defined before (``TaskIDs``)."""

    name: str


@dataclass(frozen=True, slots=True)
class LengthMinus:
    """The rest of a record batch. Its length in bytes is the value of another field minus a number."""

    field: str
    minus: int


@dataclass(frozen=True, slots=True)
class InlineStruct:
    """A struct whose fields follow (``=>``, ``nullable=>``); `hint` is the name in ``[=>Entry]``, if any."""

    fields: tuple["KrammarField", ...]
    nullable: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class KrammarArray:
    """An array type, with its element type and its nullability.

    Attributes:
        varint: whether the count is a signed varint (``varint[Header]``).
        nullable_since: the first version in which it may be null; None if it never may.
    """

    element: "KrammarType"
    varint: bool = False
    nullable_since: int | None = None


_NULLABLE: Final = (KrammarScalar.NULLABLE_STRING, KrammarScalar.NULLABLE_BYTES)

KrammarType: TypeAlias = (
    KrammarScalar | NullableString | EnumReference | NamedStruct | LengthMinus | InlineStruct | KrammarArray
)


class SpecialField(StrEnum):
    """A field that is written without a type; it is an int32."""

    THROTTLE = "ThrottleMillis"
    TIMEOUT = "TimeoutMillis"


TIMEOUT_DEFAULT: Final = "15000"


@dataclass(frozen=True, slots=True)
class KrammarField:
    """One line of a struct: name, type, versions and default.

    Attributes:
        versions: the versions in the comment after it; None if there are none.
        tag: the tag; None if it is never tagged. If it has a tag and `versions` is None, it is only tagged.
        default: the text between parentheses; None if there is none.
        special: set for ``ThrottleMillis`` and ``TimeoutMillis`` without a type.
        post_reply_since: the version in ``ThrottleMillis(6)`` from which Kafka throttles after its reply. It
            has no effect on bytes.
        line: the line of its file, from 1.
    """

    name: str
    type: KrammarType
    versions: VersionRange | None = None
    tag: int | None = None
    default: str | None = None
    special: SpecialField | None = None
    post_reply_since: int | None = None
    line: int = 0


class StructRole(StrEnum):
    """The part that a struct plays."""

    REQUEST = "request"
    RESPONSE = "response"
    VERSIONED = "with version field"
    """Stored or embedded data that begins with an int16, its version."""
    PLAIN = "not top level"


@dataclass(frozen=True, slots=True)
class KrammarStruct:
    """A struct with a head line.

    Attributes:
        key: the api key; for a response, its request's. None for structs that are not top level.
        max_version: the newest version; for a response, its request's. None if the file does not state it.
        flexible_since: the first flexible version; for a response, its request's.
        router: ``admin`` or the coordinator that handles the request; ``""`` if any broker does.
        encoded: False for ``no encoding``.
        source: the file.
    """

    name: str
    role: StructRole
    fields: tuple[KrammarField, ...]
    key: int | None = None
    max_version: int | None = None
    flexible_since: int | None = None
    router: str = ""
    encoded: bool = True
    source: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class KrammarEnum:
    """Names for the values of an integer; values without a name are valid, too."""

    name: str
    type: KrammarScalar
    values: tuple[tuple[int, str], ...]
    camel_case: bool = False
    source: str = ""
    line: int = 0


@dataclass(frozen=True)
class KrammarDefinitions:
    """All definitions of a folder, in the order of its files."""

    structs: tuple[KrammarStruct, ...]
    enums: tuple[KrammarEnum, ...]

    @cached_property
    def _structs(self) -> dict[str, KrammarStruct]:
        return {each.name: each for each in self.structs}

    @cached_property
    def _enums(self) -> dict[str, KrammarEnum]:
        return {each.name: each for each in self.enums}

    def struct(self, name: str) -> KrammarStruct:
        """The struct of this name. Raises KeyError if there is none."""
        return self._structs[name]

    def enum(self, name: str) -> KrammarEnum:
        """The enum of this name. Raises KeyError if there is none."""
        return self._enums[name]


INTEGER_RANGES: Final = {
    **{KrammarScalar(scalar.value): ends for scalar, ends in model.INTEGER_RANGES.items()},
    KrammarScalar.VARINT: model.INTEGER_RANGES[model.ScalarType.INT32],
    KrammarScalar.VARLONG: model.INTEGER_RANGES[model.ScalarType.INT64],
}
"""The smallest and the largest number of each integer type."""


_LONG_ENDINGS: Final = ("ches", "shes", "sses", "xes", "zes")


def nullable_since(type_: KrammarType) -> int | None:
    """The first version in which a type may be null; None if it never may."""
    match type_:
        case KrammarArray(nullable_since=since) | NullableString(since=since):
            return since
        case InlineStruct(nullable=nullable):
            return 0 if nullable else None
        case _:
            return 0 if type_ in _NULLABLE else None


def inline_name(owner: str, field: KrammarField) -> str:
    """The name of an inline struct: the outer struct's name, then the field's name or its hint.

    The result depends only on these two, so that it is the same in each reading.
    """
    inner: KrammarType = field.type
    while isinstance(inner, KrammarArray):
        inner = inner.element
    if not isinstance(field.type, KrammarArray):
        return owner + field.name
    if isinstance(inner, InlineStruct) and inner.hint:
        return owner + inner.hint
    return singular(owner + field.name)


def singular(name: str) -> str:
    """The singular of a name in the plural, by its ending alone."""
    if name.endswith("us"):
        return name
    if name.endswith(_LONG_ENDINGS):
        return name.removesuffix("es")
    if name.endswith("ies"):
        return name.removesuffix("ies") + "y"
    return name.removesuffix("s")


DefaultValue: TypeAlias = bool | int | float | None

_BOOLEANS: Final = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
_INTEGER: Final = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hexadecimal>[0-9a-fA-F]{1,40})|0[bB](?P<binary>[01]{1,80})"
    r"|0[oO]?(?P<octal>[0-7]{1,40})|(?P<decimal>\d{1,40}))",
    re.ASCII,
)
_FLOAT: Final = re.compile(r"[-+]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:e[-+]?\d{1,4})?", re.ASCII | re.I)
_BASES: Final = {"hexadecimal": 16, "binary": 2, "octal": 8, "decimal": 10}
_WITHOUT_DEFAULT: Final = (
    KrammarScalar.STRING,
    KrammarScalar.BYTES,
    KrammarScalar.VARINT_STRING,
    KrammarScalar.VARINT_BYTES,
)


def default_value(type_: KrammarType, text: str) -> DefaultValue:
    """The value of a default, None for null; an enum is given as its integer type.

    Raises ValueError if the type has no such default; the text says what to write.
    """
    if type_ is KrammarScalar.BOOL:
        if text not in _BOOLEANS:
            raise ValueError(f"the default {text[:40]!r} of a bool is not true or false")
        return _BOOLEANS[text]
    if type_ is KrammarScalar.FLOAT64:
        value = float(text) if _FLOAT.fullmatch(text) else math.inf
        if math.isinf(value):  # Go has no literal of infinity either
            raise ValueError(f"the default {text[:40]!r} is not a finite number: write 1.5, say")
        return value or 0.0  # the generated Go has no negative zero
    if type_ in _NULLABLE or isinstance(type_, NullableString):
        if text != "null":
            raise ValueError(f"the default {text[:40]!r} is not null, the only one of a nullable type")
        return None
    if isinstance(type_, KrammarScalar) and type_ in INTEGER_RANGES:
        return _integer(text, *INTEGER_RANGES[type_])
    raise ValueError(f"a field of type {type_} has no default: remove it")


def _integer(text: str, lowest: int, highest: int) -> int:
    match = _INTEGER.fullmatch(text)
    kind = match.lastgroup if match else None
    if match is None or kind is None or kind == "sign":
        if text in ("0", "+0", "-0"):
            return 0
        words = f"the default {text[:40]!r} is not a whole number: write it in decimal, or as 0x and digits"
        raise ValueError(words)
    number = int(match[kind], _BASES[kind])
    number = -number if match["sign"] == "-" else number
    if not lowest <= number <= highest:
        raise ValueError(f"the default {text[:40]} is not from {lowest} to {highest}")
    return number


def can_be_tagged(type_: KrammarType) -> bool:
    """Test if the generator can decide when to omit a tagged field of this type."""
    return type_ not in _WITHOUT_DEFAULT
