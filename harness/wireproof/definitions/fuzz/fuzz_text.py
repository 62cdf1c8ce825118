"""The text of a fuzz run: each disagreement, the progress and the sums."""

import shlex
from collections.abc import Iterator

from wireproof.base.text.wording import counted
from wireproof.definitions.fuzz import ComparisonKind, FuzzSummary, SchemaComparison

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
    """The progress of the run, in one line."""
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
