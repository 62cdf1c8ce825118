"""One field of Kafka's language as a field of krammar."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from kafkawire.schema.defaults import parse_default
from kafkawire.schema.layout import EMPTY, Default
from kafkawire.schema.model import MAX_VERSION, ArrayType, FieldSpec, ScalarType, VersionRange
from wireproof.definitions.krammar.definition_model import (
    KrammarArray,
    KrammarField,
    KrammarScalar,
    KrammarType,
    NullableString,
    SpecialField,
    nullable_since,
)


class NoteLevel(StrEnum):
    """The weight of a note."""

    REFUSED = "cannot be expressed"
    """The other language has no form with these bytes: the message is not converted."""
    DEFAULT = "another default"
    """The bytes of a given value stay; a field that the value leaves out has another one."""
    DROPPED = "dropped"
    """It has no effect on bytes."""
    OUTSIDE = "outside the message"
    """krammar counts it to the message. In Kafka the code around the message writes it."""
    ONE_WAY = "one way"
    """The bytes stay. A conversion back gives a definition with other bytes."""


@dataclass(frozen=True, slots=True)
class ConversionNote:
    """One construct without a counterpart.

    Attributes:
        source: the file; ``""`` for a schema that was not read from a file.
        line: from 1; 0 where it is unknown.
        path: the field, such as ``topics[].partitions[].index``; ``""`` for the message itself.
        text: the construct, and its reason.
    """

    source: str
    line: int
    message: str
    path: str
    level: NoteLevel
    text: str

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}: " if self.line else f"{self.source}: "
        place = place if self.source else ""
        field = f" {self.path}" if self.path else ""
        return f"{place}{self.message}{field}: {self.level}: {self.text}"


_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*", re.ASCII)
_ZERO: Final = (False, 0, "", b"", EMPTY)
"""The values of fields without a default in krammar."""


class FieldRefusedError(Exception):
    """A field that krammar has no form for."""


@dataclass(frozen=True, slots=True)
class FieldContext:
    """The versions that decide what a field looks like.

    Attributes:
        around: the versions of krammar's struct around the field.
        alive: the versions in which Kafka's struct around the field has its fields.
        flexible: the flexible versions of the message, within its valid ones.
    """

    around: VersionRange
    alive: VersionRange
    flexible: VersionRange


def converted_field(field: FieldSpec, context: FieldContext, element: KrammarType) -> KrammarField:
    """The field in krammar; at least one of its versions is in `context.alive`.

    Args:
        element: its type without arrays and null, as `KrammarScalar`, `InlineStruct` or `NamedStruct`.

    Raises:
        FieldRefusedError: krammar has no form with these bytes.
    """
    versions = field.versions.intersect(context.alive)
    name = field.name[:1].upper() + field.name[1:]
    if not _NAME.fullmatch(name):
        raise FieldRefusedError(f"the name {field.name!r}: a name has letters and digits only")
    if any(not each.intersect(versions).empty for each, _ in field.encodings):
        raise FieldRefusedError("an encoding of the integer (KIP-625)")
    tag = _tag(field, versions, context)
    _check_compact(field, versions, context)
    type_ = _type(field, element, _null_since(field, versions), versions)
    comment = None if tag is not None or versions == context.around else _comment(field, versions, context)
    result = KrammarField(name, type_, comment, tag, _default(field))
    return _special(result) if SpecialField.THROTTLE in name else result


def _tag(field: FieldSpec, versions: VersionRange, context: FieldContext) -> int | None:
    tagged = field.tagged_versions.intersect(versions)
    if field.tag is None or tagged.empty:
        return None
    if tagged != versions:
        raise FieldRefusedError(f"a field that is tagged in versions {tagged} and in place in others")
    flexible = context.flexible.intersect(context.around)
    if tagged != flexible:
        raise FieldRefusedError(
            f"a tag in versions {tagged}: in krammar it is there in all flexible versions, {flexible}"
        )
    if field.type in (ScalarType.STRING, ScalarType.BYTES) and field.nullable_versions.empty:
        raise FieldRefusedError(f"a tagged {field.type} that is never null")
    return field.tag


def _check_compact(field: FieldSpec, versions: VersionRange, context: FieldContext) -> None:
    own = field.flexible_versions
    if own is not None and own.intersect(versions) != context.flexible.intersect(versions):
        raise FieldRefusedError(f"flexibleVersions {own} of the field alone")


def _null_since(field: FieldSpec, versions: VersionRange) -> int | None:
    """The first version with null, 0 for all versions, None for none."""
    null = field.nullable_versions.intersect(versions)
    if null.empty:
        return None
    if null.highest < versions.highest:
        raise FieldRefusedError(
            f"nullableVersions {field.nullable_versions}, which end before the field does"
        )
    return 0 if null == versions else null.lowest


def _type(field: FieldSpec, element: KrammarType, since: int | None, versions: VersionRange) -> KrammarType:
    if isinstance(field.type, ArrayType):
        return KrammarArray(element, nullable_since=since)
    if since is None:
        return element
    if field.type is ScalarType.STRING:
        return NullableString(since) if since else KrammarScalar.NULLABLE_STRING
    if since:
        raise FieldRefusedError(f"a {_noun(field)} that is nullable since version {since}, not always")
    if field.type in (ScalarType.BYTES, ScalarType.RECORDS):
        return KrammarScalar.NULLABLE_BYTES
    if field.tag is not None and not field.tagged_versions.intersect(versions).empty:
        raise FieldRefusedError("a tagged nullable struct: krammar marks null by an int8, Kafka by a varint")
    return element  # a struct, which the caller has made nullable


def _noun(field: FieldSpec) -> str:
    return str(field.type) if isinstance(field.type, ScalarType) else "struct"


def _comment(field: FieldSpec, versions: VersionRange, context: FieldContext) -> VersionRange:
    """The versions as their author wrote them, if the outer struct has no further versions."""
    lowest = field.versions.lowest if versions.lowest == context.alive.lowest else versions.lowest
    highest = MAX_VERSION if versions.highest == context.around.highest else versions.highest
    return VersionRange(lowest, highest)


def _default(field: FieldSpec) -> str | None:
    """The text between parentheses; None for a zero and for defaults that krammar cannot express."""
    value = parse_default(field.type, field.default)
    if isinstance(value, bool):
        return "true" if value else None
    if isinstance(value, float):
        return None if _odd_float(value) or not value else repr(value)
    return str(value) if isinstance(value, int) and value else None


def _odd_float(value: Default) -> bool:
    """Test if Go has no literal of the number: NaN, the infinities, negative zero."""
    return isinstance(value, float) and (not math.isfinite(value) or repr(value) == "-0.0")


def default_change(field: FieldSpec, converted: KrammarField) -> tuple[NoteLevel, str] | None:
    """The note about a default that krammar cannot express; None if the default is kept."""
    value = parse_default(field.type, field.default)
    null = nullable_since(converted.type) is not None
    plain = isinstance(value, bool | int | float) and not _odd_float(value)
    if plain or (value is None if null else value in _ZERO and not _odd_float(value)):
        return None
    if field.type is ScalarType.RECORDS:
        text = "the default null, which Kafka's class cannot write: krammar's is empty"
        return None if null else (NoteLevel.DEFAULT, text)
    if isinstance(value, UUID) and not value.int:
        return None
    shown = "null" if value is None else "empty" if value in _ZERO[2:] else repr(value)
    text = f"{shown}: krammar's is {'null' if null else 'zero' if _odd_float(value) else 'empty'}"
    return NoteLevel.DEFAULT if converted.tag is None else NoteLevel.REFUSED, f"the default {text}"


def _special(field: KrammarField) -> KrammarField:
    """The field in its special form, if franz-go's parser treats its name as special."""
    plain = field.type is KrammarScalar.INT32 and field.default is None and field.tag is None
    open_end = field.versions is None or field.versions.highest == MAX_VERSION
    if field.name != SpecialField.THROTTLE or not plain or not open_end:
        raise FieldRefusedError(f"the name {field.name}: the parser takes it for the special field")
    return KrammarField(field.name, field.type, field.versions, special=SpecialField.THROTTLE)


def dropped_properties(field: FieldSpec) -> Iterator[str]:
    """The properties of a field that krammar lacks and that have no effect on bytes."""
    if field.ignorable:
        yield "ignorable"
    if field.map_key:
        yield "mapKey"
    if field.entity_type:
        yield "entityType"
    if field.zero_copy:
        yield "zeroCopy"
    if field.type is ScalarType.RECORDS:
        yield "the type records, which becomes bytes"
