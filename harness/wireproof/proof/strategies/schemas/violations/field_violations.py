"""Operators for the errors of one field: 1 to 10, and 26 to 30 of the class that is generated."""

from typing import Final

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.field_drawing import INTEGER_BITS
from wireproof.proof.strategies.schemas.schema_text import SchemaTree
from wireproof.proof.strategies.schemas.violations.rule_violation import (
    Change,
    RuleViolation,
    add_field,
    add_tagged,
    as_flexible,
    inner_fields,
    with_field,
    with_tagged,
)

_NOT_NULLABLE: Final = ("bool", "int8", "int16", "int32", "int64", "uint16", "uint32", "float64", "uuid")
_NOT_TEXT: Final = ("int8", "bool", "uuid", "records", "[]int32", "float64")
_WRONG_NAMES: Final = ("A-b", "", "1a", "a_b", "ä", "a b")
_WRONG_ENTITIES: Final = (("int32", "topicName"), ("string", "brokerId"), ("[]int8", "producerId"))


def _entity(choices: Choices, tree: SchemaTree) -> None:
    field_type, entity = pick(choices, _WRONG_ENTITIES)
    add_field(choices, tree, type=field_type, entityType=entity)


def _own_fields(choices: Choices, tree: SchemaTree) -> None:
    inner = [{"name": "Inner", "type": "int8", "versions": "0+"}]
    add_field(choices, tree, type=pick(choices, ("int8", "string", "records")), fields=inner)


def _negative_tag(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, tag=-1 - choices.below(3))


def _top_level_key(choices: Choices, tree: SchemaTree) -> None:
    tree["fields"].append({"name": "Added", "type": "int8", "versions": "0+", "mapKey": True})


def _tagged_not_flexible(choices: Choices, tree: SchemaTree) -> None:
    as_flexible(tree)
    tree["flexibleVersions"] = "9+"
    for_all = {"name": "Added", "type": "int8", "versions": "0+", "taggedVersions": "0+", "tag": 0}
    inner_fields(choices, tree).append(for_all)


def _wide_override(choices: Choices, tree: SchemaTree) -> None:
    tree["flexibleVersions"] = "none"
    _drop_tags(tree)
    inner_fields(choices, tree).append(
        {
            "name": "Added",
            "type": pick(choices, ("string", "bytes")),
            "versions": "0+",
            "flexibleVersions": "0+",
        }
    )


def _drop_tags(tree: SchemaTree) -> None:
    tree["fields"] = []
    tree.pop("commonStructs", None)


def _disjoint_struct(choices: Choices, tree: SchemaTree) -> None:
    fields = [{"name": "Inner", "type": "int8", "versions": "0+"}]
    struct = {"name": "Outside", "type": "Outside", "versions": "9+", "fields": fields}
    tree["fields"].append(struct)


FIELD_VIOLATIONS: Final = (
    RuleViolation(1, "field-name", with_field(name=_WRONG_NAMES)),
    RuleViolation(1, "field-name-missing", with_field(name=None)),
    RuleViolation(1, "type-missing", with_field(type=None)),
    RuleViolation(2, "versions-missing", with_field(versions=None)),
    RuleViolation(3, "type-unknown", with_field(type="int128")),
    RuleViolation(3, "type-array-bare", with_field(type="[]")),
    RuleViolation(3, "type-array-of-arrays", with_field(type="[][]int8")),
    RuleViolation(4, "scalar-nullable", with_field(type=_NOT_NULLABLE, nullableVersions=("0+", "0", "1+"))),
    RuleViolation(5, "entity-type", _entity),
    RuleViolation(6, "fields-on-scalar", _own_fields),
    RuleViolation(7, "override-type", with_field(type=_NOT_TEXT, flexibleVersions="none")),
    RuleViolation(8, "tagged-map-key", with_tagged(mapKey=True)),
    RuleViolation(9, "tag-negative", _negative_tag),
    RuleViolation(9, "tag-without-versions", with_tagged(taggedVersions=None)),
    RuleViolation(9, "tagged-versions-without-tag", with_tagged(tag=None)),
    RuleViolation(
        9,
        "tagged-partly-nullable",
        with_tagged(type=("string", "bytes", "[]int8"), nullableVersions=("1+", "0", "2-5")),
    ),
    RuleViolation(9, "tagged-versions-end", with_tagged(taggedVersions=("0", "0-2", "1-3"))),
    RuleViolation(9, "tagged-versions-outside", with_tagged(versions=("1+", "0-1", "none"))),
    RuleViolation(
        10, "zero-copy-type", with_field(type=("string", "int8", "records", "[]int8"), zeroCopy=True)
    ),
    RuleViolation(26, "top-level-map-key", _top_level_key),
    RuleViolation(27, "tagged-not-flexible", _tagged_not_flexible),
    RuleViolation(28, "override-too-wide", _wide_override),
    RuleViolation(29, "tagged-records", with_tagged(type="records")),
    RuleViolation(30, "struct-disjoint", _disjoint_struct),
)


_STRUCT: Final = [{"name": "Inner", "type": "int8", "versions": "0+"}]


def _default(field_type: str, *defaults: str) -> Change:
    return with_field(type=field_type, default=defaults)


def _integer(choices: Choices, tree: SchemaTree) -> None:
    name = pick(choices, ("int8", "int16", "int32", "int64"))
    limit = 1 << (INTEGER_BITS[name] - 1)
    texts = (
        str(limit),
        str(-limit - 1),
        f"0x{limit:x}",
        f"0x{limit * 2 - 1:x}",
        "a",
        "1.5",
        "0xg",
        "--1",
        "1_0",
    )
    add_field(choices, tree, type=name, default=pick(choices, texts))


_null: Final = with_field(
    type=("string", "bytes", "[]int8"), default="null", nullableVersions=("1+", "none", None, "0-5")
)


def _struct(choices: Choices, tree: SchemaTree) -> None:
    tree["fields"].append(
        {"name": "Added", "type": "AddedStruct", "versions": "0+", "default": "{}", "fields": _STRUCT}
    )


DEFAULT_VIOLATIONS: Final = (
    RuleViolation(31, "default-bool", _default("bool", "1", "yes", "t")),
    RuleViolation(32, "default-integer", _integer),
    RuleViolation(32, "default-uint16", _default("uint16", "-1", "65536", "0x10000", "x")),
    RuleViolation(32, "default-uint32", _default("uint32", "-1", "4294967296", "0x100000000", "x")),
    RuleViolation(33, "default-uint32-java", _default("uint32", "2147483648", "4294967295", "0x80000000")),
    RuleViolation(34, "default-uuid", _default("uuid", "AAAA", "not a uuid", "AAAAAAAAAAAAAAAAAAAAAA!")),
    RuleViolation(35, "default-float64", _default("float64", "one", "0x1", "nan", "1,5")),
    RuleViolation(36, "default-string-java", _default("string", '"', "\\", "\\q", "line\nend")),
    RuleViolation(37, "default-bytes", _default("bytes", "00", "empty")),
    RuleViolation(37, "default-array", _default("[]int8", "[]", "0")),
    RuleViolation(37, "default-struct", _struct),
    RuleViolation(38, "default-null", _null),
    RuleViolation(0, "array-of-bytes", _default("[]bytes", "")),
    RuleViolation(0, "array-of-records", _default("[]records", "")),
    RuleViolation(0, "tagged-zero-copy", with_tagged(type="bytes", zeroCopy=True)),
)
