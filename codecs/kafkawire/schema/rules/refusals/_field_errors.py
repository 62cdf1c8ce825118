"""The errors of single fields: `FieldSpec` and `FieldType` of Kafka's generator."""

from typing import Any, Final

from kafkawire.schema.rule_table import SchemaRule as Rule
from kafkawire.schema.rules.refusals.refused_schema import Json, RefusedSchema, field, message

__all__ = ["DEFAULT_ERRORS", "FIELD_ERRORS"]


def _row(number: str, pattern: str, rule: Rule, refused: Json, accepted: Json) -> RefusedSchema:
    return RefusedSchema(number, pattern, rule, (message(refused),), (message(accepted),))


def _default(number: str, pattern: str, rule: Rule, type_: str, refused: str, accepted: str) -> RefusedSchema:
    return _row(number, pattern, rule, field(type_, default=refused), field(type_, default=accepted))


_B: Final = [field(name="B")]
_TAGGED: Final[dict[str, Any]] = {"taggedVersions": "2+", "tag": 0}
_KEYED: Final = field("[]S", fields=[field(mapKey=True, name="B")])
_NOT_A_SUBSET = "which are not a subset of the flexible versions for the message as a whole, which are \\S+"

FIELD_ERRORS: Final = (
    _row("1a", "Invalid field name .*", Rule.FIELD_NAME, field(name="A-b"), field(name="Ab")),
    _row("1b", "NullPointerException", Rule.NAME_MISSING, field(name=None), field()),
    _row("1c", "NullPointerException", Rule.TYPE_MISSING, field(None), field()),
    _row(
        "2",
        "You must specify the version of the .* structure\\.",
        Rule.FIELD_VERSIONS_MISSING,
        field(versions=None),
        field(),
    ),
    _row("3a", "Can't parse type .*", Rule.FIELD_TYPE_UNKNOWN, field("int128"), field("int64")),
    _row(
        "3b",
        "Can't parse array type \\[\\]\\.  No element type found\\.",
        Rule.ARRAY_ELEMENT_MISSING,
        field("[]"),
        field("[]int8"),
    ),
    _row(
        "3c",
        "Can't have an array of arrays\\.  Use an array of structs containing an array instead\\.",
        Rule.ARRAY_OF_ARRAYS,
        field("[][]int8"),
        field("[]int8"),
    ),
    _row(
        "4",
        r"Type \w+ cannot be nullable\.",
        Rule.NULLABLE_TYPE,
        field(nullableVersions="1+"),
        field("string", nullableVersions="1+"),
    ),
    _row(
        "5",
        r"Field \w+ has entity type \w+, but field type \S+, which does not match\.",
        Rule.ENTITY_TYPE_MISMATCH,
        field("int32", entityType="topicName"),
        field("int32", entityType="brokerId"),
    ),
    _row(
        "6",
        r"Non-array or Struct field \w+ cannot have fields",
        Rule.FIELDS_ON_SCALAR,
        field(fields=_B),
        field("S", fields=_B),
    ),
    _row(
        "7",
        "Invalid flexibleVersions override for \\w+\\.  Only fields of type string or bytes can specify a "
        "flexibleVersions override\\.",
        Rule.FLEXIBLE_OVERRIDE_TYPE,
        field(flexibleVersions="2+"),
        field("bytes", flexibleVersions="2+"),
    ),
    _row(
        "8",
        "Tagged fields cannot be used as keys\\.",
        Rule.MAP_KEY_TAGGED,
        field("[]S", fields=[field(mapKey=True, name="B", **_TAGGED)]),
        _KEYED,
    ),
    _row(
        "9a",
        "Field \\w+ specifies a tag of -\\d+\\.  Tags cannot be negative\\.",
        Rule.TAG_NEGATIVE,
        field(taggedVersions="2+", tag=-1),
        field(**_TAGGED),
    ),
    _row(
        "9b",
        "Field \\w+ specifies a tag of \\d+, but has no tagged versions\\.  If a tag is specified, "
        "taggedVersions must be specified as well\\.",
        Rule.TAGGED_VERSIONS_MISSING,
        field(tag=0),
        field(**_TAGGED),
    ),
    _row(
        "9c",
        "Field \\w+ does not specify a tag, but specifies tagged versions of \\S+\\.  Please specify a tag, "
        "or remove the taggedVersions\\.",
        Rule.TAG_MISSING,
        field(taggedVersions="2+"),
        field(**_TAGGED),
    ),
    _row(
        "9d",
        "Field \\w+ specifies nullableVersions \\S+ and taggedVersions \\S+\\.  Either all tagged versions "
        "must be nullable, or none must be\\.",
        Rule.TAGGED_PARTLY_NULLABLE,
        field("string", nullableVersions="3+", **_TAGGED),
        field("string", nullableVersions="2+", **_TAGGED),
    ),
    _row(
        "9e",
        "Field \\w+ specifies taggedVersions \\S+, which is not open-ended\\.  taggedVersions must be "
        "either none, or an open-ended range \\(that ends with a plus sign\\)\\.",
        Rule.TAGGED_VERSIONS_END,
        field(taggedVersions="2-3", tag=0),
        field(**_TAGGED),
    ),
    _row(
        "9f",
        "Field \\w+ specifies taggedVersions \\S+, and versions \\S+\\.  taggedVersions must be a subset "
        "of versions\\.",
        Rule.TAGGED_BEYOND_VERSIONS,
        field(versions="3+", **_TAGGED),
        field(versions="2+", **_TAGGED),
    ),
    _row(
        "10",
        "Invalid zeroCopy value for \\w+\\. Only fields of type bytes can use zeroCopy flag\\.",
        Rule.ZERO_COPY_TYPE,
        field("string", zeroCopy=True),
        field("bytes", zeroCopy=True),
    ),
    _row(
        "26",
        "Cannot set mapKey on top level fields\\.",
        Rule.MAP_KEY_TOP_LEVEL,
        field(mapKey=True),
        _KEYED,
    ),
    _row(
        "27",
        r"Field \w+ specifies tagged versions \S+ that are not a subset of the flexible versions \S+",
        Rule.TAGGED_NOT_FLEXIBLE,
        field(taggedVersions="1+", tag=0),
        field(**_TAGGED),
    ),
    _row(
        "28",
        f"The flexible versions for field \\w+ are \\S+, {_NOT_A_SUBSET}",
        Rule.FLEXIBLE_OVERRIDE_RANGE,
        field("string", flexibleVersions="1+"),
        field("string", flexibleVersions="3+"),
    ),
    _row(
        "29",
        "Unsupported attempt to declare field `\\w+` with `records` type as a tagged field\\.",
        Rule.TAGGED_RECORDS,
        field("records", **_TAGGED),
        field("records"),
    ),
)
"""Errors 1 to 10 of the constructors, and those of `MessageDataGenerator` about one field."""

