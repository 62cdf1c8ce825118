"""Operators for the errors of a message's own keys, 15 to 19 and 25, and for its JSON."""

from typing import Final

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.schema_text import SchemaTree
from wireproof.proof.strategies.schemas.violations.rule_violation import (
    RuleViolation,
    add_field,
    as_kind,
    inner_fields,
)

__all__ = ["COORDINATOR_VIOLATIONS", "MESSAGE_VIOLATIONS"]

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
