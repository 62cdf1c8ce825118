"""The difference of two runs as text for a terminal, as Markdown and as JSON."""

import json
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, Final

from wireproof.base.text.wording import counted, first_lines, first_names
from wireproof.model.divergence import DIFFERS
from wireproof.verdict.report.comparison.run_difference import CauseChange, ComparedCause, RunDifference
from wireproof.verdict.report.comparison.run_overview import overview_of
from wireproof.verdict.report.findings import replay_command
from wireproof.verdict.report.text.escaping import bounded, code, cut, folded, table, words

_LISTED: Final = 50
"""Causes and findings of a change that are listed; JSON has all."""
_CELLS: Final = 8
"""Cells that are named where their states changed."""
_HEADS: Final = {
    CauseChange.NEW: "New",
    CauseChange.GONE: "Gone",
    CauseChange.UNCHANGED: "Unchanged",
    CauseChange.NOT_JUDGED: "Not judged any more",
}
_SHOWN: Final = (CauseChange.NEW, CauseChange.GONE, CauseChange.NOT_JUDGED)
"""The changes whose findings are listed; of unchanged ones the number is enough."""


def difference_lines(difference: RunDifference) -> Iterator[str]:
    """Yield the lines for a terminal."""
    for name, each in zip(("before", "after"), _overviews(difference), strict=True):
        yield f"{name:8}{each.line}"
    yield from _cause_lines(difference)
    for change in _SHOWN:
        causes = difference.of(change)
        if causes:
            yield ""
            yield f"{_HEADS[change]}: {counted(len(causes), 'finding')}"
        for each in causes[:_LISTED]:
            field = f" {each.key.field}:" if each.key.field else ""
            kind = "" if each.key.kind == DIFFERS else f"{each.key.kind}, "
            yield f"  {each.where}: [{each.key.check}]{field} {kind}{each.cause.summary}"
            yield f"    {counted(each.cases, 'case')} of {counted(len(each.cells), 'cell')}"
            if change is CauseChange.NEW:
                yield f"    {replay_command(each.cause.case_id, difference.after.testee)}"
        if len(causes) > _LISTED:
            yield f"  and {len(causes) - _LISTED:,} more; --format json has all"
    yield ""
    yield from _numbers(difference)


def _cause_lines(difference: RunDifference) -> Iterator[str]:
    """Yield the line of the causes, and a line for each that is gone or new."""
    if difference.new or difference.gone:
        yield ""
        yield difference.causes_line
    for word, causes in (("gone", difference.gone or ()), ("new", difference.new or ())):
        lines = [f"  {word:4}  {each.sentence}: {each.where}" for each in causes]
        yield from first_lines(lines, _LISTED, f"  {word:4}  and {{:,}} more; --format json has all")


def difference_markdown(difference: RunDifference) -> str:
    """Return the difference as a comment for a pull request: the verdict, a table, then folded lists."""
    sections = (
        [f"### wireproof: {_verdict(difference)}"],
        list(_overview_table(difference)),
        list(_cause_items(difference)),
        *(list(_folded(difference, change)) for change in _SHOWN),
        [f"- {words(line)}" for line in _numbers(difference)],
    )
    text = "\n\n".join("\n".join(lines) for lines in sections if lines)
    return bounded(f"{text}\n")


def difference_json(difference: RunDifference) -> str:
    before, after = _overviews(difference)
    document = {
        "regressed": difference.regressed,
        "before": before.as_plain(),
        "after": after.as_plain(),
        "causes": _plain_causes(difference),
        "findings": [_plain_finding(each, difference.after.testee) for each in difference.causes],
        "cells": [
            {"before": str(states[0]), "after": str(states[1]), "cells": sorted(cell.id for cell in cells)}
            for states, cells in difference.cells.items()
        ],
        "known": {entry: {"before": pair[0], "after": pair[1]} for entry, pair in difference.known.items()},
    }
    return json.dumps(document, indent=2) + "\n"


def summary_line(difference: RunDifference) -> str:
    """Return the numbers of causes and findings by their change, on one line."""
    counts = (f"{_HEADS[change].lower()} {len(difference.of(change)):,}" for change in CauseChange)
    return "; ".join(filter(None, (difference.causes_line, f"findings: {', '.join(counts)}")))


def _verdict(difference: RunDifference) -> str:
    new = difference.of(CauseChange.NEW)
    if new:
        return f"{counted(len(new), 'new finding')}."
    return "Cells without a verdict are new." if difference.regressed else "No new finding."


