"""The run as a summary for a pull request: short enough for a comment, whatever happened."""

from collections.abc import Iterator
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.proof.run.core.run_events import Totals
from wireproof.verdict.report.findings import CauseGroup, replay_command
from wireproof.verdict.report.lines.cause_lines import cause_headline, cause_notes, cause_rows
from wireproof.verdict.report.lines.excused_lines import claims_line, skipped_words
from wireproof.verdict.report.lines.totals_lines import (
    not_asked_line,
    summary_line,
    trust_lines,
    verdict_line,
)
from wireproof.verdict.report.run_summary import RunSummary
from wireproof.verdict.report.text.escaping import (
    bounded,
    cut,
    folded,
    html_code,
    html_words,
    plain_text,
    table,
)
from wireproof.verdict.report.text.escaping import code as _code
from wireproof.verdict.report.text.escaping import words as _words

_GROUPS: Final = 20


def render_markdown(summary: RunSummary) -> str:
    """The report; never longer than `MOST_CHARACTERS`."""
    sections = (
        _opening(summary),
        _table(summary),
        _causes(summary),
        _findings(summary),
        _losses(summary),
        _known(summary),
        _claims(summary),
        _problems(summary),
        _closing(summary),
    )
    text = "\n\n".join("\n".join(lines) for section in sections if (lines := list(section)))
    return bounded(f"{text}\n")


def _opening(summary: RunSummary) -> Iterator[str]:
    started, finished = summary.started, summary.finished
    subjects = "wireproof" if started is None else ", ".join(started.subjects)
    releases = "" if started is None else f" against Kafka {_words(', '.join(started.releases))}"
    yield f"### wireproof: {_words(subjects)}{releases}"
    yield ""
    if finished is not None:
        line = verdict_line(finished, summary.number, summary.started)
        verdict, dot, rest = plain_text(line).partition(".")
        yield f"**{_words(verdict)}{dot}** {_words(rest)}".rstrip()
    if summary.broken is not None:
        yield f"**Error:** {_words(summary.broken.message)} {_words(summary.broken.advice)}".rstrip()
    if summary.stopped:
        yield f"**Stopped:** {_words(cut(summary.stopped))}"


def _causes(summary: RunSummary) -> Iterator[str]:
    causes, ranked = summary.causes, summary.causes.ranked()
    notes = list(cause_notes(causes))
    if ranked or notes:
        yield "#### Causes"
        yield ""
    if ranked:
        yield f"{_words(cause_headline(causes))}:"
        yield ""
    for number, cause in enumerate(ranked[:_GROUPS], 1):
        rows = [f"- {name} {_code(cut(text))}" for name, text in cause_rows(cause, causes, summary.testee)]
        yield from folded(f"{number}. <b>{html_words(cause.sentence)}</b> {html_words(cause.where)}", rows)
    more = [f"and {counted(len(ranked) - _GROUPS, 'more cause')}"] if len(ranked) > _GROUPS else []
    for line in (*more, *notes):
        yield ""
        yield _words(f"{line}.")


def _findings(summary: RunSummary) -> Iterator[str]:
    found = summary.grouped().without_predicted(summary.causes)
    if found.number == 0:
        return
    yield "#### Findings that no cause predicts" if len(summary.causes) else "#### Findings"
    yield ""
    if found.reason is not None:
        yield _words(found.reason.line(summary.testee))
        yield ""
    for group in found.groups[:_GROUPS]:
        yield from _finding(group, summary.testee)
    more = len(found.groups) - _GROUPS
    if more > 0:
        yield ""
        yield f"and {counted(more, 'more finding')}; `--events FILE` writes them all down"


def _finding(group: CauseGroup, testee: str) -> Iterator[str]:
    """Yield a line that unfolds: message, check, field and difference; then both sides and the command."""
    found = group.first.divergence
    place = html_code(f"{found.check} {found.path}".rstrip())
    title = f"<b>{html_words(group.where)}</b> {place} {html_code(cut(found.summary))}"
    yield from folded(title, _evidence(group, testee))


def _evidence(group: CauseGroup, testee: str) -> Iterator[str]:
    found = group.first.divergence
    yield f"- {counted(group.cases, 'case')} of {counted(len(group.cells), 'cell')}"
    if found.codec or found.oracle:
        yield f"- codec {_code(cut(found.codec))}, Kafka {_code(cut(found.oracle))}"
    if group.first.blame:
        yield f"- blame {_words(group.first.blame)}"
    if group.alike:
        yield f"- alike: {_words(group.alike)}"
    yield f"- {_code(replay_command(group.first.first.case_id, testee))}"


