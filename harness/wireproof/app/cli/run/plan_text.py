"""The plan of a run in words: what ``wireproof run --dry-run`` prints."""

from collections import Counter
from collections.abc import Iterator

from wireproof.app.assembly.run_plan import RunPlan
from wireproof.base.text.wording import counted
from wireproof.verdict.report.failure_files import LAST_FAILED, read_failed_cells


def plan_lines(plan: RunPlan) -> Iterator[str]:
    """Yield a line for each part of the plan."""
    header = plan.started()
    rows = [
        ("codec", ", ".join(header.subjects)),
        ("runs in", header.where),
        ("against", header.authority),
        ("Kafka", ", ".join(header.releases)),
        ("jars", counted(len(header.jars), "jar") if header.jars else ""),
        ("phases", ", ".join(map(str, header.phases))),
        ("mutations", str(header.mutations)),
        ("examples", f"{plan.options.examples} random instances of a cell, seed {header.seed}"),
        ("ledger", counted(len(header.ledger), "entry", "entries") if header.ledger else "none"),
        ("processes", f"{plan.jobs}"),
        ("cells", f"{header.cells:,} of {header.cells_offered:,}"),
    ]
    for name, text in rows:
        if text:
            yield f"{name:10} {text}"
    modules = Counter((cell.release, cell.module) for cell in plan.cells)
    for (release, module), number in sorted(modules.items()):
        yield f"{'':10} {release} {module}: {counted(number, 'cell')}"
    if plan.config.last_failed:
        yield last_failed_line(plan)


def last_failed_line(plan: RunPlan) -> str:
    """Return what ``--last-failed`` selected, in words."""
    failed = read_failed_cells(LAST_FAILED, plan.subject.word)
    number = sum(cell.id in failed for cell in plan.cells)
    if not number:
        return "--last-failed: none of the selected cells failed last, so all of them are proven"
    return f"--last-failed: {counted(number, 'cell')} failed last"
