"""Drawing one field that Kafka's generator accepts, with any keys that its type takes.

Source: Kafka's `FieldSpec.fieldDefault`.
"""

import base64
from functools import partial
from typing import Any, Final

from kafkawire.schema.model import MAX_VERSION, VersionRange
from wireproof.proof.strategies.schemas.choices import Choices, chance, pick, shuffled
from wireproof.proof.strategies.schemas.message_draft import CommonStruct, MessageDraft, StructScope
from wireproof.proof.strategies.schemas.schema_text import SchemaTree

INTEGER_BITS: Final = {"int8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32, "int64": 64}
_UNSIGNED: Final = frozenset({"uint16", "uint32"})

_FLOATS: Final = (
    *("1.5", "-1", "NaN", "Infinity", "-Infinity", "-0.0", "0", "1e300", "4.9e-324", ".5", "5."),
    *("1f", "1.25D", "0x1p3", "-0x1.8p-2", " 2 ", "1e999", "-NaN"),
)
_STRINGS: Final = (
    *("a", "unknown", "ü", "日本", "\U0001f600", " ", "NULL", "0x10", "// no comment", "/* nor this */"),
    *('\\"', "\\\\", "\\n", "\\u0041", "\\7", "%s", "'", "x" * 200),
)


def draw_default(choices: Choices, field_type: str) -> Any:
    """A default other than null, as the value of the key; JSON's null is the same as no default."""
    if chance(choices, 4):
        return None if chance(choices, 50) else ""
    if field_type in INTEGER_BITS:
        return _integer(choices, field_type)
    match field_type:
        case "bool":
            return pick(choices, ("true", "false", True, False, "TRUE", "False"))
        case "float64":
            return pick(choices, (*_FLOATS, 1.5, -2))
        case "uuid":
            return _uuid(choices)
        case "string":
            return pick(choices, (*_STRINGS, 5, True))
        case "records":
            return pick(choices, ("", "null", "ignored"))
        case _:
            return ""


def _integer(choices: Choices, field_type: str) -> Any:
    bits = INTEGER_BITS[field_type]
    # javac takes the default of a uint32 for an int.
    highest = (1 << (bits if field_type == "uint16" else bits - 1)) - 1
    lowest = 0 if field_type in _UNSIGNED else -highest - 1
    number = pick(choices, (1, 0, 5, highest, lowest, lowest // 2, highest // 3))
    ways: tuple[Any, ...] = (str(number), str(number), number)
    if number >= 0:
        ways += (f"0x{number:x}", f"0x{number:X}", f"+{number}", f"0x0{number:x}")
        ways += (f"0{number:o}", "0x") if number < 8 else ()
    return pick(choices, ways)


def _uuid(choices: Choices) -> str:
    raw = bytes(choices.below(256) for _ in range(16)) if chance(choices, 70) else bytes(16)
    if chance(choices, 20):
        raw = b"\xff" * 16
    text = base64.urlsafe_b64encode(raw).decode()
    return text if chance(choices, 30) else text.rstrip("=")


def open_from(lowest: int) -> VersionRange:
    """The range without an end: ``3+``."""
    return VersionRange(lowest, MAX_VERSION)


def draw_within(choices: Choices, around: VersionRange) -> VersionRange:
    """A range that has a version in common with `around`: all of it, a part, or more than it."""
    lowest = around.lowest
    span = min(around.highest, lowest + 5) - lowest
    form = choices.below(10)
    if form < 4 or around.empty:
        return open_from(0)
    first = lowest + choices.below(span + 1)
    if form < 7:
        return open_from(first)
    last = first + choices.below(lowest + span - first + 1)
    if form == 7:
        return VersionRange(0, last)
    return VersionRange(first, last)


def range_tree(choices: Choices, versions: VersionRange) -> str | int:
    """A range as a value of the schema: mostly as Kafka's authors write it."""
    if chance(choices, 3):
        return odd_spelling(choices, versions)
    if versions.empty and versions != VersionRange.NONE:
        return f"{versions.lowest}-{versions.highest}"
    return str(versions)


def odd_spelling(choices: Choices, versions: VersionRange) -> str | int:
    """One of the unusual ways to write a range that `Versions.parse` accepts."""
    text = str(versions)
    if versions.empty:
        return " none " if versions == VersionRange.NONE else f"{versions.lowest}-{versions.highest}"
    lowest, highest = versions.lowest, versions.highest
    ways: list[str | int] = [
        f" {text}",
        f"{lowest}-{highest}",
        f"0{lowest}-+{highest}",
        f"{lowest}-0{highest}",
    ]
    if lowest == highest:
        ways += [lowest, f"+{lowest}"]
    return pick(choices, ways)


_SCALARS: Final = (
    *("int8", "int16", "int32", "int64", "bool", "string", "bytes", "uuid", "uint16", "uint32", "float64"),
    "records",
)
_WITH_NULL: Final = frozenset({"string", "bytes", "records"})
_ELEMENTS: Final = (
    *("int32", "string", "int8", "int16", "int64", "bool", "uuid"),
    *("uint16", "uint32", "float64"),
)
_ENTITIES: Final = {
    "string": ("topicName", "groupId", "transactionalId", "unknown"),
    "int64": ("producerId", "unknown"),
    "int32": ("brokerId", "unknown"),
}


def draw_field(draft: MessageDraft, scope: StructScope) -> SchemaTree:
    """A field; `tagged` fields have no ``tag`` yet, which their struct numbers (`struct_drawing`)."""
    draft.fields_left -= 1
    field: SchemaTree = {"name": draft.field_name(scope)}
    form = draft.choices.below(20)
    if form < 11 or scope.depth > 3:
        return _scalar_field(draft, scope, field, pick(draft.choices, _SCALARS))
    if form < 14:
        return _array_of_scalars(draft, scope, field)
    common = [each for each in draft.common if each.level > scope.level and _fits(each, scope)]
    if common and (form < 17 or scope.level >= 0):
        return _struct_field(draft, scope, field, pick(draft.choices, common).name, None)
    if scope.level >= 0:  # a common struct has no struct of its own inside
        return _scalar_field(draft, scope, field, pick(draft.choices, _SCALARS))
    inner = StructScope(VersionRange.NONE, scope.depth + 1)
    return _struct_field(draft, scope, field, draft.struct_name(), inner)


def _scalar_field(draft: MessageDraft, scope: StructScope, field: SchemaTree, name: str) -> SchemaTree:
    choices = draft.choices
    field["type"] = name
    versions = _versions(draft, scope, may_be_dead=True)
    tagged = VersionRange.NONE if name == "records" else _tagged(draft, versions)
    zero_copy = name == "bytes" and tagged.empty and chance(choices, 25)
    _write_versions(draft, field, versions, tagged, may_leave_out=True)
    if name in _WITH_NULL:
        _nullable_and_default(draft, field, versions, tagged)
    elif chance(choices, 40):
        field["default"] = draw_default(choices, name)
    if name in _ENTITIES and chance(choices, 15):
        field["entityType"] = pick(choices, _ENTITIES[name])
    if zero_copy:
        field["zeroCopy"] = True
    if name in ("string", "bytes") and chance(choices, 8):
        field["flexibleVersions"] = _override(draft, tagged)
    if scope.keys and tagged.empty and name != "records" and chance(choices, 35):
        field["mapKey"] = True
    return _finish(draft, field)


def _array_of_scalars(draft: MessageDraft, scope: StructScope, field: SchemaTree) -> SchemaTree:
    element = pick(draft.choices, _ELEMENTS)
    field["type"] = f"[]{element}"
    versions = _versions(draft, scope, may_be_dead=True)
    tagged = _tagged(draft, versions)
    _write_versions(draft, field, versions, tagged, may_leave_out=True)
    _nullable_and_default(draft, field, versions, tagged)
    if element in _ENTITIES and chance(draft.choices, 10):
        field["entityType"] = pick(draft.choices, _ENTITIES[element])
    if chance(draft.choices, 3):
        field["fields"] = [{"name": "Unread", "type": "int8", "versions": "0+"}]
    return _finish(draft, field)


def _fits(struct: CommonStruct, scope: StructScope) -> bool:
    """True if the common struct exists in all versions that a field of this scope can have."""
    return struct.versions.lowest <= scope.around.lowest and scope.around.highest <= struct.versions.highest


def _struct_field(
    draft: MessageDraft, scope: StructScope, field: SchemaTree, name: str, inner: StructScope | None
) -> SchemaTree:
    choices = draft.choices
    array = chance(choices, 60)
    field["type"] = f"[]{name}" if array else name
    versions = _versions(draft, scope, may_be_dead=False)
    tagged = _tagged(draft, versions)
    _write_versions(draft, field, versions, tagged, may_leave_out=inner is None)
    if array or draft.language.nullable_structs:
        _nullable_and_default(draft, field, versions, tagged)
    if inner is not None:
        inner.around = versions.intersect(scope.around)
        inner.keys = chance(choices, 40 if array else 5)
        empty = chance(choices, 4)
        field["fields"] = [] if empty else draw_fields(draft, inner, at_least=1)
    return _finish(draft, field)


def _versions(draft: MessageDraft, scope: StructScope, *, may_be_dead: bool) -> VersionRange:
    if may_be_dead and chance(draft.choices, 4):
        above = min(scope.around.highest, draft.valid.highest) + 1
        return pick(draft.choices, (VersionRange.NONE, open_from(above), VersionRange(2, 1)))
    return draw_within(draft.choices, scope.around.intersect(draft.valid))


def _tagged(draft: MessageDraft, versions: VersionRange) -> VersionRange:
    """The tagged versions: mostly none; else without an end, flexible, and within the field's versions."""
    if draft.flexible.empty or versions.highest != MAX_VERSION or not chance(draft.choices, 30):
        return VersionRange.NONE
    lowest = max(draft.flexible.lowest, versions.lowest)
    if draft.language.free_tagged_versions and chance(draft.choices, 25):
        lowest += 1
    return open_from(lowest)


def _write_versions(
    draft: MessageDraft,
    field: SchemaTree,
    versions: VersionRange,
    tagged: VersionRange,
    *,
    may_leave_out: bool,
) -> None:
    same = not tagged.empty and tagged == versions
    if not (same and may_leave_out and chance(draft.choices, 30)):
        field["versions"] = range_tree(draft.choices, versions)
    if not tagged.empty:
        field["taggedVersions"] = range_tree(draft.choices, tagged)
    elif chance(draft.choices, 2):
        field["taggedVersions"] = "none"


def _nullable_and_default(
    draft: MessageDraft, field: SchemaTree, versions: VersionRange, tagged: VersionRange
) -> None:
    choices = draft.choices
    nullable = VersionRange.NONE
    if chance(choices, 45):
        nullable = _nullable(draft, versions, tagged)
        field["nullableVersions"] = range_tree(choices, nullable)
    if nullable.covers(versions) and not nullable.empty and not versions.empty and chance(choices, 50):
        field["default"] = "null"
    elif chance(choices, 30):
        name = str(field["type"])
        field["default"] = draw_default(choices, name)


def _nullable(draft: MessageDraft, versions: VersionRange, tagged: VersionRange) -> VersionRange:
    """Nullable versions: all tagged ones or none of them."""
    form = draft.choices.below(5)
    if form < 3 or versions.empty:
        return open_from(min(versions.lowest, 0) if form == 0 else versions.lowest)
    first = versions.lowest + draft.choices.below(3)
    if tagged.empty:
        return open_from(first) if form == 3 else VersionRange(versions.lowest, first)
    if tagged.lowest > versions.lowest and form == 4:
        return VersionRange(versions.lowest, tagged.lowest - 1)
    return open_from(min(first, tagged.lowest))


def _override(draft: MessageDraft, tagged: VersionRange) -> str | int:
    """A field's own flexible versions: none, or a part of the message's that includes all tagged versions."""
    if draft.flexible.empty or (tagged.empty and chance(draft.choices, 50)):
        return "none"
    lowest = draft.flexible.lowest if tagged.empty else tagged.lowest
    return range_tree(draft.choices, open_from(lowest))


def _finish(draft: MessageDraft, field: SchemaTree) -> SchemaTree:
    if chance(draft.choices, 40):
        field["ignorable"] = True
    if chance(draft.choices, 15):
        field["about"] = pick(draft.choices, ("Text.", "The // and /* here are text.", ""))
    return field


_MORE_PERCENT: Final = 72


def draw_fields(draft: MessageDraft, scope: StructScope, *, at_least: int = 0) -> list[SchemaTree]:
    """The fields of a struct, with tags from 0 in any order over the tagged ones."""
    fields: list[SchemaTree] = []

    def next_field() -> SchemaTree | None:
        """Draw the decision and the field as one part, so that a shrinker removes both."""
        more = chance(draft.choices, _MORE_PERCENT) and draft.fields_left > 0
        return draw_field(draft, scope) if more or len(fields) < at_least else None

    while (field := draft.choices.group(next_field)) is not None:
        fields.append(field)
    tagged = [field for field in fields if field.get("taggedVersions", "none") != "none"]
    for tag, field in enumerate(shuffled(draft.choices, tagged)):
        field["tag"] = tag
    return fields


def draw_common_structs(draft: MessageDraft) -> list[SchemaTree]:
    """Up to three common structs, in any order; each may have fields of those drawn before it."""
    count = max(0, draft.choices.below(14) - 10)
    structs = [draft.choices.group(partial(_common_struct, draft, level)) for level in range(count, 0, -1)]
    return shuffled(draft.choices, structs)


def _common_struct(draft: MessageDraft, level: int) -> SchemaTree:
    versions = open_from(0)
    if chance(draft.choices, 20):
        versions = (
            VersionRange(0, draft.valid.highest)
            if chance(draft.choices, 50)
            else open_from(draft.valid.lowest)
        )
    keys = chance(draft.choices, 30)
    name = draft.struct_name()
    scope = StructScope(versions.intersect(draft.valid), 1, level, keys)
    struct: SchemaTree = {"name": name, "versions": range_tree(draft.choices, versions)}
    struct["fields"] = draw_fields(draft, scope, at_least=1)
    draft.common.append(CommonStruct(name, versions, level, keys))
    return struct