def _losses(summary: RunSummary) -> Iterator[str]:
    losses = list(summary.losses)
    if losses:
        yield "#### Without a verdict"
        yield ""
    for loss in losses[:_GROUPS]:
        cells = counted(len(loss.cells), "cell")
        yield f"- {cells}, such as {_code(loss.first)}: {_words(cut(loss.reason))}"
    if len(losses) > _GROUPS:
        yield f"- and for {counted(len(losses) - _GROUPS, 'more reason')}"


def _table(summary: RunSummary) -> Iterator[str]:
    """Yield a table of counts by module; by message if there is only one module."""
    counts = summary.by_module()
    by_message = len(counts) == 1
    if by_message:
        counts = summary.by_message()
    # A long table is cut, so the rows with failures or losses come first.
    order = sorted(counts.items(), key=lambda item: not (item[1].failed or item[1].lost))
    rows = [
        (_words(name), f"{each.cells:,}", f"{each.failed:,}", f"{each.lost:,}", f"{each.cases:,}")
        for name, each in order
    ]
    yield from table(("Message" if by_message else "Module", "Cells", "Failed", "Lost", "Cases"), rows)


def _known(summary: RunSummary) -> Iterator[str]:
    """Yield the known deviations that were met, those with most cases first."""
    met = summary.finished.totals.known if summary.finished is not None else {}
    rows = [
        (_code(entry).replace("|", r"\|"), f"{cases:,}", _words(cut(summary.ledger.get(entry, ""))))
        for entry, cases in sorted(met.items(), key=lambda item: (-item[1], item[0]))
    ]
    if rows:
        title = f"Known deviations: {counted(len(rows), 'entry', 'entries')}"
        yield from folded(title, table(("Entry", "Cases", "What is known"), rows))


def _claims(summary: RunSummary) -> Iterator[str]:
    """Yield the problems of the claims, and what else could be claimed."""
    claims = sorted(summary.claims, key=lambda claim: not claim.fails)
    if claims:
        yield "#### Claims"
        yield ""
    for claim in claims[:_GROUPS]:
        known = "" if claim.fails else " (good to know)"
        yield f"- {_words(claim.fault)}{known}: {_words(cut(claim.line))}"
        yield f"  {_code(cut(claim.advice))}"
    if len(claims) > _GROUPS:
        yield f"- and {len(claims) - _GROUPS:,} more"


def _problems(summary: RunSummary) -> Iterator[str]:
    problems = sorted(summary.problems, key=lambda problem: not problem.fails)
    if problems:
        yield "#### The ledger"
        yield ""
    for problem in problems[:_GROUPS]:
        warning = "" if problem.fails else " (a warning)"
        yield f"- {_code(problem.entry)} {_words(problem.fault)}{warning}: {_words(cut(problem.message))}"
        if problem.repair:
            yield f"  {_code(problem.repair)}"
    if len(problems) > _GROUPS:
        yield f"- and {len(problems) - _GROUPS:,} more"


def _closing(summary: RunSummary) -> Iterator[str]:
    if summary.finished is None:
        return
    totals = summary.finished.totals
    if totals.skipped:
        yield f"{skipped_words(totals)}."
        yield ""
    if totals.not_asked:
        yield f"Not asked: {not_asked_line(totals)}."
        yield ""
    for line in trust_lines(totals):
        yield _words(f"{line}.")
        yield ""
    if totals.classes_reachable:
        yield _coverage(totals)
        yield ""
    if totals.claims:
        yield _words(f"{claims_line(totals)}.")
        yield ""
    if summary.started is not None and summary.started.unsaid:
        yield "Without Java, so nothing is said about:"
        yield ""
        yield from (f"- {_words(words)}" for words in summary.started.unsaid)
        yield ""
    yield _words(summary_line(summary.finished, summary.number))


def _coverage(totals: Totals) -> str:
    below = counted(totals.cells_below_floor, "cell")
    floor = f"; {below} below the floor" if totals.cells_below_floor else ""
    excused = f", {totals.classes_excused:,} more in excused cases" if totals.classes_excused else ""
    met = f"{totals.classes_met:,} of {totals.classes_reachable:,} classes of values met"
    return f"Coverage: {met}{excused}{floor}."
