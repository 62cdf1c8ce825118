"""A message definition as a tree, and its text in the JSON dialect of Kafka's generator.

The tree has JSON's nodes and two more kinds: a key that is given twice, and a value with a comment before it.
Shrinking works on the tree.
"""

import json
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast


@dataclass(frozen=True, slots=True)
class RepeatedKey:
    """A key that is given twice: `earlier` is ignored."""

    earlier: "JsonTree"
    value: "JsonTree"


@dataclass(frozen=True, slots=True)
class CommentedValue:
    """A value with a comment before it; the comment brings its own delimiters."""

    comment: str
    value: "JsonTree"


JsonTree: TypeAlias = (
    "dict[str, JsonTree] | list[JsonTree] | str | int | float | bool | RepeatedKey | CommentedValue | None"
)
SchemaTree: TypeAlias = dict[str, Any]
"""The tree of a whole message: an object with the keys of Kafka's `MessageSpec`."""

_NEW_LINE: Final = "\n"


def schema_text(tree: JsonTree) -> str:
    """The text of a tree: a line for each field, so that a problem's line names its field."""
    return _text(tree, 0) + _NEW_LINE


def _text(tree: JsonTree, depth: int) -> str:
    match tree:
        case dict():
            inner = [_member(key, value, depth + 1) for key, value in tree.items()]
            lines = depth == 0
            separator, pad = (",\n  ", "\n  ") if lines else (", ", " ")
            return f"{{{pad}{separator.join(inner)}{_NEW_LINE if lines else ' '}}}" if inner else "{}"
        case list():
            if not any(isinstance(plain_tree(item), dict) for item in tree):
                return f"[{', '.join(_text(item, depth + 1) for item in tree)}]"
            pad = _NEW_LINE + "  " * (depth + 1)
            return f"[{pad}{f',{pad}'.join(_text(item, depth + 1) for item in tree)}{pad[:-2]}]"
        case CommentedValue(comment, value):
            end = _NEW_LINE if comment.startswith("//") else " "
            return f"{comment}{end}{_text(value, depth)}"
        case RepeatedKey(_, value):
            return _text(value, depth)
        case _:
            return json.dumps(tree, ensure_ascii=False)


def _member(key: str, value: JsonTree, depth: int) -> str:
    name = json.dumps(key)
    if isinstance(value, RepeatedKey):
        return f"{name}: {_text(value.earlier, depth)}, {name}: {_text(value.value, depth)}"
    return f"{name}: {_text(value, depth)}"


def plain_tree(tree: JsonTree) -> JsonTree:
    """The value itself, without comments and without earlier values of its key."""
    while isinstance(tree, RepeatedKey | CommentedValue):
        tree = tree.value
    return tree


def field_lists(tree: SchemaTree) -> list[list[SchemaTree]]:
    """Each list of fields of a message: its own, those of common structs, those of inline structs.

    The lists are those of the tree, not copies. Single objects in place of a list are left out, and so are
    the fields of an array of scalars, which Kafka ignores.
    """
    found: list[list[SchemaTree]] = []
    message = {key: value for key, value in tree.items() if key != "type"}
    owners: list[Any] = [message, *_objects(tree.get("commonStructs"))]
    while owners:
        owner = owners.pop(0)
        fields = plain_tree(owner.get("fields"))
        if (
            isinstance(fields, list)
            and not str(plain_tree(owner.get("type"))).removeprefix("[]")[:1].islower()
        ):
            found.append(cast("list[SchemaTree]", fields))
            owners += _objects(fields)
    return found


def _objects(tree: Any) -> list[Any]:
    items = plain_tree(tree)
    return (
        [item for item in map(plain_tree, items) if isinstance(item, dict)] if isinstance(items, list) else []
    )
