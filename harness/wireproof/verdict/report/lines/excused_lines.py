"""The lines about excused differences: known Kafka bugs, limits of the codec, entries of the ledger."""

from collections.abc import Iterator, Mapping
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.model import NO_DEFAULT
from wireproof.proof.checks import KAFKA_BUGS, VERSION_FALLBACK
from wireproof.proof.run import RunHeader, Totals
from wireproof.verdict.report.text.escaping import marked

__all__ = ["excused_lines"]

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
