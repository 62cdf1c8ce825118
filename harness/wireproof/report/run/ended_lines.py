"""The questions that ended a codec, and what was skipped because of them, in words."""

from collections.abc import Iterator
from typing import Final

from wireproof.model import HANG
from wireproof.report.text.escaping import marked
from wireproof.run import EndedCodec, Totals
from wireproof.wording import counted

__all__ = ["ended_line", "skipped_lines", "skipped_words"]

_LISTED: Final = 20
_DONE: Final = {HANG: "hangs", "process": "ends its process", "protocol": "breaks the protocol"}


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


def skipped_lines(totals: Totals) -> Iterator[str]:
    """Yield the requests that were skipped for the cause of a reported one; the causes of most first."""
    if not totals.skipped:
        return
    causes = sorted(totals.skipped.items(), key=lambda item: (-item[1], item[0]))
    yield skipped_words(totals)
    for case_id, count in causes[:_LISTED]:
        yield f"  {count:,} for the same cause as {marked(case_id)}"
    if len(causes) > _LISTED:
        yield f"  and {len(causes) - _LISTED:,} more causes; --events FILE writes them all down"
