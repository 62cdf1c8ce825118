"""The errors of structs: `StructSpec`, `StructRegistry` and `VersionConditional` of Kafka's generator."""

from typing import Any, Final

from kafkawire.schema.rule_table import SchemaRule as Rule
from kafkawire.schema.rules.refusals.refused_schema import RefusedSchema, field, message, struct

__all__ = ["STRUCT_ERRORS"]


def _row(number: str, pattern: str, rule: Rule, refused: str, accepted: str, **span: Any) -> RefusedSchema:
    return RefusedSchema(number, pattern, rule, (refused,), (accepted,), **span)


_B: Final = field(name="B")
_USER: Final = field("Shared")
_S: Final = field("S", fields=[_B])


def _tagged(name: str, tag: int) -> dict[str, Any]:
    return {**field(name=name), "taggedVersions": "2+", "tag": tag}


STRUCT_ERRORS: Final = (
    _row(
        "11a",
        "You must specify the version of the .* structure\\.",
        Rule.STRUCT_VERSIONS_MISSING,
        message(_USER, common=[struct(versions=None)]),
        message(_USER, common=[struct()]),
    ),
    _row(
        "11b",
        "You must specify the version of the .* structure\\.",
        Rule.VALID_VERSIONS_MISSING,
        message(validVersions=None),
        message(),
    ),
    _row(
        "11c",
        "You must specify the version of the .* structure\\.",
        Rule.STRUCT_VERSIONS_MISSING,
        message(field("S", versions=None, taggedVersions="2+", tag=0, fields=[_B])),
        message(field("S", versions="2+", taggedVersions="2+", tag=0, fields=[_B])),
        since=(4, 0),
    ),
    _row(
        "12",
        "In \\S+, field \\w+ has a duplicate tag ID \\d+\\.  ?All tags IDs must be unique\\.",
        Rule.TAG_TAKEN,
        message(_tagged("A", 0), _tagged("B", 0)),
        message(_tagged("A", 0), _tagged("B", 1)),
    ),
    _row(
        "13",
        "In \\S+, field \\w+ has a duplicate name \\w+\\. All field names must be unique\\.",
        Rule.NAME_TAKEN,
        message(field(), field()),
        message(field(), _B),
        since=(4, 0),
    ),
    _row(
        "14",
        "In \\S+, the tag IDs are not contiguous\\.  Make use of tag \\d+ before using any higher tag IDs\\.",
        Rule.TAG_GAP,
        message(_tagged("A", 1)),
        message(_tagged("A", 0)),
    ),
    _row(
        "20",
        "Can't process structure .*: the first letter of structure names must be capitalized\\.",
        Rule.STRUCT_NAME,
        message(common=[struct(name="shared")]),
        message(common=[struct()]),
    ),
    _row(
        "21",
        "Common struct .* was specified twice\\.",
        Rule.COMMON_STRUCT_TWICE,
        message(_USER, common=[struct(), struct()]),
        message(_USER, common=[struct(), struct(name="Other")]),
    ),
    _row(
        "22",
        "Can't re-specify the common struct .* as an inline struct\\.",
        Rule.COMMON_STRUCT_INLINE,
        message(field("Shared", fields=[_B]), common=[struct()]),
        message(_USER, common=[struct()]),
    ),
    _row(
        "23",
        "Struct .* was specified twice\\.",
        Rule.STRUCT_TWICE,
        message(_S, field("[]S", name="C")),
        message(_S, field("[]T", name="C", fields=[_B])),
    ),
    _row(
        "24",
        "Unable to locate a specification for the structure .*",
        Rule.STRUCT_IN_COMMON_STRUCT,
        message(_USER, common=[struct(field("S", name="C", fields=[_B]))]),
        message(_USER, common=[struct(field("S", name="C")), struct(name="S")]),
    ),
    _row(
        "30a",
        "Version ranges \\S+ and \\S+ have no versions in common\\.",
        Rule.STRUCT_WITHOUT_VERSIONS,
        message(field("S", versions="4+", fields=[_B])),
        message(field("S", versions="3+", fields=[_B])),
    ),
    _row(
        "30b",
        "Version ranges none and none have no versions in common\\.",
        Rule.VALID_VERSIONS_NONE,
        message(validVersions="none"),
        message(),
        until=(4, 0),
    ),
    _row(
        "30c",
        "Version ranges \\S+ and \\S+ have no versions in common\\.",
        Rule.COMMON_STRUCT_EMPTY_VERSIONS,
        message(common=[struct(versions="none")]),
        message(common=[struct(versions="0")]),
    ),
)
"""Errors 11 to 14 and 20 to 24, and 30 of `VersionConditional`."""
