"""The sums of a fuzz run, and its exit code."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from wireproof.base.exit_codes import ExitCode
from wireproof.definitions.fuzz.comparison import ComparisonKind, SchemaComparison
from wireproof.definitions.fuzz.fuzz_run import BlockResult, FuzzPlan

__all__ = ["FoundDisagreement", "FuzzSummary"]


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

    def add(self, block: BlockResult) -> None:
        """Add the result of a block."""
        if block.lost:
            self.lost.append(f"schemas {block.first} to {block.first + block.count - 1}: {block.lost}")
            return
        self.schemas += block.count
        self.cells += block.cells
        self.cases += block.cases
        self.kinds.update(block.kinds)
        self.keys.update(block.keys)
        for each in block.found:
            known = self.found.setdefault((each.kind, each.key), FoundDisagreement(each))
            known.count += 1
            if (len(each.text), each.number) < (len(known.least.text), known.least.number):
                known.least = each

    @property
    def exit_code(self) -> ExitCode:
        if self.interrupted:
            return ExitCode.INTERRUPTED
        if self.lost:
            return ExitCode.BROKEN
        if not self.schemas:
            return ExitCode.NOTHING_RAN
        return ExitCode.DIVERGENCE if self.found else ExitCode.PROVEN

    def as_plain(self) -> dict[str, Any]:
        """The sums as plain data, for JSON."""
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
                    "count": each.count,
                    "number": each.least.number,
                    "ours": each.least.ours,
                    "kafka": each.least.kafka,
                    "schema": each.least.text,
                }
                for each in self.found.values()
            ],
        }

    def _of(self, wanted: ComparisonKind) -> dict[str, int]:
        return {key: count for (kind, key), count in self.keys.items() if kind is wanted}
