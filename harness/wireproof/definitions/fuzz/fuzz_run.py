"""A run over many schemas: worker processes compare blocks of schemas, and the results are summed.

A schema always shrinks to the same result: each round tries all smaller schemas in a fixed order, and
continues with the first that still has the same disagreement.
"""

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias

from wireproof.definitions.fuzz.drawn_schemas import DrawnSchema, draw_schema
from wireproof.definitions.fuzz.oddities import ComparisonKind, SchemaComparison
from wireproof.definitions.fuzz.schema_comparer import SchemaComparer
from wireproof.power.mutant_pool import MutantPool
from wireproof.proof.strategies.schemas.schema_language import language_of
from wireproof.proof.strategies.schemas.schema_text import (
    CommentedValue,
    RepeatedKey,
    SchemaTree,
    plain_tree,
    schema_text,
)

_Path: TypeAlias = tuple[str | int, ...]
_BATCH: Final = 24
"""The number of smaller schemas that are compared together, so that javac starts only once for them."""
_MOST_ROUNDS: Final = 60
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
    tree: SchemaTree, still_disagrees: Callable[[Sequence[SchemaTree]], Iterable[bool]]
) -> SchemaTree:
    """The smallest schema found; `still_disagrees` tests schemas together, in at most `_MOST_ROUNDS`."""
    for _ in range(_MOST_ROUNDS):
        smaller = _first(list(smaller_schemas(tree)), still_disagrees)
        if smaller is None:
            break
        tree = smaller
    return tree


def _first(
    trees: Sequence[SchemaTree], still_disagrees: Callable[[Sequence[SchemaTree]], Iterable[bool]]
) -> SchemaTree | None:
    for start in range(0, len(trees), _BATCH):
        batch = trees[start : start + _BATCH]
        for tree, same in zip(batch, still_disagrees(batch), strict=True):  # the rest is not compared
            if same:
                return tree
    return None


def smaller_schemas(tree: SchemaTree) -> Iterator[SchemaTree]:
    """Each schema that is one step smaller, the largest steps first."""
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
    """Each node of a tree with its path, outer before inner; a wrapper and its value have the same path."""
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
    """Yield schemas in which the fields of an inline or common struct replace the message's own."""
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
    """Yield schemas with a simpler value of one key; an array is replaced by its element."""
    for path, node in nodes:
        if path and path[-1] == "type" and isinstance(node, str) and node.startswith("[]"):
            yield _replaced(tree, path, node.removeprefix("[]"))
        choices = _PLAINER.get(str(path[-1]), ()) if path else ()
        place = choices.index(node) if node in choices else len(choices)
        for value in choices[:place]:
            yield _replaced(tree, path, value)


JAVA_BLOCK: Final = 64
"""The number of schemas in a block, which javac compiles together."""
PLAIN_BLOCK: Final = 500
"""The number of schemas in a block without Java."""

_Cause: TypeAlias = tuple[ComparisonKind, str]
MakeComparer: TypeAlias = Callable[[], SchemaComparer]
"""Makes a comparer. It is made in the parent process, pickled, and called once in each worker."""


@dataclass(frozen=True, slots=True)
class FuzzPlan:
    """The schemas of a run, from number `first` on; `shrink` makes the first of each disagreement smaller."""

    release: str
    seed: int
    count: int
    first: int = 0
    java: bool = True
    shrink: bool = True

    def blocks(self) -> list["FuzzPlan"]:
        """The run in parts, in order."""
        size = JAVA_BLOCK if self.java else PLAIN_BLOCK
        return [
            replace(self, first=self.first + start, count=min(size, self.count - start))
            for start in range(0, self.count, size)
        ]


