"""The lines about the ground of a run, known from its start: place, limits, messages, ledger, Java."""

from collections.abc import Iterator

from wireproof.base.text.wording import counted
from wireproof.proof.run import RunHeader
from wireproof.verdict.report.lines.totals_lines import limit_words
from wireproof.verdict.report.text.escaping import marked

__all__ = ["ground_lines", "ledger_line", "unsaid_lines"]


def ground_lines(event: RunHeader) -> Iterator[str]:
    """Yield the lines that a brief report leaves out."""
    if event.where:
        held = "; ".join(f"{name}: {limit_words(name, words)}" for name, words in event.enforced.items())
        yield f"It runs in {event.where}{f', held to: {held}' if held else ''}"
    retired = sum(event.retired.values())
    if retired and not event.where:
        yield f"{retired} retired messages have no valid version, and so no cell"
    if event.ledger:
        yield ledger_line(event)


def ledger_line(event: RunHeader) -> str:
    """Return the number of the ledger's entries, and why they are not used where they are not."""
    entries = f"{len(event.ledger):,} {'entry' if len(event.ledger) == 1 else 'entries'} of the ledger"
    of = f", which is of version {event.ledger_of}: nothing is held against it" if event.ledger_of else ""
    return f"{entries}{of}"


def unsaid_lines(started: RunHeader | None, *, brief: bool) -> Iterator[str]:
    """Yield the questions that a run without Java leaves open; with markup."""
    unsaid = [] if started is None else [marked(words) for words in started.unsaid]
    if unsaid and brief:
        yield f"Without Java {counted(len(unsaid), 'question')} stay open (--verbose lists them)"
    elif unsaid:
        yield "Without Java, so nothing is said about:"
        yield from (f"  - {words}" for words in unsaid)
