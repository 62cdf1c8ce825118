"""Drawing a whole message definition that Kafka's generator accepts.

Comments, a key given twice, a single value in place of a list, numbers and truth values as strings, JSON's
null for a key that is absent.
"""

from dataclasses import dataclass
from typing import Any, Final

from kafkawire.schema.model import VersionRange
from wireproof.proof.strategies.schemas.choices import Choices, chance, pick
from wireproof.proof.strategies.schemas.field_drawing import (
    draw_common_structs,
    draw_fields,
    open_from,
    range_tree,
)
from wireproof.proof.strategies.schemas.message_draft import MessageDraft, StructScope
from wireproof.proof.strategies.schemas.schema_language import NEWEST, SchemaLanguage
from wireproof.proof.strategies.schemas.schema_text import CommentedValue, RepeatedKey, SchemaTree

_COMMENTS: Final = ("// a comment", '/* a "comment" */', "/* over\n two lines */", "//", "/**/")
_LISTS: Final = frozenset({"fields", "commonStructs", "listeners"})
_BOOLEANS: Final = frozenset({"ignorable", "mapKey", "zeroCopy", "latestVersionUnstable"})
_NULLABLE_KEYS: Final = ("about", "entityType", "default", "nullableVersions", "tag")
_DECOYS: Final[dict[str, tuple[Any, ...]]] = {
    "versions": ("9", "none"),
    "ignorable": (True, False),
    "about": ("Another text.",),
    "default": ("", "7"),
    "name": ("Other",),
}


def respell(choices: Choices, tree: SchemaTree) -> SchemaTree:
    """The tree in another spelling; most trees stay as they are."""
    return _object(choices, tree, is_field=False) if chance(choices, 35) else tree


def _object(choices: Choices, tree: SchemaTree, *, is_field: bool) -> SchemaTree:
    result: SchemaTree = {}
    for key, value in tree.items():
        result[key] = _member(choices, key, value, is_message="validVersions" in tree)
    if is_field and chance(choices, 4):
        key = pick(choices, _NULLABLE_KEYS)
        if key not in result:
            result[key] = None
    return result


def _member(choices: Choices, key: str, value: Any, *, is_message: bool) -> Any:
    if key in _LISTS and isinstance(value, list):
        return _list(choices, key, value)
    if key in _BOOLEANS:
        value = pick(choices, (value, value, value, str(value).lower(), int(value)))
    elif key in ("tag", "apiKey") and chance(choices, 15):
        value = str(value)
    decoys = _DECOYS.get(key, ())
    if key == "type":
        decoys = ("data",) if is_message else ("int8", "Other")
    if decoys and chance(choices, 4):
        return RepeatedKey(pick(choices, decoys), value)
    return CommentedValue(pick(choices, _COMMENTS), value) if chance(choices, 3) else value


def _list(choices: Choices, key: str, items: list[Any]) -> Any:
    new = [
        _object(choices, item, is_field=key == "fields") if isinstance(item, dict) else item for item in items
    ]
    if len(new) == 1 and chance(choices, 30):
        return new[0]
    return None if not new and chance(choices, 20) else new


_KINDS: Final = ("data", "request", "response", "metadata", "header", "coordinator-value", "coordinator-key")
_COORDINATOR: Final = ("coordinator-value", "coordinator-key")
_SUFFIXES: Final = {"request": "Request", "response": "Response"}
_MOST_FIELDS: Final = 12


@dataclass(frozen=True, slots=True)
class DrawnMessage:
    """A drawn message definition.

    Attributes:
        certain: whether it is valid by its construction; else only Kafka decides.
    """

    tree: SchemaTree
    certain: bool


def draw_message(
    choices: Choices,
    stem: str = "Drawn",
    language: SchemaLanguage = NEWEST,
    *,
    plain: bool = False,
    odd_names: bool = False,
) -> DrawnMessage:
    """Draw a message.

    Args:
        stem: the name without ``Request`` or ``Response``.
        plain: draw neither retired messages nor unusual spellings, so that an operator can change the tree.
        odd_names: draw also names that Kafka may or may not accept.
    """
    kinds = [kind for kind in _KINDS if language.coordinator_kinds or kind not in _COORDINATOR]
    kind, api_key = pick(choices, kinds), choices.below(100)
    # Each part draws the same number of choices for every kind, so that a shrinker can change the kind alone.
    valid, flexible = _valid_versions(choices), pick(choices, _FLEXIBLE)
    if kind == "coordinator-key":
        valid, flexible = VersionRange(0, 0), VersionRange.NONE
    size, odd = 1 + choices.below(_MOST_FIELDS), chance(choices, 15)
    draft = MessageDraft(choices, language, valid, flexible, size, odd_names and odd)
    common = draw_common_structs(draft)
    fields = draw_fields(draft, StructScope(valid, 0))
    tree: SchemaTree = {"name": f"{stem}{_SUFFIXES.get(kind, '')}", "type": kind}
    if kind not in ("data", "header"):
        tree["apiKey"] = api_key
    if not plain and language.retired and kind != "coordinator-key" and chance(choices, 2):
        return DrawnMessage({**tree, "validVersions": "none", "fields": []}, certain=True)
    tree["validVersions"] = range_tree(choices, valid) if not plain else str(valid)
    tree["flexibleVersions"] = range_tree(choices, flexible) if not plain else str(flexible)
    _draw_head(draft, tree, kind)
    tree["fields"] = fields
    if common:
        tree["commonStructs"] = common
    return DrawnMessage(tree if plain else respell(choices, tree), certain=not draft.open)


def _valid_versions(choices: Choices) -> VersionRange:
    lowest = pick(choices, (0, 0, 0, 1, 2))
    return VersionRange(lowest, lowest + pick(choices, (0, 1, 1, 2, 3)))


_FLEXIBLE: Final = (*(open_from(lowest) for lowest in (0, 0, 0, 0, 1, 1, 2, 3, 4)), VersionRange.NONE)


def _draw_head(draft: MessageDraft, tree: SchemaTree, kind: str) -> None:
    """The keys of the message that have no effect on its bytes."""
    choices = draft.choices
    if draft.language.deprecated_versions and chance(choices, 8):
        tree["deprecatedVersions"] = range_tree(choices, VersionRange(draft.valid.lowest, draft.valid.lowest))
    if kind == "request":
        names = ["broker", "controller"] + (["zkBroker"] if draft.language.zookeeper else [])
        if chance(choices, 50):
            tree["listeners"] = [name for name in names if chance(choices, 60)]
        if chance(choices, 10):
            tree["latestVersionUnstable"] = chance(choices, 50)
    if draft.language.header_versions and kind in ("request", "response"):
        tree["headerVersions"] = _header_versions(draft, kind)


def _header_versions(draft: MessageDraft, kind: str) -> SchemaTree:
    plain, flexible = ("1", "2") if kind == "request" else ("0", "1")
    first = draft.flexible.lowest
    if draft.flexible.empty:
        return {"0+": plain}
    if first == 0:
        return {"0+": flexible}
    return {str(VersionRange(0, first - 1)): plain, f"{first}+": flexible}
