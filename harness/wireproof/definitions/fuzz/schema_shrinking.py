"""Shrinking a schema by deletion and by plainer values, while its disagreement stays the same.

The same schema always shrinks to the same one: each round tries all smaller schemas in a fixed order, and
goes on with the first that still disagrees in the same way.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from wireproof.proof.strategies.schemas.schema_text import CommentedValue, RepeatedKey, SchemaTree, plain_tree

__all__ = ["shrink_schema", "smaller_schemas"]

_Path: TypeAlias = tuple[str | int, ...]
_BATCH: Final = 24
"""Smaller schemas that are compared together: javac's start is paid once."""
_PLAINER: Final[dict[str, tuple[Any, ...]]] = {
    "validVersions": ("0", "0-1"),
    "flexibleVersions": ("0+", "none"),
    "versions": ("0+",),
    "nullableVersions": ("0+",),
    "taggedVersions": ("0+",),
    "type": ("data", "int8", "[]int8", "string"),
    "default": ("1", "null"),
    "apiKey": (0,),
    "name": ("A",),
}
_NEEDED: Final = frozenset({"name", "type", "validVersions", "versions"})


def shrink_schema(
    tree: SchemaTree, still_disagrees: Callable[[Sequence[SchemaTree]], Sequence[bool]], most_rounds: int = 60
) -> SchemaTree:
    """The smallest schema found.

    Args:
        still_disagrees: tests schemas together.
        most_rounds: the most schemas on the way to the smallest one.
    """
    for _ in range(most_rounds):
        smaller = _first(list(smaller_schemas(tree)), still_disagrees)
        if smaller is None:
            break
        tree = smaller
    return tree


def _first(
    trees: Sequence[SchemaTree], still_disagrees: Callable[[Sequence[SchemaTree]], Sequence[bool]]
) -> SchemaTree | None:
    for start in range(0, len(trees), _BATCH):
        batch = trees[start : start + _BATCH]
        for tree, same in zip(batch, still_disagrees(batch), strict=True):
            if same:
                return tree
    return None


def smaller_schemas(tree: SchemaTree) -> Iterator[SchemaTree]:
    """Each schema that is a step smaller, the boldest steps first."""
    plain = _unwrapped(tree)
    if plain != tree:
        yield plain
    nodes = list(_nodes(tree))
    yield from _without_items(tree, nodes)
    yield from _hoisted(tree, nodes)
    yield from _without_keys(tree, nodes)
    for path, node in nodes:
        if isinstance(node, RepeatedKey | CommentedValue):
            yield _replaced(tree, path, node.value)
    yield from _plainer(tree, nodes)


def _nodes(tree: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    """Each node of a tree with its path, outer before inner; of a wrapped value both, with the same path."""
    yield path, tree
    inner = plain_tree(tree)
    if isinstance(inner, dict):
        for key, value in inner.items():
            yield from _nodes(value, (*path, key))
    elif isinstance(inner, list):
        for index, value in enumerate(inner):
            yield from _nodes(value, (*path, index))


def _unwrapped(tree: Any) -> Any:
    inner = plain_tree(tree)
    if isinstance(inner, dict):
        return {key: _unwrapped(value) for key, value in inner.items()}
    return [_unwrapped(value) for value in inner] if isinstance(inner, list) else inner


def _replaced(tree: SchemaTree, path: _Path, new: Any) -> SchemaTree:
    """A copy of the tree with another node at the path; ``...`` removes the node."""
    result = copy.deepcopy(tree)
    owner: Any = result
    for step in path[:-1]:
        owner = plain_tree(plain_tree(owner)[step])  # type: ignore[index]
    owner = plain_tree(owner)
    if new is ...:
        del owner[path[-1]]
    else:
        owner[path[-1]] = new
    return result


def _without_items(tree: SchemaTree, nodes: Sequence[tuple[_Path, Any]]) -> Iterator[SchemaTree]:
    """Yield schemas without all items of a list, then without each: common structs and fields, with the tags
    closed up.
    """
    for path, node in nodes:
        if path and isinstance(node, list) and node:
            yield _replaced(tree, path, [])
            if path[-1] == "commonStructs":
                yield _replaced(tree, path, ...)
            for index in range(len(node)):
                rest = [copy.deepcopy(item) for place, item in enumerate(node) if place != index]
                yield _replaced(tree, path, _renumbered(rest))


def _renumbered(fields: list[Any]) -> list[Any]:
    tagged = [field for field in map(plain_tree, fields) if isinstance(field, dict) and "tag" in field]
    numbers = [plain_tree(field["tag"]) for field in tagged]
    if all(isinstance(number, int) and number >= 0 for number in numbers) and len(set(numbers)) == len(
        numbers
    ):
        for tag, field in enumerate(sorted(tagged, key=lambda each: int(str(plain_tree(each["tag"]))))):
            field["tag"] = tag
    return fields


def _hoisted(tree: SchemaTree, nodes: Sequence[tuple[_Path, Any]]) -> Iterator[SchemaTree]:
    """Yield schemas with the fields of an inline or common struct in the place of the message's own."""
    for path, node in nodes:
        if len(path) > 1 and path[-1] == "fields" and isinstance(node, list):
            yield _replaced(tree, ("fields",), copy.deepcopy(node))


def _without_keys(tree: SchemaTree, nodes: Sequence[tuple[_Path, Any]]) -> Iterator[SchemaTree]:
    for path, _ in nodes:
        if path and isinstance(path[-1], str) and path[-1] not in _NEEDED:
            yield _replaced(tree, path, ...)
    for path, node in nodes:
        if isinstance(node, dict) and path and "tag" in node:
            yield _replaced(tree, path, {k: v for k, v in node.items() if k not in ("tag", "taggedVersions")})


def _plainer(tree: SchemaTree, nodes: Sequence[tuple[_Path, Any]]) -> Iterator[SchemaTree]:
    """Yield schemas with a plainer value of one key, unless it is plain already: of an array its element."""
    for path, node in nodes:
        if path and path[-1] == "type" and isinstance(node, str) and node.startswith("[]"):
            yield _replaced(tree, path, node.removeprefix("[]"))
        choices = _PLAINER.get(str(path[-1]), ()) if path else ()
        place = choices.index(node) if node in choices else len(choices)
        for value in choices[:place]:
            yield _replaced(tree, path, value)
