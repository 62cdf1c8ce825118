"""The sums of a fuzz run with its exit code and its text, and the schemas that are kept."""

import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from wireproof.base.exit_codes import ExitCode
from wireproof.base.files.replacement import replace_file
from wireproof.base.text.wording import counted
from wireproof.definitions.fuzz.fuzz_run import BlockResult, FuzzPlan
from wireproof.definitions.fuzz.oddities import ComparisonKind, SchemaComparison


@dataclass(slots=True)
class FoundDisagreement:
    """The disagreements of one cause; `least` has the shortest schema, then the lowest number."""

    least: SchemaComparison
    count: int = 0


@dataclass(slots=True)
class FuzzSummary:
    """The sums, which do not depend on the order of the blocks, and the reasons for lost blocks."""

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
        """Add the result of a block; return the disagreements that are now the least of their cause."""
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
        """The sums as plain data, for JSON, with the kept file of each cause."""
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


_TITLES = {
    ComparisonKind.STRICTER: "wireproof refuses a schema that Kafka accepts",
    ComparisonKind.LAXER: "wireproof accepts a schema that Kafka refuses",
    ComparisonKind.CAUSE: "wireproof and Kafka refuse a schema for different causes",
    ComparisonKind.VALUES: "a codec of wireproof and Kafka's class differ",
    ComparisonKind.CONSTRUCTION: "wireproof's verdict is not the one that the schema was made for",
    ComparisonKind.CRASH: "wireproof failed",
}


def disagreement_lines(found: SchemaComparison, count: int, file: str) -> Iterator[str]:
    """The lines of one disagreement: its cause and field, what each side says, and the least schema."""
    yield f"{_TITLES[found.kind]}: {found.key or 'no rule'}"
    if found.field:
        yield f"  field      {found.field}"
    if found.case:
        yield f"  case       {found.case}"
    yield f"  wireproof  {found.ours or 'accepts it'}"
    yield f"  Kafka      {' '.join(found.kafka.split()) or 'accepts it'}"
    yield f"  seen in    {counted(count, 'schema')}; the least is of number {found.number}"
    if file:
        yield f"  file       {file}"
        yield f"  replay     wireproof schema fuzz --replay {shlex.quote(file)}"
    yield from (f"  | {line}" for line in found.text.rstrip().splitlines())
    yield ""


def progress_line(summary: FuzzSummary, seconds: float) -> str:
    rate = summary.schemas / seconds if seconds > 0 else 0.0
    causes = counted(len(summary.found), "cause")
    return f"{summary.schemas:,} of {summary.plan.count:,} schemas, {rate:,.1f}/s, {causes} of disagreement"


def summary_lines(summary: FuzzSummary, seconds: float) -> Iterator[str]:
    """The sums at the end."""
    kinds = summary.kinds
    authority = f"Kafka's generator of {summary.plan.release}" if summary.plan.java else "their construction"
    yield from summary.lost
    for (kind, key), count in sorted(summary.keys.items()):
        if kind is ComparisonKind.ODDITY:
            yield f"oddity {key}: {count}"
    counts = (
        f"{kinds[ComparisonKind.ACCEPTED]:,} accepted by both",
        f"{kinds[ComparisonKind.REFUSED]:,} refused for the same cause",
        f"{kinds[ComparisonKind.ODDITY]:,} with a known oddity",
        f"{summary.disagreeing:,} in disagreement",
    )
    yield f"{summary.schemas:,} schemas against {authority}: {', '.join(counts)}"
    rate = summary.schemas / seconds if seconds > 0 else 0.0
    yield f"{summary.cells:,} versions, {summary.cases:,} cases, {seconds:.1f} s, {rate:,.1f} schemas/s"


_TITLE: Final = "// A schema on which wireproof and Kafka's generator disagree."
_LINE: Final = re.compile(r"// (\w+): (.*)")


@dataclass(frozen=True, slots=True)
class KeptSchema:
    """A kept schema, the release of its generator, or ``""``, and the kind of its disagreement then."""

    text: str
    release: str = ""
    kind: str = ""


def keep_schema(folder: Path, release: str, found: SchemaComparison) -> Path:
    """Write a disagreement to the file of its cause, in place of an earlier one."""
    digest = hashlib.sha256("/".join(found.cause).encode()).hexdigest()[:8]
    slug = re.sub(r"[^a-z0-9]+", "-", found.key.lower()).strip("-")[:60] or "unknown"
    path = folder / f"{found.kind}-{slug}-{digest}.json"
    facts = {
        "release": release,
        "kind": found.kind,
        "cause": found.key or "unknown",
        "field": found.field,
        "case": found.case,
        "ours": found.ours or "accepted",
        "kafka": found.kafka or "accepted",
    }
    lines = (f"// {name}: {' '.join(str(text).split())}" for name, text in facts.items() if text)
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(path, "\n".join([_TITLE, *lines]) + f"\n{found.text}")
    return path


def read_kept(text: str) -> KeptSchema:
    """Read a kept schema, or any other schema file."""
    matches = map(_LINE.fullmatch, text.splitlines()[:8])
    facts: dict[str, str] = {match[1]: match[2] for match in matches if match}
    return KeptSchema(text, facts.get("release", ""), facts.get("kind", ""))
