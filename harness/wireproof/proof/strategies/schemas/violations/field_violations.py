"""Violations of rules, and operators for the errors of one field: 1 to 10, and 26 to 30 of the class."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.field_drawing import INTEGER_BITS
from wireproof.proof.strategies.schemas.schema_text import SchemaTree, field_lists

Change: TypeAlias = Callable[[Choices, SchemaTree], None]
"""Changes the tree of a valid message, whose own fields and structs it may add to."""


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """An operator that breaks one rule of the schema language.

    Attributes:
        error: the number of the generator's error, 1 to 41 (`kafkawire.schema.rules.refusals`);
            0 for a rule of the generator's JSON reader, or of javac.
        name: what the operator does, in lower case with hyphens.
    """

    error: int
    name: str
    apply: Change


def field_of(name: str | None = "Added", **keys: Any) -> SchemaTree:
    """A field of all versions; a key given as None is left out."""
    whole = {"name": name, "type": "int8", "versions": "0+", **keys}
    return {key: value for key, value in whole.items() if value is not None}


def add_field(choices: Choices, tree: SchemaTree, **keys: Any) -> SchemaTree:
    """Put a field into any struct of the message; the keys are those of `field_of`."""
    field = field_of(**keys)
    fields = pick(choices, field_lists(tree))
    fields.insert(choices.below(len(fields) + 1), field)
    return field


def with_field(**keys: Any) -> Change:
    """Return the change of `add_field` with these keys; a tuple stands for one of its items."""

    def apply(choices: Choices, tree: SchemaTree) -> None:
        add_field(choices, tree, **drawn_keys(choices, keys))

    return apply


def with_own_field(**keys: Any) -> Change:
    """Return the change that puts such a field at the end of the message's own fields."""

    def apply(choices: Choices, tree: SchemaTree) -> None:
        tree["fields"].append(field_of(**drawn_keys(choices, keys)))

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
    whole: dict[str, Any] = {"name": "Tagged", "taggedVersions": "0+", "tag": 0, **keys}
    field = field_of(**whole)
    inner_fields(choices, tree).append(field)
    return field


def with_tagged(**keys: Any) -> Change:
    """Return the change of `add_tagged` with these keys; a tuple stands for one of its items."""

    def apply(choices: Choices, tree: SchemaTree) -> None:
        add_tagged(choices, tree, **drawn_keys(choices, keys))

    return apply


def drawn_keys(choices: Choices, keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys with an item in place of each tuple."""
    return {key: pick(choices, value) if isinstance(value, tuple) else value for key, value in keys.items()}


def inner_fields(choices: Choices, tree: SchemaTree) -> list[SchemaTree]:
    """The list of fields of a new inline struct, whose fields may be map keys."""
    inner: list[SchemaTree] = []
    array = pick(choices, ("[]", ""))
    tree.setdefault("fields", []).append(field_of("AddedStruct", type=f"{array}AddedStruct", fields=inner))
    return inner


_NOT_NULLABLE: Final = ("bool", "int8", "int16", "int32", "int64", "uint16", "uint32", "float64", "uuid")
_NOT_TEXT: Final = ("int8", "bool", "uuid", "records", "[]int32", "float64")
_WRONG_NAMES: Final = ("A-b", "", "1a", "a_b", "ä", "a b")
_INNER: Final = [field_of("Inner")]
_WRONG_ENTITIES: Final = (("int32", "topicName"), ("string", "brokerId"), ("[]int8", "producerId"))


def _entity(choices: Choices, tree: SchemaTree) -> None:
    field_type, entity = pick(choices, _WRONG_ENTITIES)
    add_field(choices, tree, type=field_type, entityType=entity)


def _tagged_not_flexible(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, name="Added")
    tree["flexibleVersions"] = "9+"


def _wide_override(choices: Choices, tree: SchemaTree) -> None:
    tree.update(flexibleVersions="none", fields=[])
    tree.pop("commonStructs", None)
    fields = inner_fields(choices, tree)
    fields.append(field_of(type=pick(choices, ("string", "bytes")), flexibleVersions="0+"))


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
    RuleViolation(6, "fields-on-scalar", with_field(type=("int8", "string", "records"), fields=_INNER)),
    RuleViolation(7, "override-type", with_field(type=_NOT_TEXT, flexibleVersions="none")),
    RuleViolation(8, "tagged-map-key", with_tagged(mapKey=True)),
    RuleViolation(9, "tag-negative", with_tagged(tag=(-1, -2, -3))),
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
    RuleViolation(26, "top-level-map-key", with_own_field(mapKey=True)),
    RuleViolation(27, "tagged-not-flexible", _tagged_not_flexible),
    RuleViolation(28, "override-too-wide", _wide_override),
    RuleViolation(29, "tagged-records", with_tagged(type="records")),
    RuleViolation(
        30, "struct-disjoint", with_own_field(name="Outside", type="Outside", versions="9+", fields=_INNER)
    ),
)


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
    RuleViolation(37, "default-struct", with_own_field(type="AddedStruct", default="{}", fields=_INNER)),
    RuleViolation(38, "default-null", _null),
    RuleViolation(0, "array-of-bytes", _default("[]bytes", "")),
    RuleViolation(0, "array-of-records", _default("[]records", "")),
    RuleViolation(0, "tagged-zero-copy", with_tagged(type="bytes", zeroCopy=True)),
)
