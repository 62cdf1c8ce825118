"""The sentence that a run ends with: what is proven, or what is missing for that."""

from collections.abc import Iterator
from typing import Final

from wireproof.base.text.wording import counted
from wireproof.model import Phase
from wireproof.proof.run import DEFAULT_PHASES, KAFKA, ExitCode, RunFooter, RunHeader, Totals

__all__ = ["classes_line", "parts_covered", "verdict_line"]

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
    """The phases that ran, where one of the default plan did not; else empty."""
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
        f"{totals.classes_excused:,} more only in cases that a known Kafka bug or the ledger excuses; "
        if totals.classes_excused
        else ""
    )
    return (
        f"{totals.classes_met:,} of {totals.classes_reachable:,} classes of values met; {excused}"
        f"{totals.classes_unreachable:,} more are out of reach (wireproof cells --uncovered)"
    )
