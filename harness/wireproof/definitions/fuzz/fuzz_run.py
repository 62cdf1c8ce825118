"""A run over many schemas: blocks of them over worker processes, and the sums."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeAlias

from wireproof.definitions.fuzz.comparison import ComparisonKind, SchemaComparison
from wireproof.definitions.fuzz.drawn_schemas import DrawnSchema, draw_schema
from wireproof.definitions.fuzz.schema_comparer import SchemaComparer
from wireproof.definitions.fuzz.schema_shrinking import shrink_schema
from wireproof.power.mutant_pool import MutantPool
from wireproof.proof.run.engine.worker_pool import WorkerBroken
from wireproof.proof.strategies.schemas.schema_language import language_of
from wireproof.proof.strategies.schemas.schema_text import SchemaTree, schema_text

__all__ = ["BlockResult", "FuzzPlan", "FuzzRun", "MakeComparer", "compare_block"]

JAVA_BLOCK: Final = 64
"""Schemas of a block: javac compiles them together."""
PLAIN_BLOCK: Final = 500
"""Schemas of a block without Java."""

_Cause: TypeAlias = tuple[ComparisonKind, str]
MakeComparer: TypeAlias = Callable[[], SchemaComparer]
"""Made in the parent, pickled, called once in each worker."""


@dataclass(frozen=True, slots=True)
class FuzzPlan:
    """The schemas of a run.

    Attributes:
        first: the number of the first schema.
        shrink: make the first schema of each disagreement smaller.
    """

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
        keys: (kind, key) of refusals and oddities, and how many there are.
        found: the disagreements.
        lost: why the block could not be judged; ``""`` where it could.
    """

    first: int
    count: int
    kinds: Counter[ComparisonKind] = field(default_factory=Counter)
    keys: Counter[tuple[ComparisonKind, str]] = field(default_factory=Counter)
    cells: int = 0
    cases: int = 0
    found: tuple[SchemaComparison, ...] = ()
    lost: str = ""


class FuzzRun:
    """Compares the schemas of a plan. Use as a context manager: leaving it ends every process.

    Args:
        make: called once in each worker process.
    """

    def __init__(self, plan: FuzzPlan, make: MakeComparer, jobs: int) -> None:
        self.plan = plan
        self._pool: MutantPool[FuzzPlan, BlockResult] = MutantPool(
            partial(_make_judge, make), plan.blocks(), _lost, jobs, in_order=False
        )

    def __enter__(self) -> "FuzzRun":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.__exit__()

    def results(self) -> Iterator[BlockResult | WorkerBroken | None]:
        """Yield the result of each block as it arrives, and None now and then."""
        return self._pool.run()


def _make_judge(make: MakeComparer) -> Callable[[FuzzPlan], BlockResult]:
    return partial(compare_block, make(), shrunk=set())


def _lost(plan: FuzzPlan, reason: str) -> BlockResult:
    return BlockResult(plan.first, plan.count, lost=reason)


def compare_block(comparer: SchemaComparer, plan: FuzzPlan, shrunk: set[_Cause] | None = None) -> BlockResult:
    """Compare the schemas of one block, and make the first one of each disagreement smaller.

    Args:
        shrunk: the causes of which this process has a small schema already; those of the block are added.
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
    comparer: SchemaComparer,
    drawn: dict[int, DrawnSchema],
    found: list[SchemaComparison],
    seen: set[_Cause],
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

    `found` itself, if the schema has no tree, or if only its construction says that it breaks a rule: without
    the broken part it would be a valid schema.
    """
    if drawn.tree is None or (found.kind is ComparisonKind.CONSTRUCTION and drawn.expectation.violation):
        return found
    latest: dict[str, SchemaComparison] = {}

    def same(trees: "list[SchemaTree]") -> list[bool]:
        # Each gets a name of its own, because they are compared together.
        batch = [
            replace(drawn, text=schema_text({**tree, "name": _named(drawn, index)}), tree=tree)
            for index, tree in enumerate(trees)
        ]
        hits = []
        for tree, compared in zip(trees, comparer.compare(batch), strict=True):
            alike = next((each for each in compared.by_cause() if each.cause == found.cause), None)
            hits.append(alike is not None)
            if alike is not None:
                latest[schema_text(tree)] = alike
        return hits

    least = shrink_schema(drawn.tree, same)  # type: ignore[arg-type]
    return replace(latest.get(schema_text(least), found), number=found.number, text=schema_text(least))


def _named(drawn: DrawnSchema, index: int) -> str:
    name = str(drawn.tree["name"] if drawn.tree else "")
    suffix = next((suffix for suffix in ("Request", "Response") if name.endswith(suffix)), "")
    return f"Least{index}{suffix}"
