"""Operators for the errors of a message's own keys, 15 to 19 and 25, and for its JSON."""

from typing import Any, Final

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.schema_text import SchemaTree
from wireproof.proof.strategies.schemas.violations.field_violations import (
    RuleViolation,
    add_field,
    add_tagged,
    as_flexible,
    as_kind,
    inner_fields,
)

_NOT_REQUESTS: Final = ("response", "data", "metadata")


def _no_flexible(choices: Choices, tree: SchemaTree) -> None:
    del tree["flexibleVersions"]


def _flexible_with_end(choices: Choices, tree: SchemaTree) -> None:
    if tree["type"] == "coordinator-key":
        tree["type"] = "metadata"
    tree["flexibleVersions"] = pick(choices, ("0-1", "0", "1-3", "0-32766"))


def _listeners(choices: Choices, tree: SchemaTree) -> None:
    as_kind(tree, pick(choices, _NOT_REQUESTS))
    tree["listeners"] = ["broker"]


def _unstable(choices: Choices, tree: SchemaTree) -> None:
    as_kind(tree, pick(choices, _NOT_REQUESTS))
    tree["latestVersionUnstable"] = True


def _key_without_api_key(choices: Choices, tree: SchemaTree) -> None:
    as_kind(tree, "coordinator-key")
    del tree["apiKey"]


def _key_versions(choices: Choices, tree: SchemaTree) -> None:
    as_kind(tree, "coordinator-key")
    tree["validVersions"] = pick(choices, ("0-1", "1", "2-3"))


def _key_flexible(choices: Choices, tree: SchemaTree) -> None:
    as_kind(tree, "coordinator-key")
    tree["flexibleVersions"] = "0+"


def _value_without_api_key(choices: Choices, tree: SchemaTree) -> None:
    as_kind(tree, "coordinator-value")
    del tree["apiKey"]


def _without_end(choices: Choices, tree: SchemaTree) -> None:
    if tree["type"] == "coordinator-key":
        tree["type"] = "metadata"
    tree["validVersions"] = pick(choices, ("0+", "2+"))


def _unknown_key(choices: Choices, tree: SchemaTree) -> None:
    owners = [tree, add_field(choices, tree)]
    pick(choices, owners)[pick(choices, ("encoding", "Versions", "comment"))] = "x"


def _range(choices: Choices, tree: SchemaTree) -> None:
    key = pick(choices, ("versions", "nullableVersions"))
    add_field(
        choices, tree, **{"type": "string", key: pick(choices, ("-1", "a", "1-2-3", "40000", "1..2", "+"))}
    )


def _kind(choices: Choices, tree: SchemaTree) -> None:
    tree["type"] = pick(choices, ("Request", "unknown", ""))


def _wrong_scalar(choices: Choices, tree: SchemaTree) -> None:
    field = add_field(choices, tree)
    key, value = pick(choices, (("ignorable", "yes"), ("mapKey", []), ("tag", "one"), ("about", {})))
    field[key] = value


def _java_word(choices: Choices, tree: SchemaTree) -> None:
    inner_fields(choices, tree).append(
        {
            "name": pick(choices, ("Default", "class", "HashCode", "ToString")),
            "type": "int8",
            "versions": "0+",
        }
    )


MESSAGE_VIOLATIONS: Final = (
    RuleViolation(15, "flexible-versions-missing", _no_flexible),
    RuleViolation(16, "flexible-versions-end", _flexible_with_end),
    RuleViolation(17, "listeners-not-request", _listeners),
    RuleViolation(18, "unstable-not-request", _unstable),
    RuleViolation(25, "valid-versions-open", _without_end),
    RuleViolation(0, "key-unknown", _unknown_key),
    RuleViolation(0, "range-malformed", _range),
    RuleViolation(0, "kind-unknown", _kind),
    RuleViolation(0, "scalar-not-coercible", _wrong_scalar),
    RuleViolation(0, "java-name", _java_word),
)

COORDINATOR_VIOLATIONS: Final = (
    RuleViolation(19, "coordinator-key-without-api-key", _key_without_api_key),
    RuleViolation(19, "coordinator-key-versions", _key_versions),
    RuleViolation(19, "coordinator-key-flexible", _key_flexible),
    RuleViolation(19, "coordinator-value-without-api-key", _value_without_api_key),
)
"""For releases that have these kinds (4.0)."""


def _field(name: str, **keys: Any) -> SchemaTree:
    return {"name": name, "type": "int8", "versions": "0+", **keys}


def _common(tree: SchemaTree, **keys: Any) -> SchemaTree:
    """Add a common struct with a unique name; a key given as None is left out."""
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
