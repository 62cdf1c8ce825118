"""The questions that ended a codec, and what was skipped because of them, in words."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.model import HANG
from wireproof.proof.run import EndedCodec, Totals
from wireproof.verdict.report.text.escaping import marked

__all__ = ["EndedCodecs", "ended_line", "skipped_lines", "skipped_words"]

_LISTED: Final = 20
_DONE: Final = {HANG: "hangs", "process": "ends its process", "protocol": "breaks the protocol"}
_LINES: Final = 3
"""Lines while the run goes for questions of one operator that end the process, which costs little time."""


class EndedCodecs:
    """The questions of a run that ended a codec: each hang has a line, as it takes seconds of the run.

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
    """A line for a question that hung the codec or ended it, with the time that is left for such."""
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
    """Yield the requests that were skipped for the cause of a reported one; the causes of most first.

    Args:
        brief: count the causes, and list none of them.
    """
    if not totals.skipped:
        return
    causes = sorted(totals.skipped.items(), key=lambda item: (-item[1], item[0]))
    yield skipped_words(totals)
    if brief:
        return
    for case_id, count in causes[:_LISTED]:
        yield f"  {count:,} for the same cause as {marked(case_id)}"
    if len(causes) > _LISTED:
        yield f"  and {len(causes) - _LISTED:,} more causes; --events FILE writes them all down"
