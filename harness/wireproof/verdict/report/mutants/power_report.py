"""Reports on the mutants of our own codec: lines for the terminal, and tab-separated values."""

from typing import assert_never

from rich.console import Console

from wireproof.base.text.wording import counted
from wireproof.power import (
    CodecMutationSummary,
    CodecVerdict,
    InapplicableOperator,
    KilledMutant,
    LostMutant,
    MutantDescription,
    SurvivingMutant,
)
from wireproof.verdict.report.mutants.progress_lines import MutationProgress
from wireproof.verdict.report.text.escaping import marked

__all__ = ["PowerReport", "tsv_line"]


def tsv_line(verdict: CodecVerdict) -> str:
    """Format one verdict as tab-separated values; `-` marks an empty column."""
    match verdict:
        case KilledMutant(mutant=mutant):
            found = (verdict.check, verdict.scenario, verdict.cell.id, str(verdict.cases))
            word = "killed"
        case SurvivingMutant(mutant=mutant):
            found, word = ("-", "-", "-", str(verdict.cases)), "survived"
        case InapplicableOperator():
            return _unjudged(verdict.bug_class, verdict.operator, "not applicable", len(verdict.equivalents))
        case LostMutant():
            return _unjudged(verdict.bug_class, verdict.operator, "lost", 0)
        case _:
            assert_never(verdict)
    about = (mutant.bug_class, mutant.operator, word, "yes" if mutant.symmetric else "no", mutant.made_of)
    return "\t".join((*about, mutant.place, str(mutant.cells), *found, str(len(mutant.equivalents))))


def _unjudged(bug_class: str, operator: str, word: str, equivalents: int) -> str:
    return "\t".join((bug_class, operator, word, *["-"] * 8, str(equivalents)))


class PowerReport(MutationProgress):
    """Prints verdicts on `console`, which should be standard error, as they come.

    Args:
        verbose: also print each mutant's bug and site, and the sites where it has no effect.
    """

    def __init__(self, console: Console, summary: CodecMutationSummary, *, verbose: bool) -> None:
        super().__init__(console, summary.selected)
        self._summary = summary
        self._verbose = verbose
        self._bug_class = ""

    def begin(self, release: str, seed: int) -> None:
        """Print the first line."""
        number = self._summary.selected
        self._start(f"Judging {counted(number, 'mutant')} of kafkawire against Kafka {release}, seed {seed}")

    def verdict(self, verdict: CodecVerdict) -> None:
        """Print the line of a verdict."""
        match verdict:
            case KilledMutant(mutant=mutant) | SurvivingMutant(mutant=mutant):
                self._heading(mutant.bug_class)
                self._print(f"{_mark(verdict)} {_symmetry(mutant.symmetric)} {marked(_words(verdict))}")
                if self._verbose:
                    self._explain(mutant)
            case InapplicableOperator(equivalents=()):
                self._heading(verdict.bug_class)
                self._print(f"[yellow]no site  [/]   {verdict.operator}: this release has no site for it")
            case InapplicableOperator():
                self._heading(verdict.bug_class)
                sites = len(verdict.equivalents)
                self._print(
                    f"[red]no effect[/]   {verdict.operator}: at none of {sites} sites has it an effect"
                )
            case LostMutant():
                self._heading(verdict.bug_class)
                self._print(f"[red]lost     [/]   {verdict.operator}: {marked(verdict.reason)}")
            case _:
                assert_never(verdict)

    def end(self) -> None:
        """Print the survivors and the sums."""
        summary, took = self._summary, self._stop()
        for verdict in summary.survived:
            mutant = verdict.mutant
            self._print("")
            self._print(f"[red]{mutant.operator} survived[/]: {marked(mutant.description)}")
            self._print(
                f"  at {marked(mutant.place)}, {counted(verdict.cases, 'case')} "
                f"in {counted(mutant.cells, 'cell')}"
            )
            self._print(
                "  Either the plan lacks a case or a check, or the mutant is equivalent to the codec."
            )
        self._print("")
        killed, number = summary.killed, summary.median_cases
        middle = "" if number is None else f", {number:g} cases to detection (median)"
        equivalents = sum(len(mutant.equivalents) for mutant in summary.mutants)
        self._print(
            f"{len(killed)} of {summary.selected - summary.unfit} mutants killed{middle}, "
            f"{summary.symmetric} symmetric, {equivalents} sites without effect skipped, {took:.1f} s"
        )

    def _explain(self, mutant: MutantDescription) -> None:
        indent = " " * 12
        self._print(f"{indent}{marked(mutant.description)}")
        self._print(f"{indent}in the codec ({mutant.made_of}), at {marked(mutant.place)}")
        for site in mutant.equivalents:
            self._print(f"{indent}no effect at {marked(site.place)}: {site.evidence}")

    def _heading(self, bug_class: str) -> None:
        if bug_class != self._bug_class:
            self._bug_class = bug_class
            self._print(f"[bold]{bug_class}[/]")


def _mark(verdict: KilledMutant | SurvivingMutant) -> str:
    return "[green]killed   [/]" if isinstance(verdict, KilledMutant) else "[red]survived [/]"


def _symmetry(symmetric: bool) -> str:
    return "=" if symmetric else " "


def _words(verdict: KilledMutant | SurvivingMutant) -> str:
    mutant = verdict.mutant
    if isinstance(verdict, SurvivingMutant):
        return f"{mutant.operator:38} {verdict.cases:5} cases  at {mutant.place}"
    place = f"{verdict.cell.id}/{verdict.scenario}"
    return f"{mutant.operator:38} {verdict.cases:5} cases  {verdict.check:12} {place}"
