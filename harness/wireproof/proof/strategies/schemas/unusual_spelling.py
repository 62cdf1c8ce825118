"""Other spellings of the same definition, which Kafka's JSON reader takes for the same.

Comments, a key given twice, a single value in place of a list, numbers and truth values as strings, JSON's
null for a key that is absent.
"""

from typing import Any, Final

from wireproof.proof.strategies.schemas.choices import Choices, chance, pick
from wireproof.proof.strategies.schemas.schema_text import CommentedValue, RepeatedKey, SchemaTree

__all__ = ["respell"]

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
