"""An operator that breaks one rule, and what operators share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.schema_text import SchemaTree, field_lists

Change: TypeAlias = Callable[[Choices, SchemaTree], None]
"""Changes the tree of a valid message, whose own fields and structs it may add to."""


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """An operator that breaks one rule of the schema language.

    Attributes:
        error: the number of the generator's error, 1 to 41 (`kafkawire.schema.rules.refusals`);
            0 for one that is not a rule of the generator's own, but of its JSON reader, or of javac.
        name: what the operator does, in lower case with hyphens.
    """

    error: int
    name: str
    apply: Change


def add_field(choices: Choices, tree: SchemaTree, **keys: Any) -> SchemaTree:
    """Put a field into any struct of the message; a key given as None is left out."""
    whole = {"name": "Added", "type": "int8", "versions": "0+", **keys}
    field = {key: value for key, value in whole.items() if value is not None}
    fields = pick(choices, field_lists(tree))
    fields.insert(choices.below(len(fields) + 1), field)
    return field


def with_field(**keys: Any) -> Change:
    """Return the change of `add_field` with these keys; a tuple stands for one of its items."""

    def apply(choices: Choices, tree: SchemaTree) -> None:
        add_field(choices, tree, **_drawn(choices, keys))

    return apply


def as_flexible(tree: SchemaTree) -> None:
    """Make all versions flexible, and give a coordinator-key another kind, because it never is."""
    if tree["type"] == "coordinator-key":
        tree["type"] = "metadata"
    tree["flexibleVersions"] = "0+"


def as_kind(tree: SchemaTree, kind: str) -> None:
    """Give the message another kind that is valid with the rest of it."""
    if kind == "coordinator-key" and tree["type"] != kind:
        tree.update(validVersions="0", flexibleVersions="none", fields=[])
        tree.pop("commonStructs", None)
    tree["type"] = kind
    tree["apiKey"] = tree.get("apiKey", 1)
    if kind != "request":
        tree.pop("listeners", None)
        tree.pop("latestVersionUnstable", None)


def add_tagged(choices: Choices, tree: SchemaTree, **keys: Any) -> SchemaTree:
    """Put a struct with one tagged field at the end of the message, and return that field."""
    as_flexible(tree)
    field: SchemaTree = {"name": "Tagged", "type": "int8", "versions": "0+", "taggedVersions": "0+", "tag": 0}
    field.update(keys)
    field = {key: value for key, value in field.items() if value is not None}
    inner_fields(choices, tree).append(field)
    return field


def with_tagged(**keys: Any) -> Change:
    """Return the change of `add_tagged` with these keys; a tuple stands for one of its items."""

    def apply(choices: Choices, tree: SchemaTree) -> None:
        add_tagged(choices, tree, **_drawn(choices, keys))

    return apply


def _drawn(choices: Choices, keys: Mapping[str, Any]) -> dict[str, Any]:
    return {key: pick(choices, value) if isinstance(value, tuple) else value for key, value in keys.items()}


def inner_fields(choices: Choices, tree: SchemaTree) -> list[SchemaTree]:
    """The list of fields of a new inline struct, whose fields may be map keys."""
    inner: list[SchemaTree] = []
    array = pick(choices, ("[]", ""))
    tree.setdefault("fields", []).append(
        {"name": "AddedStruct", "type": f"{array}AddedStruct", "versions": "0+", "fields": inner}
    )
    return inner
