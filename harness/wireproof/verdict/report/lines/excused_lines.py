"""The lines about excused differences: known Kafka bugs, limits of the codec, entries of the ledger."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from wireproof.base.text.wording import counted, first_lines
from wireproof.model.adapter import NO_DEFAULT
from wireproof.model.codec_ends import HANG
from wireproof.model.repertoire import ClaimProblem
from wireproof.proof.checks.known_defects.kafka_bugs import KAFKA_BUGS
from wireproof.proof.checks.known_defects.leniencies import VERSION_FALLBACK
from wireproof.proof.run.core.cell_events import EndedCodec
from wireproof.proof.run.core.run_events import RunHeader, Totals
from wireproof.verdict.report.text.escaping import marked

_LISTED: Final = 20
_LIMITS: Final = {
    NO_DEFAULT: "it has no default for the field that a case leaves out",
    VERSION_FALLBACK.name: "it may read an answer with UNSUPPORTED_VERSION as version 0 (KIP-511)",
}
"""Limits that the harness finds: no testee names them."""


def excused_lines(totals: Totals, started: RunHeader | None, *, brief: bool) -> Iterator[str]:
    """Yield a line for each excuse, or one line for all of them; with markup."""
    if brief:
        yield from _counts(totals)
        return
    summaries = {bug.witness: bug.summary for bug in KAFKA_BUGS}
    for witness, cases in totals.errata.items():
        summary = marked(summaries.get(witness, ""))
        yield f"Known Kafka bug {marked(witness)}, met in {counted(cases, 'case')}: {summary}"
    limits = {} if started is None else started.limits
    for limit, cases in totals.unsupported.items():
        why = marked(limits.get(limit) or _LIMITS.get(limit, "it has no JSON"))
        yield f"Left out {counted(cases, 'case')} by the codec's limit {marked(limit)}: {why}"
    yield from _known(totals, {} if started is None else started.ledger)


def _known(totals: Totals, ledger: Mapping[str, str]) -> Iterator[str]:
    """Yield the known deviations that were met, those of most cases first."""
    met = sorted(totals.known.items(), key=lambda item: (-item[1], item[0]))
    for entry, cases in met[:_LISTED]:
        reason = marked(ledger.get(entry, ""))
        yield f"Known deviation {marked(entry)}, met in {counted(cases, 'case')}: {reason}"
    if len(met) > _LISTED:
        yield f"  and {len(met) - _LISTED} more; --events FILE writes them all down"


def _counts(totals: Totals) -> Iterator[str]:
    """Yield the cases of each sort of excuse in one line; nothing where no case is excused."""
    sorts = {
        "by known Kafka bugs": totals.errata,
        "by the codec's limits": totals.unsupported,
        "by known deviations": totals.known,
    }
    words = [f"{sum(cases.values()):,} {sort}" for sort, cases in sorts.items() if cases]
    if words:
        yield f"Excused cases (--verbose names each excuse): {', '.join(words)}"


_DONE: Final = {HANG: "hangs", "process": "ends its process", "protocol": "breaks the protocol"}
_LINES: Final = 3
"""The most lines during a run for one operator whose questions end the process, which costs little time."""


class EndedCodecs:
    """The questions that hung or ended a codec in a run. Each hang has a line, because it costs seconds.

    An operator of malformed bytes may end the process at hundreds of fields. The first few have lines, and
    `lines` gives the number of all.
    """

    def __init__(self) -> None:
        self._ends: Counter[tuple[str, str]] = Counter()

    def line(self, event: EndedCodec) -> str | None:
        """Count a question; return its line, or None if questions of its operator have enough lines."""
        operator = event.end.at.operator or "a value"
        self._ends[event.end.error, operator] += 1
        if event.end.error == HANG:
            return ended_line(event)
        count = self._ends[event.end.error, operator]
        if count > _LINES:
            return None
        more = f" (the end gives the number of others with {marked(operator)})" if count == _LINES else ""
        return f"{ended_line(event)}{more}"

    def lines(self) -> Iterator[str]:
        """Yield a line for each way to end, with the number of questions of each operator."""
        for error in sorted({error for error, _ in self._ends}):
            counts = {operator: count for (each, operator), count in self._ends.items() if each == error}
            by_operator = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
            words = ", ".join(f"{count:,} {operator}" for operator, count in by_operator)
            done = _DONE.get(error, error).capitalize()
            yield f"{done} at {counted(sum(counts.values()), 'question')}: {marked(words)}"


def ended_line(event: EndedCodec) -> str:
    """Return the line for a question that hung or ended the codec, with the time that is left for hangs."""
    end = event.end
    done = _DONE.get(end.error, end.error)
    place = marked(event.case_id or str(event.cell))
    site = f", {end.site}" if end.site else ""
    left = f"; {end.left_s:.0f} s left for hangs" if end.error == HANG else ""
    words = end.words.partition("\n")[0]  # a backtrace is in the events
    return f"[yellow]{done}[/] {place}{marked(site)}: {marked(end.subject)}: {marked(words)}{left}"


def skipped_words(totals: Totals) -> str:
    """Return the number of skipped requests, and why, in a line."""
    questions, causes = sum(totals.skipped.values()), len(totals.skipped)
    reported = f"{counted(causes, 'reported one')}, which hung the codec or ended it"
    return f"Skipped: {counted(questions, 'question')} for the same cause as {reported}"


def skipped_lines(totals: Totals, *, brief: bool = False) -> Iterator[str]:
    """Yield the numbers of requests that a reported cause made a run skip; if brief, only their sum."""
    if not totals.skipped:
        return
    causes = sorted(totals.skipped.items(), key=lambda item: (-item[1], item[0]))
    yield skipped_words(totals)
    if brief:
        return
    lines = [f"  {count:,} for the same cause as {marked(case_id)}" for case_id, count in causes]
    yield from first_lines(lines, _LISTED, "  and {:,} more causes; --events FILE writes them all down")


def claims_line(totals: Totals) -> str:
    """Return the number of claims that were tried with what Kafka's classes made."""
    return (
        f"claims exercised {totals.claims_exercised:,} of {totals.claims:,} (message, version, direction) "
        "with values or bytes made by Java"
    )


def claim_lines(totals: Totals, claims: Sequence[ClaimProblem], *, brief: bool = False) -> Iterator[str]:
    """Yield the number of claims tried, their problems, and what else works; with markup.

    Args:
        brief: count the claims that are good to know, and list none of them; nothing where all is well.
    """
    good_to_know = sum(not claim.fails for claim in claims)
    if brief:
        claims = [claim for claim in claims if claim.fails]
    if totals.claims and not (brief and not good_to_know and totals.claims_exercised == totals.claims):
        counted_only = f"; {good_to_know} more good to know (--verbose)" if brief and good_to_know else ""
        yield f"{claims_line(totals)}{counted_only}"
    for fails, headline in ((True, "[red]claim:[/]"), (False, "[yellow]claim, good to know:[/]")):
        listed = [claim for claim in claims if claim.fails is fails]
        for claim in listed[:_LISTED]:
            yield f"{headline} {marked(claim.fault)} {marked(claim.line)}"
            yield f"  {marked(claim.advice)}"
        if len(listed) > _LISTED:
            yield f"  and {len(listed) - _LISTED} more; --events FILE writes them all down"
