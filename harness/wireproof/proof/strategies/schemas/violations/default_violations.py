"""Operators for the errors of defaults, 31 to 38, and for Java that does not compile."""

from typing import Final

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.default_drawing import INTEGER_BITS
from wireproof.proof.strategies.schemas.schema_text import SchemaTree
from wireproof.proof.strategies.schemas.violations.rule_violation import (
    Change,
    RuleViolation,
    add_field,
    add_tagged,
)

__all__ = ["DEFAULT_VIOLATIONS"]

_STRUCT: Final = [{"name": "Inner", "type": "int8", "versions": "0+"}]


def _default(field_type: str, *defaults: str) -> Change:
    def apply(choices: Choices, tree: SchemaTree) -> None:
        add_field(choices, tree, type=field_type, default=pick(choices, defaults))

    return apply


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


def _null(choices: Choices, tree: SchemaTree) -> None:
    name = pick(choices, ("string", "bytes", "[]int8"))
    add_field(
        choices, tree, type=name, default="null", nullableVersions=pick(choices, ("1+", "none", None, "0-5"))
    )


def _struct(choices: Choices, tree: SchemaTree) -> None:
    tree["fields"].append(
        {"name": "Added", "type": "AddedStruct", "versions": "0+", "default": "{}", "fields": _STRUCT}
    )


def _tagged_zero_copy(choices: Choices, tree: SchemaTree) -> None:
    add_tagged(choices, tree, type="bytes", zeroCopy=True)


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
    RuleViolation(0, "tagged-zero-copy", _tagged_zero_copy),
)
