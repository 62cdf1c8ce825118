"""The rules of a single field: the rules of Kafka's generator and of javac, and warnings about oddities.

Sources: the constructor of `FieldSpec` and its `checkTagInvariants` and `fieldDefault`, `EntityType`,
and the checks of `MessageDataGenerator` on tagged and flexible versions.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import Final, TypeAlias

from kafkawire.schema.defaults import DefaultError, parse_default
from kafkawire.schema.model import (
    MAX_VERSION,
    ArrayType,
    FieldSpec,
    MessageSpec,
    ScalarType,
    StructType,
    VersionRange,
)
from kafkawire.schema.rule_table import SchemaRule
from kafkawire.schema.rules._java_names import IDENTIFIER, java_field_name
from kafkawire.schema.rules._paths import FieldPlace

_BITS: Final = {ScalarType.INT16: 16, ScalarType.INT32: 32, ScalarType.INT64: 64}


def encoding_findings(place: FieldPlace, _: MessageSpec) -> Iterator[tuple[SchemaRule, str]]:
    field = place.field
    if not field.encodings:
        return
    inner = field.element
    bits = _BITS.get(inner) if isinstance(inner, ScalarType) else None
    if bits is None:
        yield (
            SchemaRule.ENCODING_TYPE,
            f"encoding is for int16, int32, int64 and their arrays, not for {field.type}: remove it",
        )
        return
    ranges = [versions for versions, _ in field.encodings]
    overlaps = [(one, other) for one, other in combinations(ranges, 2) if not one.intersect(other).empty]
    for one, other in overlaps:
        text = f"encoding gives two for the versions {one.intersect(other)}: {one} and {other} overlap"
        yield SchemaRule.ENCODING_OVERLAP, text
    if not overlaps and not _union_is(ranges, field.versions):
        written = ", ".join(map(str, ranges))
        text = f"encoding has the versions {written}, the field {field.versions}: make them equal"
        yield SchemaRule.ENCODING_VERSIONS, text
    for versions, encoding in field.encodings:
        if encoding.bits > bits:
            advice = f"use one of {bits} bits or a wider type"
            text = f"encoding {encoding} of versions {versions} is wider than {inner}: {advice}"
            yield SchemaRule.ENCODING_TOO_WIDE, text
    yield from _unwritable_defaults(field)


def _union_is(ranges: list[VersionRange], wanted: VersionRange) -> bool:
    """Test if the union of ranges that do not overlap is `wanted`."""
    held = sorted(each for each in ranges if not each.empty)
    if not held:
        return wanted.empty
    joined = all(one.highest + 1 == other.lowest for one, other in pairwise(held))
    return joined and (held[0].lowest, held[-1].highest) == (wanted.lowest, wanted.highest)


def _unwritable_defaults(field: FieldSpec) -> Iterator[tuple[SchemaRule, str]]:
    try:
        default = parse_default(field.type, field.default)
    except ValueError:
        return  # another rule reports it
    for versions, encoding in field.encodings:
        half = 1 << (encoding.bits - 1)
        if isinstance(default, int) and not -half <= default < half:
            yield (
                SchemaRule.ENCODING_DEFAULT,
                f"the default {default} does not fit {encoding} of versions {versions}: change one of them",
            )


Finding: TypeAlias = tuple[SchemaRule, str]
"""The rule that is broken, and the text of the problem."""

FieldRule: TypeAlias = Callable[[FieldPlace, MessageSpec], Iterator[Finding]]

_NULLABLE_SCALARS: Final = frozenset({ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS})
_ENTITY_TYPES: Final = {
    "transactionalId": ScalarType.STRING,
    "producerId": ScalarType.INT64,
    "groupId": ScalarType.STRING,
    "topicName": ScalarType.STRING,
    "brokerId": ScalarType.INT32,
}


def _nullable(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    field = place.field
    can = isinstance(field.type, ArrayType | StructType) or field.type in _NULLABLE_SCALARS
    if not field.nullable_versions.empty and not can:
        yield SchemaRule.NULLABLE_TYPE, f"a field of type {field.type} is never null: remove nullableVersions"


def _entity_type(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    field = place.field
    inner = field.element
    wanted = _ENTITY_TYPES.get(field.entity_type, inner)
    if inner != wanted:
        yield (
            SchemaRule.ENTITY_TYPE_MISMATCH,
            f"entityType {field.entity_type} is for fields of type {wanted}, not {field.type}",
        )


def _own_fields(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    field = place.field
    match field.type:
        case ScalarType() if field.fields:
            yield (
                SchemaRule.FIELDS_ON_SCALAR,
                f"a field of type {field.type} has no fields: remove them, or give a struct's name as type",
            )
        case ArrayType(element=ScalarType()) if field.fields:
            yield (
                SchemaRule.FIELDS_IGNORED,
                f"the fields are ignored, because the elements are of type {field.type.element}",
            )
        case _:
            pass


def _override_type(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    field = place.field
    if field.flexible_versions is not None and field.type not in (ScalarType.STRING, ScalarType.BYTES):
        yield (
            SchemaRule.FLEXIBLE_OVERRIDE_TYPE,
            f"only string and bytes have flexibleVersions of their own, not {field.type}: remove it",
        )


def _override_range(place: FieldPlace, spec: MessageSpec) -> Iterator[Finding]:
    own = place.field.flexible_versions
    if own is not None and own.intersect(spec.flexible_versions) != own:
        message = spec.flexible_versions
        yield (
            SchemaRule.FLEXIBLE_OVERRIDE_RANGE,
            f"flexibleVersions {own} go beyond the message's, {message}: stay within them",
        )


def _tagged_key(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    if place.field.map_key and place.field.tag is not None:
        yield SchemaRule.MAP_KEY_TAGGED, "a tagged field cannot be a mapKey: remove one of the two"


def _top_level_key(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    if place.field.map_key and place.struct.top_level:
        yield (
            SchemaRule.MAP_KEY_TOP_LEVEL,
            "a field of the message itself cannot be a mapKey: only those of an array's elements can",
        )


def _tag(place: FieldPlace, spec: MessageSpec) -> Iterator[Finding]:
    field = place.field
    tag, tagged = field.tag, field.tagged_versions
    if tag is None:
        if not tagged.empty:
            yield SchemaRule.TAG_MISSING, f"taggedVersions is {tagged}, but there is no tag: add one"
        return
    if tag < 0:
        yield SchemaRule.TAG_NEGATIVE, f"the tag {tag} is negative: number the struct's tags from 0"
    if tagged.empty:
        yield (
            SchemaRule.TAGGED_VERSIONS_MISSING,
            f"there is a tag, {tag}, but no taggedVersions: say which versions have the field tagged",
        )
        return
    yield from _tagged_versions(field, tagged)


def _tagged_versions(field: FieldSpec, tagged: VersionRange) -> Iterator[Finding]:
    nullable = field.nullable_versions.intersect(tagged)
    if not nullable.empty and nullable != tagged:
        both = f"nullableVersions {field.nullable_versions} and taggedVersions {tagged}"
        yield (
            SchemaRule.TAGGED_PARTLY_NULLABLE,
            f"{both} overlap in part: make all tagged versions nullable, or none",
        )
    if tagged.highest < MAX_VERSION:
        yield (
            SchemaRule.TAGGED_VERSIONS_END,
            f"taggedVersions {tagged} end: a tag is for ever, so write {tagged.lowest}+",
        )
    elif field.versions.intersect(tagged) != tagged:
        yield (
            SchemaRule.TAGGED_BEYOND_VERSIONS,
            f"taggedVersions {tagged} go beyond the field's versions, {field.versions}: stay within them",
        )


def _tagged_is_flexible(place: FieldPlace, spec: MessageSpec) -> Iterator[Finding]:
    field = place.field
    flexible = spec.flexible_versions if field.flexible_versions is None else field.flexible_versions
    if flexible.intersect(field.tagged_versions) != field.tagged_versions:
        yield (
            SchemaRule.TAGGED_NOT_FLEXIBLE,
            f"taggedVersions {field.tagged_versions} go beyond the flexible versions, {flexible}",
        )


def _tagged_records(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    tagged = place.field.tagged_versions.intersect(place.versions)
    if place.field.type is ScalarType.RECORDS and not tagged.empty:
        yield SchemaRule.TAGGED_RECORDS, "records cannot be tagged: write them in place"


def _array_element(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    """Refuse arrays of bytes: the generated Java treats them as ByteBuffers (4.1.1)."""
    match place.field.type:
        case ArrayType(element=ScalarType.BYTES as element):
            rule, refused = SchemaRule.ARRAY_OF_BYTES, True
        case ArrayType(element=ScalarType.RECORDS as element):
            rule, refused = SchemaRule.ARRAY_OF_RECORDS, not place.versions.empty
        case _:
            return
    if refused:
        yield rule, f"{element} cannot be the elements of an array: put them into a struct"


def _zero_copy(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    if place.field.zero_copy and place.field.type is not ScalarType.BYTES:
        yield SchemaRule.ZERO_COPY_TYPE, f"zeroCopy is for bytes only, not for {place.field.type}: remove it"


def _tagged_zero_copy(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    """Refuse tagged zero-copy bytes: the generated Java treats a ByteBuffer as an array (4.1.1)."""
    field = place.field
    if field.zero_copy and not field.tagged_versions.intersect(place.versions).empty:
        yield (
            SchemaRule.TAGGED_ZERO_COPY,
            "bytes that are tagged and zeroCopy give Java that does not compile: drop one of the two",
        )


def _default(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    field = place.field
    if field.type is ScalarType.RECORDS:
        if field.default not in ("", "null"):
            yield (
                SchemaRule.DEFAULT_RECORDS,
                f"the default {field.default!r} is ignored: that of records is always null",
            )
        elif field.default and not field.nullable_versions.covers(field.versions):
            yield (
                SchemaRule.DEFAULT_RECORDS,
                "the default null is one that the field cannot be written with: it is not nullable",
            )
        return
    try:
        value = parse_default(field.type, field.default)
    except DefaultError as error:
        yield error.rule, f"default {field.default!r}: {error}"
        return
    if value is None and not field.nullable_versions.covers(field.versions):
        yield (
            SchemaRule.DEFAULT_NULL,
            "null cannot be the default, because some versions of the field are not nullable",
        )


def _dead(place: FieldPlace, spec: MessageSpec) -> Iterator[Finding]:
    name = place.field.struct_name
    inline = name is not None and all(name != struct.name for struct in spec.common_structs)
    reversed_range = place.field.versions.empty and place.field.versions != VersionRange.NONE
    around_dead = place.struct.around.intersect(spec.valid_versions).empty
    versions = place.versions.intersect(spec.valid_versions)
    if versions.empty and not (inline or reversed_range or around_dead):
        yield (
            SchemaRule.FIELD_DEAD,
            f"no valid version has the field: its versions are {place.field.versions}",
        )


def _common_struct_versions(place: FieldPlace, spec: MessageSpec) -> Iterator[Finding]:
    """Versions that have the field, but not the common struct of its type (`SchemaGenerator`)."""
    name = place.field.struct_name
    versions = place.versions.intersect(spec.valid_versions)
    for struct in spec.common_structs:
        if struct.name != name or versions.empty:
            continue
        its = struct.versions.intersect(spec.valid_versions)
        if its.empty or versions.lowest < its.lowest:
            yield (
                SchemaRule.COMMON_STRUCT_TOO_LATE,
                f"versions {versions} have the field, but {name} is there in {its} only: widen its versions",
            )
        elif versions.highest > its.highest:
            text = f"versions {versions} have the field, but {name} ends at {its.highest}"
            yield SchemaRule.COMMON_STRUCT_ENDS, f"{text}: Kafka can neither read nor write it after that"


def _struct_type_name(place: FieldPlace, _: MessageSpec) -> Iterator[Finding]:
    name = place.field.struct_name
    if name is not None and not IDENTIFIER.fullmatch(name):
        yield (
            SchemaRule.STRUCT_TYPE_NAME,
            f"{name!r} is not a name for a struct: use letters and digits, a capital letter first",
        )


READING_RULES: Final[tuple[FieldRule, ...]] = (
    _nullable,
    _entity_type,
    _own_fields,
    _override_type,
    _tagged_key,
    _tag,
    _zero_copy,
    encoding_findings,
)
"""Rules that the generator checks while it reads, therefore also for retired messages."""

EMITTING_RULES: Final[tuple[FieldRule, ...]] = (
    _override_range,
    _top_level_key,
    _tagged_is_flexible,
    _tagged_records,
    _array_element,
    _tagged_zero_copy,
    _default,
    _dead,
    _common_struct_versions,
    java_field_name,
    _struct_type_name,
)
"""Rules that the generator or javac checks while it makes a class."""
