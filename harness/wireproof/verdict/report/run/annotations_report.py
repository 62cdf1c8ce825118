"""The run as GitHub's workflow commands: what a pull request shows above its checks.

Each cause, and each finding that none predicts, has one line, with a file and a line of it if these are
known.
"""

from collections.abc import Iterator

from wireproof.base.text.wording import counted
from wireproof.verdict.report.findings import CauseGroup, replay_command
from wireproof.verdict.report.lines.cause_lines import cause_text, headline, search_errors
from wireproof.verdict.report.run.code_issues import cause_place, finding_place, manifest_place
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.workflow_commands import Notice, workflow_commands


def render_annotations(summary: RunSummary) -> str:
    """Return a line for each problem, the most important one first; an empty text if there is none."""
    return workflow_commands(_errors(summary), _warnings(summary))


def _errors(summary: RunSummary) -> Iterator[Notice]:
    found = summary.grouped().without_predicted(summary.causes)
    if summary.broken is not None:
        yield "wireproof: not run", f"{summary.broken.message}\n{summary.broken.advice}".strip()
    if summary.stopped:
        yield "wireproof: stopped", summary.stopped
    if found.reason is not None:
        path, line = finding_place(found.reason.findings[0], summary) or (manifest_place(summary.testee), 1)
        yield "wireproof: everything fails", found.reason.line(summary.testee), path, line
    for loss in summary.losses:
        yield f"wireproof: no verdict on {counted(len(loss.cells), 'cell')}", f"{loss.first}: {loss.reason}"
    yield from _problems(summary, fails=True)
    for claim in summary.claims:
        if claim.fails:
            yield f"wireproof: claim, {claim.fault} {claim.message}", f"{claim.line}\n{claim.advice}"
    for cause in summary.causes.ranked():
        path, line = cause_place(cause, summary) or (manifest_place(summary.testee), 1)
        yield f"wireproof: {cause.where}", cause_text(cause, summary.causes, summary.testee), path, line
    for group in found.groups:
        path, line = finding_place(group.first, summary) or (manifest_place(summary.testee), 1)
        yield f"wireproof: {group.where}", _finding(group, summary.testee), path, line


def _warnings(summary: RunSummary) -> Iterator[tuple[str, str]]:
    for words in search_errors(summary.causes):
        yield "wireproof: search for causes", words
    yield from _problems(summary, fails=False)


def _problems(summary: RunSummary, *, fails: bool) -> Iterator[tuple[str, str]]:
    for problem in summary.problems:
        if problem.fails == fails:
            yield f"wireproof: ledger, {problem.fault} {problem.entry}", "\n".join(problem.lines)


def _finding(group: CauseGroup, testee: str) -> str:
    found = group.first.divergence
    rows = (
        headline(found),
        f"codec {found.codec}" if found.codec else "",
        f"Kafka {found.oracle}" if found.oracle else "",
        f"blame {group.first.blame}" if group.first.blame else "",
        f"alike {group.alike}" if group.alike else "",
        replay_command(group.first.first.case_id, testee),
    )
    return "\n".join(row for row in rows if row)