@dataclass(frozen=True, slots=True)
class BlockResult:
    """The result of a block.

    Attributes:
        kinds: the number of schemas of each kind.
        keys: the number of refusals and oddities by (kind, key).
        found: the disagreements.
        lost: why the block could not be judged; ``""`` if it was.
    """

    first: int
    count: int
    kinds: Counter[ComparisonKind] = field(default_factory=Counter)
    keys: Counter[tuple[ComparisonKind, str]] = field(default_factory=Counter)
    cells: int = 0
    cases: int = 0
    found: tuple[SchemaComparison, ...] = ()
    lost: str = ""


FuzzPool: TypeAlias = MutantPool[FuzzPlan, BlockResult]


def fuzz_pool(plan: FuzzPlan, make: MakeComparer, jobs: int) -> FuzzPool:
    """Return the pool that compares the blocks of a plan, in any order; each process calls `make` once."""
    return MutantPool(partial(_make_judge, make), plan.blocks(), _lost, jobs, in_order=False)


def _make_judge(make: MakeComparer) -> Callable[[FuzzPlan], BlockResult]:
    return partial(compare_block, make(), shrunk=set())


def _lost(plan: FuzzPlan, reason: str) -> BlockResult:
    return BlockResult(plan.first, plan.count, lost=reason)


def compare_block(comparer: SchemaComparer, plan: FuzzPlan, shrunk: set[_Cause] | None = None) -> BlockResult:
    """Compare the schemas of one block, and make the first one of each disagreement smaller.

    Causes in `shrunk`, whose small schema this process has, are skipped. The block's causes are added to it.
    """
    language = language_of(plan.release)
    drawn = [draw_schema(plan.seed, plan.first + index, language) for index in range(plan.count)]
    compared = comparer.compare(drawn)
    found = [cause for each in compared if each.kind.disagrees for cause in each.by_cause()]
    if plan.shrink:
        seen = set() if shrunk is None else shrunk
        found = _shrunk(comparer, {each.number: each for each in drawn}, found, seen)
    return BlockResult(
        plan.first,
        plan.count,
        Counter(each.kind for each in compared),
        Counter((each.kind, each.key) for each in compared),
        sum(each.cells for each in compared),
        sum(each.cases for each in compared),
        tuple(found),
    )


def _shrunk(
    comparer: SchemaComparer, drawn: dict[int, DrawnSchema], found: list[SchemaComparison], seen: set[_Cause]
) -> list[SchemaComparison]:
    result = []
    for each in found:
        is_new = each.cause not in seen
        result.append(shrink_comparison(comparer, drawn[each.number], each) if is_new else each)
        seen.add(each.cause)
    return result


def shrink_comparison(
    comparer: SchemaComparer, drawn: DrawnSchema, found: SchemaComparison
) -> SchemaComparison:
    """The comparison of the smallest schema with the same disagreement.

    `found` itself if the schema has no tree, or if only its construction tells that it breaks a rule: a
    smaller schema without the broken part would be valid.
    """
    if drawn.tree is None or (found.kind is ComparisonKind.CONSTRUCTION and drawn.expectation.violation):
        return found
    latest: dict[str, SchemaComparison] = {}

    def same(trees: Sequence[SchemaTree]) -> Iterator[bool]:
        # Each schema gets a different name, because all are compared together.
        batch = [
            replace(drawn, text=schema_text({**tree, "name": _named(drawn, index)}), tree=tree)
            for index, tree in enumerate(trees)
        ]
        for tree, compared in zip(trees, comparer.comparisons(batch), strict=True):
            alike = next((each for each in compared.by_cause() if each.cause == found.cause), None)
            if alike is not None:
                latest[schema_text(tree)] = alike
            yield alike is not None

    least = shrink_schema(drawn.tree, same)
    return replace(latest.get(schema_text(least), found), number=found.number, text=schema_text(least))


def _named(drawn: DrawnSchema, index: int) -> str:
    name = str(drawn.tree["name"] if drawn.tree else "")
    suffix = next((suffix for suffix in ("Request", "Response") if name.endswith(suffix)), "")
    return f"Least{index}{suffix}"