def _cause_items(difference: RunDifference) -> Iterator[str]:
    first, *rest = [*_cause_lines(difference)][1:] or [""]
    if first:
        yield f"**{words(first)}**"
        yield ""
    yield from (f"- {words(line.strip())}" for line in rest)


def _plain_causes(difference: RunDifference) -> dict[str, Any] | None:
    """Return the causes as plain data; None where they cannot be compared."""
    if difference.new is None or difference.gone is None:
        return None
    return {
        name: [
            {"sentence": each.sentence, "places": dict(each.places), "case": each.shortest.case_id}
            for each in causes
        ]
        for name, causes in (("new", difference.new), ("gone", difference.gone))
    }


def _overviews(difference: RunDifference) -> Any:
    observed = {CauseChange.GONE, CauseChange.NOT_JUDGED}, {CauseChange.NEW}
    for summary, own in zip((difference.before, difference.after), observed, strict=True):
        shown = {each.key for each in difference.causes if each.change in own | {CauseChange.UNCHANGED}}
        yield overview_of(summary, len(shown))


def _numbers(difference: RunDifference) -> Iterator[str]:
    yield f"unchanged findings: {len(difference.of(CauseChange.UNCHANGED)):,}"
    for (before, after), cells in difference.cells.items():
        ids = [cell.id for cell in sorted(cells, key=attrgetter("release", "message", "version"))]
        named = first_names(ids, _CELLS, " and {:,} more")
        yield f"cells, {before} before, {after} now: {len(cells):,} ({named})"
    old, new = _overviews(difference)
    if old.classes_reachable or new.classes_reachable:
        yield (
            f"classes of values met: {old.classes_met:,} of {old.classes_reachable:,} before, "
            f"{new.classes_met:,} of {new.classes_reachable:,} now"
        )
    for entry, (cases_before, cases_now) in list(difference.known.items())[:_LISTED]:
        yield f"known deviation {entry}: {counted(cases_before, 'case')} before, {cases_now:,} now"
    if len(difference.known) > _LISTED:
        yield f"and {len(difference.known) - _LISTED:,} more known deviations; --format json has all"
    yield f"seconds: {old.seconds:,.1f} before, {new.seconds:,.1f} now"


def _overview_table(difference: RunDifference) -> Iterator[str]:
    old, new = _overviews(difference)
    rows = (
        ("codec", ", ".join(old.subjects), ", ".join(new.subjects)),
        ("Kafka", ", ".join(old.releases), ", ".join(new.releases)),
        ("verdict", old.verdict, new.verdict),
        ("causes", f"{old.causes:,}", f"{new.causes:,}"),
        ("findings", f"{old.findings:,}", f"{new.findings:,}"),
        ("failed cells", f"{old.cells_failed:,}", f"{new.cells_failed:,}"),
        ("cells", f"{old.cells_done:,}", f"{new.cells_done:,}"),
        ("cases", f"{old.cases:,}", f"{new.cases:,}"),
    )
    yield from table(("", "Before", "After"), [tuple(map(words, row)) for row in rows])


def _folded(difference: RunDifference, change: CauseChange) -> Iterator[str]:
    causes = difference.of(change)
    if not causes:
        return
    title = f"{_HEADS[change]}: {counted(len(causes), 'finding')}"
    yield from folded(title, _cause_list(difference, change, causes), is_open=change is CauseChange.NEW)


def _cause_list(
    difference: RunDifference, change: CauseChange, causes: Sequence[ComparedCause]
) -> Iterator[str]:
    for each in causes[:_LISTED]:
        field = f" {code(each.key.field)}" if each.key.field else ""
        replay = code(replay_command(each.cause.case_id, difference.after.testee))
        shown = f": {replay}" if change is CauseChange.NEW else ""
        what = f"{code(each.key.check)}{field} {words(cut(each.cause.summary))}"
        yield f"- **{words(each.where)}** {what}{shown}"
    if len(causes) > _LISTED:
        yield f"- and {len(causes) - _LISTED:,} more"


def _plain_finding(each: ComparedCause, testee: str) -> dict[str, Any]:
    return {
        "change": str(each.change),
        **each.key._asdict(),
        "summary": each.cause.summary,
        "cases": each.cases,
        "cells": sorted(cell.id for cell in each.cells),
        "case": each.cause.case_id,
        "replay": replay_command(each.cause.case_id, testee),
    }
