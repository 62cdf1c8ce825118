"""Operators for the errors of one field: 1 to 10, and 26 to 30 of the class that is generated."""

from typing import Any, Final

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.schema_text import SchemaTree
from wireproof.proof.strategies.schemas.violations.rule_violation import (
    RuleViolation,
    add_field,
    add_tagged,
    as_flexible,
    inner_fields,
)

__all__ = ["FIELD_VIOLATIONS"]

_NOT_NULLABLE: Final = ("bool", "int8", "int16", "int32", "int64", "uint16", "uint32", "float64", "uuid")
_NOT_TEXT: Final = ("int8", "bool", "uuid", "records", "[]int32", "float64")
_WRONG_NAMES: Final = ("A-b", "", "1a", "a_b", "ä", "a b")
_WRONG_ENTITIES: Final = (("int32", "topicName"), ("string", "brokerId"), ("[]int8", "producerId"))


def _set(**keys: Any) -> Any:
    def apply(choices: Choices, tree: SchemaTree) -> None:
        add_field(choices, tree, **keys)

    return apply


def _wrong_name(choices: Choices, tree: SchemaTree) -> None:
    add_field(choices, tree, name=pick(choices, _WRONG_NAMES))


def _nullable(choices: Choices, tree: SchemaTree) -> None:
    add_field(
        choices, tree, type=pick(choices, _NOT_NULLABLE), nullableVersions=pick(choices, ("0+", "0", "1+"))
    )


def _entity(choices: Choices, tree: SchemaTree) -> None:
    field_type, entity = pick(choices, _WRONG_ENTITIES)
    add_field(choices, tree, type=field_type, entityType=entity)


def _own_fields(choices: Choices, tree: SchemaTree) -> None:
    inner = [{"name": "Inner", "type": "int8", "versions": "0+"}]
    add_field(choices, tree, type=pick(choices, ("int8", "string", "records")), fields=inner)


def _override(choices: Choices, tree: SchemaTree) -> None:
    add_field(choices, tree, type=pick(choices, _NOT_TEXT), flexibleVersions="none")


def _tagged_key(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, mapKey=True)


def _negative_tag(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, tag=-1 - choices.below(3))


def _tag_alone(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, taggedVersions=None)


def _tagged_versions_alone(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, tag=None)


def _partly_nullable(choices: Choices, tree: SchemaTree) -> None:
    field_type = pick(choices, ("string", "bytes", "[]int8"))
    add_tagged(choices, tree, type=field_type, nullableVersions=pick(choices, ("1+", "0", "2-5")))


def _tagged_with_end(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, taggedVersions=pick(choices, ("0", "0-2", "1-3")))


def _tagged_outside(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, versions=pick(choices, ("1+", "0-1", "none")))


def _zero_copy(choices: Choices, tree: SchemaTree) -> None:
    add_field(choices, tree, type=pick(choices, ("string", "int8", "records", "[]int8")), zeroCopy=True)


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


def _tagged_records(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, type="records")


def _disjoint_struct(choices: Choices, tree: SchemaTree) -> None:
    fields = [{"name": "Inner", "type": "int8", "versions": "0+"}]
    struct = {"name": "Outside", "type": "Outside", "versions": "9+", "fields": fields}
    tree["fields"].append(struct)


FIELD_VIOLATIONS: Final = (
    RuleViolation(1, "field-name", _wrong_name),
    RuleViolation(1, "field-name-missing", _set(name=None)),
    RuleViolation(1, "type-missing", _set(type=None)),
    RuleViolation(2, "versions-missing", _set(versions=None)),
    RuleViolation(3, "type-unknown", _set(type="int128")),
    RuleViolation(3, "type-array-bare", _set(type="[]")),
    RuleViolation(3, "type-array-of-arrays", _set(type="[][]int8")),
    RuleViolation(4, "scalar-nullable", _nullable),
    RuleViolation(5, "entity-type", _entity),
    RuleViolation(6, "fields-on-scalar", _own_fields),
    RuleViolation(7, "override-type", _override),
    RuleViolation(8, "tagged-map-key", _tagged_key),
    RuleViolation(9, "tag-negative", _negative_tag),
    RuleViolation(9, "tag-without-versions", _tag_alone),
    RuleViolation(9, "tagged-versions-without-tag", _tagged_versions_alone),
    RuleViolation(9, "tagged-partly-nullable", _partly_nullable),
    RuleViolation(9, "tagged-versions-end", _tagged_with_end),
    RuleViolation(9, "tagged-versions-outside", _tagged_outside),
    RuleViolation(10, "zero-copy-type", _zero_copy),
    RuleViolation(26, "top-level-map-key", _top_level_key),
    RuleViolation(27, "tagged-not-flexible", _tagged_not_flexible),
    RuleViolation(28, "override-too-wide", _wide_override),
    RuleViolation(29, "tagged-records", _tagged_records),
    RuleViolation(30, "struct-disjoint", _disjoint_struct),
)
