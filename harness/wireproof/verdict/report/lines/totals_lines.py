"""Lines about the totals of a run, which several reports print."""

from collections.abc import Iterator

from wireproof.base.text.wording import counted
from wireproof.proof.checks import LENIENCIES, VERSION_FALLBACK
from wireproof.proof.run import RunFooter, Totals
from wireproof.verdict.report.text.escaping import marked

__all__ = ["limit_words", "malformed_lines", "not_asked_line", "summary_line", "trust_lines"]

_UNEXPLAINED = "that no known leniency explains; --events FILE lists them"


def malformed_lines(totals: Totals, *, brief: bool = False) -> Iterator[str]:
    """Yield the verdicts on malformed bytes, and the leniencies of Kafka by which the codec is stricter.

    Args:
        brief: leave out the leniencies that are known, and yield one line.
    """
    if not totals.verdicts:
        return
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(totals.verdicts.items()))
    unexplained = totals.laxities.get("", 0)
    if brief:
        more = f"; stricter in {counted(unexplained, 'case')} {_UNEXPLAINED}" if unexplained else ""
        yield f"Malformed bytes: {verdicts}{more}"
        return
    yield f"Malformed bytes: {verdicts}"
    summaries = {each.name: each.summary for each in (*LENIENCIES, VERSION_FALLBACK)}
    for name, cases in sorted(totals.laxities.items()):
        why = f"by {marked(name)}: {marked(summaries.get(name, ''))}" if name else _UNEXPLAINED
        yield f"  stricter than Kafka in {counted(cases, 'case')} {why}"


def not_asked_line(totals: Totals) -> str:
    """Return how many requests of how many cells were not made, and why."""
    questions, cells = counted(totals.not_asked, "question"), counted(totals.cells_not_whole, "cell")
    return f"{questions} of {cells}, because the codec had ended too often, or no time was left for hangs"


def trust_lines(totals: Totals) -> Iterator[str]:
    """Yield what each codec that promises no refusal did with values that a version cannot hold."""
    words = {"written": "were written", "refused": "refused", "failed": "ended in an undeclared error"}
    for subject, outcomes in sorted(totals.trust.items()):
        asked = sum(outcomes.get(outcome, 0) for outcome in words)
        written = outcomes.get("written", 0)
        rest = (f"{outcomes[each]:,} {words[each]}" for each in ("refused", "failed") if outcomes.get(each))
        others = f" ({', '.join(rest)})" if asked > written else ""
        of = f"{asked:,} impossible values"
        if written:
            yield f"{subject} trusts its caller: {written:,} of {of} were written{others}"
        elif asked:
            yield f"{subject} wrote none of {of}{others}; its hello may declare `refuses`"


def summary_line(event: RunFooter, findings: int) -> str:
    """Return the last line of a report: the cells, cases, bytes, findings and seconds of a run."""
    totals = event.totals
    return (
        f"{totals.cells_done} of {totals.cells_selected} cells, {totals.all_cases:,} cases, "
        f"{_bytes(totals.data_bytes)}, {counted(findings, 'finding')}, {event.duration_s:.1f} s"
    )


def limit_words(name: str, words: str) -> str:
    """Return the words of a testee's limit for people: memory, which is in bytes, in GiB."""
    return f"{int(words) / 2**30:g} GiB" if name == "memory" and words.isdecimal() else words


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
