"""The sums of a fuzz run, and its exit code."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wireproof.base.exit_codes import ExitCode
from wireproof.definitions.fuzz.comparison import ComparisonKind, SchemaComparison
from wireproof.definitions.fuzz.fuzz_run import BlockResult, FuzzPlan


@dataclass(slots=True)
class FoundDisagreement:
    """The disagreements of one cause.

    Attributes:
        least: the one with the shortest schema; of several the one with the lowest number.
    """

    least: SchemaComparison
    count: int = 0


@dataclass(slots=True)
class FuzzSummary:
    """The sums; the same for the same plan, however the blocks were spread over processes.

    Attributes:
        lost: why each lost block could not be judged.
    """

    plan: FuzzPlan
    schemas: int = 0
    cells: int = 0
    cases: int = 0
    kinds: Counter[ComparisonKind] = field(default_factory=Counter)
    keys: Counter[tuple[ComparisonKind, str]] = field(default_factory=Counter)
    found: dict[tuple[ComparisonKind, str], FoundDisagreement] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    interrupted: bool = False

    def add(self, block: BlockResult) -> list[SchemaComparison]:
        """Add the result of a block; the disagreements that are the least of their cause now."""
        if block.lost:
            self.lost.append(f"schemas {block.first} to {block.first + block.count - 1}: {block.lost}")
            return []
        self.schemas += block.count
        self.cells += block.cells
        self.cases += block.cases
        self.kinds.update(block.kinds)
        self.keys.update(block.keys)
        changed = {}
        for each in block.found:
            known = self.found.setdefault(each.cause, FoundDisagreement(each))
            known.count += 1
            if known.least is each or _size(each) < _size(known.least):
                known.least = changed[each.cause] = each
        return list(changed.values())

    @property
    def disagreeing(self) -> int:
        """The number of schemas with a disagreement; one may have several causes."""
        return sum(count for kind, count in self.kinds.items() if kind.disagrees)

    @property
    def exit_code(self) -> ExitCode:
        if self.interrupted:
            return ExitCode.INTERRUPTED
        if self.lost:
            return ExitCode.BROKEN
        if not self.schemas:
            return ExitCode.NOTHING_RAN
        return ExitCode.DIVERGENCE if self.found else ExitCode.PROVEN

    def as_plain(self, files: Mapping[tuple[ComparisonKind, str], str]) -> dict[str, Any]:
        """The sums as plain data, for JSON.

        Args:
            files: the kept file of each cause.
        """
        plan = self.plan
        return {
            "release": plan.release,
            "seed": plan.seed,
            "java": plan.java,
            "wanted": plan.count,
            "schemas": self.schemas,
            "versions": self.cells,
            "cases": self.cases,
            "interrupted": self.interrupted,
            "kinds": {str(kind): self.kinds[kind] for kind in ComparisonKind},
            "refused": dict(sorted(self._of(ComparisonKind.REFUSED).items())),
            "oddities": dict(sorted(self._of(ComparisonKind.ODDITY).items())),
            "lost": self.lost,
            "disagreements": [
                {
                    "kind": str(each.least.kind),
                    "key": each.least.key,
                    "field": each.least.field,
                    "case": each.least.case,
                    "count": each.count,
                    "number": each.least.number,
                    "file": files.get(each.least.cause, ""),
                    "ours": each.least.ours,
                    "kafka": each.least.kafka,
                    "schema": each.least.text,
                }
                for each in self.found.values()
            ],
        }

    def _of(self, wanted: ComparisonKind) -> dict[str, int]:
        return {key: count for (kind, key), count in self.keys.items() if kind is wanted}


def _size(found: SchemaComparison) -> tuple[int, int]:
    return len(found.text), found.number