_NOT_NULLABLE: Final = (
    "null cannot be the default for field \\w+, because not all versions of this field are nullable\\."
)
_ONLY: Final = "The only valid default for"

DEFAULT_ERRORS: Final = (
    _default("31", r"Invalid default for boolean field \w+: .*", Rule.DEFAULT_BOOL, "bool", "yes", "true"),
    *(
        _default(
            f"32{letter}", rf"Invalid default for {name} field \w+: .*", Rule.DEFAULT_INTEGER, name, text, "1"
        )
        for letter, name, text in (
            ("a", "int8", "0xff"),
            ("b", "int16", "32768"),
            ("c", "uint16", "65536"),
            ("d", "int32", "1.0"),
            ("e", "uint32", "-1"),
            ("f", "int64", "0xffffffffffffffff"),
        )
    ),
    _default("34a", "BufferUnderflowException", Rule.DEFAULT_UUID, "uuid", "AAAA", f"{'A' * 22}"),
    _default(
        "34b",
        r"Invalid default for uuid field \w+: .*",
        Rule.DEFAULT_UUID,
        "uuid",
        f"+{'A' * 21}",
        f"-{'A' * 21}",
    ),
    _default(
        "35", r"Invalid default for float64 field \w+: .*", Rule.DEFAULT_FLOAT, "float64", "much", "NaN"
    ),
    _row(
        "37a",
        f"Invalid default for bytes field \\w+\\.  {_ONLY} a bytes field is empty or null\\.",
        Rule.DEFAULT_NOT_EMPTY,
        field("bytes", default="ab"),
        field("bytes", default="null", nullableVersions="0+"),
    ),
    _default(
        "37b",
        f"Invalid default for array field \\w+\\.  {_ONLY} an array field is the empty array or null\\.",
        Rule.DEFAULT_NOT_EMPTY,
        "[]int8",
        "[]",
        "",
    ),
    _row(
        "37c",
        f"Invalid default for struct field \\w+\\.  {_ONLY} a struct field is the empty struct or null\\.",
        Rule.DEFAULT_NOT_EMPTY,
        field("S", fields=_B, default="{}"),
        field("S", fields=_B, default=""),
    ),
    _row(
        "38",
        _NOT_NULLABLE,
        Rule.DEFAULT_NULL,
        field("string", default="null", nullableVersions="1+"),
        field("string", default="null", nullableVersions="0+"),
    ),
)
"""Errors 31 to 38, of `FieldSpec.fieldDefault`. Errors 33 and 36 are javac's: see `JAVA_REFUSALS`."""
