"""The words about causes and findings: every report takes its headline and its rows from here."""

import shlex
from collections.abc import Iterator
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.model.divergence import DIFFERS, Divergence
from wireproof.proof.checks.check_table import ROWS
from wireproof.proof.deviations.search.exchange_words import REFUSES
from wireproof.verdict.report.causes import Cause, Causes
from wireproof.verdict.report.findings import CauseGroup, replay_command
from wireproof.verdict.report.text.escaping import marked

_SHOWN: Final = 8
"""Causes that are printed in full; the rest get a sentence and a command each, up to `_LISTED`."""
_LISTED: Final = 20
_FIX: Final = 6
"""The index of the row with that command."""
_MARGIN: Final = 14 * " "


def cause_headline(causes: Causes) -> str:
    """``2 causes predict the codec's answer in 55 of 56 failed cases``."""
    verb = "predicts" if len(causes) == 1 else "predict"
    predicted = f"{causes.failed - causes.rest:,} of {counted(causes.failed, 'failed case')}"
    return f"{counted(len(causes), 'cause')} {verb} the codec's answer in {predicted}"


def cause_rows(cause: Cause, causes: Causes, testee: str = "") -> list[tuple[str, str]]:
    """Return the facts about a cause, each with its name; an empty `testee` is our own codec."""
    shortest = cause.shortest
    cases = f"{cause.predicted:,} of {counted(causes.failed, 'failed case')}"
    refused = cause.kafka == "refused" or shortest.kafka.startswith(REFUSES)
    return [
        ("where", cause.where),
        ("predicts", f"{cases}, in {counted(len(cause.places), 'message')}"),
        ("asked", shortest.request),
        ("codec", shortest.codec),
        ("Kafka", shortest.kafka if refused else f"{shortest.kafka} ({cause.kafka})"),
        ("replay", replay_command(shortest.case_id, testee)),
        *([("fix", try_command(cause, testee))] if testee else []),
    ]


def try_command(cause: Cause, testee: str) -> str:
    """Return the command that tries a cause again, for after a fix."""
    return shlex.join(["wireproof", "run", "--testee", testee, "--cause", cause.id])


def cause_text(cause: Cause, causes: Causes, testee: str = "") -> str:
    """Return the sentence of a cause and its rows, a line each."""
    rows = (f"{name}: {text}" for name, text in cause_rows(cause, causes, testee))
    return "\n".join((cause.sentence, *rows))


def cause_notes(causes: Causes) -> Iterator[str]:
    """Yield notes on flaky, stale or constant answers, and on failures that no cause predicts."""
    for request, one, other in list(causes.flaky.values())[:1]:
        where = counted(len(causes.flaky), "cell")
        yield f"The codec is flaky in {where}: it answers {request} with {one}, and then with {other}"
    for request, answer in list(causes.stale.values())[:1]:
        where = counted(len(causes.stale), "cell")
        yield f"The codec keeps an answer in {where}: it answers {request} as the question before: {answer}"
    for answer in list(causes.constant.values())[:1]:
        where = counted(len(causes.constant), "cell")
        yield f"The answers of the codec do not depend on the input in {where}: always {answer}"
    if len(causes) and causes.rest:
        yield f"Rest: {counted(causes.rest, 'failed case')} that no cause predicts"
    if causes.exhausted:
        cells = counted(causes.exhausted, "cell")
        yield f"The search for causes reached its bound in {cells}: there may be more causes"
    yield from search_errors(causes)


def search_errors(causes: Causes) -> Iterator[str]:
    """Yield a line for each error that ended a search for causes. Its failures count as not predicted."""
    for error, cells in causes.errors.items():
        where = counted(cells, "cell")
        yield f"The search for causes ended in an error of wireproof in {where}, please report it: {error}"


def cause_lines(causes: Causes, testee: str = "") -> Iterator[str]:
    """Yield the causes, with markup: the first ones in full, then what no cause predicts."""
    ranked = causes.ranked()
    if ranked:
        yield ""
        yield f"[bold]{cause_headline(causes)}:[/]"
    for number, cause in enumerate(ranked[:_LISTED], 1):
        yield f"[bold red]{number:3}[/]  {marked(cause.sentence)}"
        rows = cause_rows(cause, causes, testee)
        for name, text in rows if number <= _SHOWN else rows[_FIX:]:
            yield f"     [dim]{name:8}[/] {marked(text, _MARGIN)}"
    if len(ranked) > _LISTED:
        yield f"     and {counted(len(ranked) - _LISTED, 'more cause')}; --html FILE shows all of them"
    for note in cause_notes(causes):
        yield f"[yellow]{note}[/]"


_ROW_MARGIN: Final = 11 * " "
_WIDTH: Final = 200
"""Characters of a value in a line."""


def headline(divergence: Divergence) -> str:
    """Return ``[CHECK] FIELD: SUMMARY``."""
    field = f" {divergence.path}" if divergence.path else ""
    return f"[{divergence.check}]{field}: {divergence.summary}"


def finding_lines(group: CauseGroup, testee: str = "") -> Iterator[str]:
    """Yield findings that look alike with markup, the first in full; an empty `testee` is our own codec."""
    finding = group.first
    divergence = finding.divergence
    yield f"[bold red]{marked(group.where)}:[/] {marked(divergence.summary)}"
    rows = [
        ("check", f"{divergence.check}: {ROWS[divergence.check].verifies}"),
        ("subject", divergence.subject),
        ("blame", finding.blame),
        ("field", f"{divergence.path} ({divergence.field})" if divergence.field else divergence.path),
        ("at byte", "" if divergence.offset is None else str(divergence.offset)),
        ("codec", divergence.codec),
        ("Kafka", divergence.oracle),
        ("agrees", divergence.opinions),
        ("kind", "" if divergence.kind == DIFFERS else divergence.kind),
        ("ledger", divergence.near),
        ("case", finding.first.case_id),
        ("value", _shortened(finding.value or "")),
        ("seen in", f"{counted(group.cases, 'case')} of {counted(len(group.cells), 'cell')}"),
        ("alike", group.alike),
        ("replay", replay_command(finding.first.case_id, testee)),
    ]
    for name, text in rows:
        if text:
            yield f"  [dim]{name:8}[/] {marked(text, _ROW_MARGIN)}"


def _shortened(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}... ({len(text)} characters)"
