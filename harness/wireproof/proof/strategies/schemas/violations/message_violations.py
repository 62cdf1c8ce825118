"""Operators for the errors of a message's own keys, 15 to 19 and 25, and for its JSON."""

from typing import Any, Final

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.schema_text import SchemaTree
from wireproof.proof.strategies.schemas.violations.field_violations import (
    Change,
    RuleViolation,
    add_field,
    add_tagged,
    as_flexible,
    as_kind,
    drawn_keys,
    field_of,
    inner_fields,
    with_tagged,
)

_NOT_REQUESTS: Final = ("response", "data", "metadata")


def with_keys(kind: str | tuple[str, ...] = "", **keys: Any) -> Change:
    """Return a change that sets the message's own keys. It chooses one item of a tuple; None deletes a key.

    Args:
        kind: the kind, or one of the kinds, that the message gets; empty if it keeps its own.
    """

    def apply(choices: Choices, tree: SchemaTree) -> None:
        if kind:
            as_kind(tree, pick(choices, kind) if isinstance(kind, tuple) else kind)
        for key, value in drawn_keys(choices, keys).items():
            if value is None:
                del tree[key]
            else:
                tree[key] = value

    return apply


def _flexible_with_end(choices: Choices, tree: SchemaTree) -> None:
    as_flexible(tree)
    tree["flexibleVersions"] = pick(choices, ("0-1", "0", "1-3", "0-32766"))


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


def _wrong_scalar(choices: Choices, tree: SchemaTree) -> None:
    field = add_field(choices, tree)
    key, value = pick(choices, (("ignorable", "yes"), ("mapKey", []), ("tag", "one"), ("about", {})))
    field[key] = value


def _java_word(choices: Choices, tree: SchemaTree) -> None:
    fields = inner_fields(choices, tree)
    fields.append(field_of(pick(choices, ("Default", "class", "HashCode", "ToString"))))


MESSAGE_VIOLATIONS: Final = (
    RuleViolation(15, "flexible-versions-missing", with_keys(flexibleVersions=None)),
    RuleViolation(16, "flexible-versions-end", _flexible_with_end),
    RuleViolation(17, "listeners-not-request", with_keys(_NOT_REQUESTS, listeners=["broker"])),
    RuleViolation(18, "unstable-not-request", with_keys(_NOT_REQUESTS, latestVersionUnstable=True)),
    RuleViolation(25, "valid-versions-open", _without_end),
    RuleViolation(0, "key-unknown", _unknown_key),
    RuleViolation(0, "range-malformed", _range),
    RuleViolation(0, "kind-unknown", with_keys(type=("Request", "unknown", ""))),
    RuleViolation(0, "scalar-not-coercible", _wrong_scalar),
    RuleViolation(0, "java-name", _java_word),
)

COORDINATOR_VIOLATIONS: Final = (
    RuleViolation(19, "coordinator-key-without-api-key", with_keys("coordinator-key", apiKey=None)),
    RuleViolation(
        19, "coordinator-key-versions", with_keys("coordinator-key", validVersions=("0-1", "1", "2-3"))
    ),
    RuleViolation(19, "coordinator-key-flexible", with_keys("coordinator-key", flexibleVersions="0+")),
    RuleViolation(19, "coordinator-value-without-api-key", with_keys("coordinator-value", apiKey=None)),
)
"""For releases that have these kinds (4.0)."""


def _common(tree: SchemaTree, **keys: Any) -> SchemaTree:
    """Add a common struct with a unique name; a key given as None is left out."""
    whole = {"name": "Common", "versions": "0+", "fields": [field_of("Inner")], **keys}
    struct = {key: value for key, value in whole.items() if value is not None}
    tree.setdefault("commonStructs", []).append(struct)
    return struct


def _versions_missing(choices: Choices, tree: SchemaTree) -> None:
    if choices.below(2) == 0:
        _common(tree, versions=None)
    else:
        add_tagged(choices, tree, type="TaggedStruct", versions=None, fields=[field_of("Inner")])


def _duplicate_tag(choices: Choices, tree: SchemaTree) -> None:
    as_flexible(tree)
    tag = {"taggedVersions": "0+", "tag": 0}
    inner_fields(choices, tree).extend([field_of("First", **tag), field_of("Second", **tag)])


def _duplicate_name(choices: Choices, tree: SchemaTree) -> None:
    inner_fields(choices, tree).extend([field_of("Same"), field_of("Same")])


def _lower_case(choices: Choices, tree: SchemaTree) -> None:
    _common(tree, name=pick(choices, ("common", "cOMMON")))


def _common_twice(choices: Choices, tree: SchemaTree) -> None:
    _common(tree)
    _common(tree)


def _respecified(choices: Choices, tree: SchemaTree) -> None:
    _common(tree)
    tree["fields"].append(
        field_of("Again", type=pick(choices, ("Common", "[]Common")), fields=[field_of("A")])
    )


def _inline_twice(choices: Choices, tree: SchemaTree) -> None:
    inner = [] if choices.below(2) else [field_of("Inner")]
    tree["fields"] += [
        field_of("First", type="Twice", fields=[field_of("Inner")]),
        field_of("Second", type="[]Twice", fields=inner),
    ]


def _inline_in_common(choices: Choices, tree: SchemaTree) -> None:
    inside = field_of("Inside", type=pick(choices, ("Unknown", "[]Unknown")), fields=[field_of("A")])
    _common(tree, fields=[inside])
    if choices.below(2):
        tree["fields"].append(field_of("Uses", type="Common"))


def _in_itself(choices: Choices, tree: SchemaTree) -> None:
    _common(tree, fields=[field_of("Own", type="[]Common")])
    tree["fields"].append(field_of("Uses", type="Common"))


STRUCT_VIOLATIONS: Final = (
    RuleViolation(11, "struct-versions-missing", _versions_missing),
    RuleViolation(12, "tag-twice", _duplicate_tag),
    RuleViolation(13, "name-twice", _duplicate_name),
    RuleViolation(14, "tag-gap", with_tagged(tag=(1, 2, 3))),
    RuleViolation(20, "struct-lower-case", _lower_case),
    RuleViolation(21, "common-struct-twice", _common_twice),
    RuleViolation(22, "common-struct-inline", _respecified),
    RuleViolation(23, "inline-struct-twice", _inline_twice),
    RuleViolation(24, "inline-struct-in-common", _inline_in_common),
    RuleViolation(0, "struct-in-itself", _in_itself),
)
