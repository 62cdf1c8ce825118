"""Drawing the fields of a struct, and the common structs of a message."""

from functools import partial
from typing import Final

from kafkawire.schema.model import VersionRange
from wireproof.proof.strategies.schemas.choices import chance, shuffled
from wireproof.proof.strategies.schemas.field_drawing import draw_field
from wireproof.proof.strategies.schemas.message_draft import CommonStruct, MessageDraft, StructScope
from wireproof.proof.strategies.schemas.range_drawing import open_from, range_tree
from wireproof.proof.strategies.schemas.schema_text import SchemaTree

__all__ = ["draw_common_structs", "draw_fields"]

_MORE_PERCENT: Final = 72


def draw_fields(draft: MessageDraft, scope: StructScope, *, at_least: int = 0) -> list[SchemaTree]:
    """The fields of a struct, with tags from 0 in any order over the tagged ones."""
    fields: list[SchemaTree] = []

    def next_field() -> SchemaTree | None:
        """The decision and the field are one part: a shrinker removes both."""
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
