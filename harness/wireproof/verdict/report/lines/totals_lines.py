"""Lines about the totals of a run, which several reports print."""

from collections.abc import Iterator
from typing import Final

from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted, first_names
from wireproof.model.cell import Phase
from wireproof.proof.checks.known_defects.leniencies import LENIENCIES, MORE_LENIENCIES
from wireproof.proof.config.selection import DEFAULT_PHASES
from wireproof.proof.run.core.run_events import KAFKA, ForkHeader, RunFooter, RunHeader, Totals
from wireproof.verdict.report.text.escaping import marked

_UNEXPLAINED = "that no known leniency explains; --events FILE lists them"


def malformed_lines(totals: Totals, *, brief: bool = False) -> Iterator[str]:
    """Yield the verdicts on malformed bytes, and unless brief the leniencies that the codec lacks."""
    if not totals.verdicts:
        return
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(totals.verdicts.items()))
    unexplained = totals.laxities.get("", 0)
    if brief:
        more = f"; stricter in {counted(unexplained, 'case')} {_UNEXPLAINED}" if unexplained else ""
        yield f"Malformed bytes: {verdicts}{more}"
        return
    yield f"Malformed bytes: {verdicts}"
    summaries = {each.name: each.summary for each in (*LENIENCIES, *MORE_LENIENCIES)}
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
    """Return the words of a testee's limit for people. Bytes become MiB, or GiB from 1 GiB on."""
    if name not in ("memory", "temporary files") or not words.isdecimal():
        return words
    size = int(words)
    return f"{size / 2**30:g} GiB" if size >= 2**30 else f"{size / 2**20:g} MiB"


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


_VERDICTS: Final = {
    ExitCode.DIVERGENCE: "[bold red]Not proven.[/] The codec and Kafka differ: {findings}.",
    ExitCode.NOTHING_RAN: "[bold red]Nothing ran.[/] No case was tried, so nothing is proven.",
    ExitCode.MISSING: "[bold red]Not run.[/] Something the run needs is missing.",
    ExitCode.BROKEN: "[bold red]Not proven.[/] The harness or Kafka failed: {lost} without a verdict.",
    ExitCode.LEDGER: "[bold red]The ledger is wrong[/] in {problems}; it explains all that differs.",
    ExitCode.BELOW_FLOOR: "[bold yellow]Incomplete.[/] Not every {what} was reached; all that was agrees.",
    ExitCode.INTERRUPTED: "[bold yellow]Interrupted.[/] What was found so far is above.",
}


def verdict_line(event: RunFooter, findings: int, started: RunHeader | None) -> str:
    """The last line but one of a report, with markup."""
    if event.exit_code is ExitCode.PROVEN:
        return _without_divergence(event.totals, started)
    totals = event.totals
    if event.exit_code is ExitCode.DIVERGENCE and not findings:
        places = counted(totals.claim_problems, "place")
        return f"[bold red]Not proven.[/] What the codec says of itself is wrong in {places}."
    return _VERDICTS[event.exit_code].format(
        findings=counted(findings, "finding"),
        lost=counted(totals.cells_lost, "cell"),
        what=_unreached(totals),
        problems=counted(totals.ledger_problems, "place"),
    )


def _without_divergence(totals: Totals, started: RunHeader | None) -> str:
    """The verdict of a run with exit code 0. It is *Proven* only where the coverage floor is met."""
    authority = KAFKA if started is None else started.authority
    known = f", but for {counted(len(totals.known), 'known deviation')}" if totals.known else ""
    if started is not None and started.phases == (Phase.CORPUS,) and not started.cells_offered:
        return f"[bold green]Verified.[/] Every entry agrees with {authority}."
    parts = list(parts_covered(totals, started))
    if parts and (_phases(started) or _unmet(totals)):
        return (
            f"[bold yellow]Partial run without a divergence{known}:[/] {', '.join(parts)}. "
            f"All that was tried agrees with {authority}."
        )
    cells = f" for {parts[0]}" if parts else ""
    rest = "All else" if known else "Every case of these" if parts else "Every case of every cell"
    return f"[bold green]Proven{cells}{known}.[/] {rest} agrees with {authority}."


def parts_covered(totals: Totals, started: RunHeader | None) -> Iterator[str]:
    """Yield the cells, phases and classes of values that a partial run covers; nothing for a whole run."""
    if started is not None and totals.cells_selected < started.cells_offered:
        yield f"{totals.cells_selected} of {counted(started.cells_offered, 'cell')}"
    if phases := _phases(started):
        yield phases
    if _unmet(totals):
        yield f"{totals.classes_met:,} of {totals.classes_reachable:,} classes of values"


def _phases(started: RunHeader | None) -> str:
    """Return the phases that ran, if a phase of the default plan did not; else an empty text."""
    if started is None or not started.phases or set(DEFAULT_PHASES) <= set(started.phases):
        return ""
    if started.phases == (Phase.CORPUS,):
        return "the entries of the corpus alone"
    names = [phase.value for phase in started.phases]
    return f"the phases {' and '.join(filter(None, (', '.join(names[:-1]), names[-1])))} alone"


def _unmet(totals: Totals) -> int:
    """Return the number of reachable classes that no case met, not even an excused one."""
    return max(0, totals.classes_reachable - totals.classes_met - totals.classes_excused)


def _unreached(totals: Totals) -> str:
    if totals.cells_done < totals.cells_selected:
        return "cell"
    if totals.cells_not_whole > 0:
        return "question"
    claims = totals.claims_below_floor and not totals.cells_below_floor
    return "claim" if claims else "class of values"


def classes_line(totals: Totals) -> str:
    """Return the number of classes of values that were met, over all cells done."""
    excused = (
        f"{totals.classes_excused:,} more only in cases that a known Kafka bug, the ledger or a limit "
        "excuses; "
        if totals.classes_excused
        else ""
    )
    return (
        f"{totals.classes_met:,} of {totals.classes_reachable:,} classes of values met; {excused}"
        f"{totals.classes_unreachable:,} more are out of reach (wireproof cells --uncovered)"
    )


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
    """Return the number of the ledger's entries, and the reason if the run does not use them."""
    entries = f"{counted(len(event.ledger), 'entry', 'entries')} of the ledger"
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


_LISTED = 10


def fork_lines(fork: ForkHeader) -> Iterator[str]:
    """Yield the definitions of a fork, and the oracle that its messages are compared with."""
    held = counted(len(fork.messages), "message")
    changed = f", {len(fork.changed)} in place of Kafka's" if fork.changed else ""
    names = first_names(fork.messages, _LISTED)
    yield f"{fork.release}: {held} of {fork.folder} ({fork.sha256[:12]}){changed}: {names}"
    if fork.classes:
        yield f"Oracle of these messages: {fork.classes}. Of the others: Kafka's own classes."
