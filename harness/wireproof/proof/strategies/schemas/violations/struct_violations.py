"""Operators for the errors of structs and of their registry: 11 to 14, and 20 to 24."""

from typing import Any, Final

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.schema_text import SchemaTree
from wireproof.proof.strategies.schemas.violations.rule_violation import (
    RuleViolation,
    add_tagged,
    as_flexible,
    inner_fields,
)

__all__ = ["STRUCT_VIOLATIONS"]


def _field(name: str, **keys: Any) -> SchemaTree:
    return {"name": name, "type": "int8", "versions": "0+", **keys}


def _common(tree: SchemaTree, **keys: Any) -> SchemaTree:
    """Add a common struct that no other struct has the name of; a key given as None is left out."""
    whole = {"name": "Common", "versions": "0+", "fields": [_field("Inner")], **keys}
    struct = {key: value for key, value in whole.items() if value is not None}
    tree.setdefault("commonStructs", []).append(struct)
    return struct


def _versions_missing(choices: Choices, tree: SchemaTree) -> None:
    if choices.below(2) == 0:
        _common(tree, versions=None)
    else:
        fields = [_field("Inner")]
        add_tagged(choices, tree, type="TaggedStruct", versions=None, fields=fields)


def _duplicate_tag(choices: Choices, tree: SchemaTree) -> None:
    as_flexible(tree)
    tag = {"taggedVersions": "0+", "tag": 0}
    inner_fields(choices, tree).extend([_field("First", **tag), _field("Second", **tag)])


def _duplicate_name(choices: Choices, tree: SchemaTree) -> None:
    inner_fields(choices, tree).extend([_field("Same"), _field("Same")])


def _tag_gap(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, tag=1 + choices.below(3))


def _lower_case(choices: Choices, tree: SchemaTree) -> None:
    _common(tree, name=pick(choices, ("common", "cOMMON")))


def _common_twice(choices: Choices, tree: SchemaTree) -> None:
    _common(tree)
    _common(tree)


def _respecified(choices: Choices, tree: SchemaTree) -> None:
    _common(tree)
    tree["fields"].append(
        _field("Again") | {"type": pick(choices, ("Common", "[]Common")), "fields": [_field("A")]}
    )


def _inline_twice(choices: Choices, tree: SchemaTree) -> None:
    inner = [] if choices.below(2) else [_field("Inner")]
    tree["fields"] += [
        _field("First") | {"type": "Twice", "fields": [_field("Inner")]},
        _field("Second") | {"type": "[]Twice", "fields": inner},
    ]


def _inline_in_common(choices: Choices, tree: SchemaTree) -> None:
    inside = _field("Inside") | {"type": pick(choices, ("Unknown", "[]Unknown")), "fields": [_field("A")]}
    _common(tree, fields=[inside])
    if choices.below(2):
        tree["fields"].append(_field("Uses") | {"type": "Common"})


def _in_itself(choices: Choices, tree: SchemaTree) -> None:
    _common(tree, fields=[_field("Own") | {"type": "[]Common"}])
    tree["fields"].append(_field("Uses") | {"type": "Common"})


STRUCT_VIOLATIONS: Final = (
    RuleViolation(11, "struct-versions-missing", _versions_missing),
    RuleViolation(12, "tag-twice", _duplicate_tag),
    RuleViolation(13, "name-twice", _duplicate_name),
    RuleViolation(14, "tag-gap", _tag_gap),
    RuleViolation(20, "struct-lower-case", _lower_case),
    RuleViolation(21, "common-struct-twice", _common_twice),
    RuleViolation(22, "common-struct-inline", _respecified),
    RuleViolation(23, "inline-struct-twice", _inline_twice),
    RuleViolation(24, "inline-struct-in-common", _inline_in_common),
    RuleViolation(0, "struct-in-itself", _in_itself),
)
