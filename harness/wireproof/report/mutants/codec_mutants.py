"""Verdicts on mutants, for people and for programs."""

from typing import assert_never

from rich.console import Console

from wireproof.power import Convicted, Lost, Nowhere, Planted, Summary, Survived, Verdict
from wireproof.report.mutants.progress_lines import JudgingReport
from wireproof.report.text.escaping import marked

__all__ = ["PowerReport", "tsv_line"]


def tsv_line(verdict: Verdict) -> str:
    """One verdict for programs; `-` where a column has nothing to tell."""
    match verdict:
        case Convicted(planted=planted):
            found = (verdict.check, verdict.scenario, verdict.cell.id, str(verdict.cases))
            word = "convicted"
        case Survived(planted=planted):
            found, word = ("-", "-", "-", str(verdict.cases)), "survived"
        case Nowhere():
            return _unjudged(verdict.bug_class, verdict.flaw, "nowhere", len(verdict.equals))
        case Lost():
            return _unjudged(verdict.bug_class, verdict.flaw, "lost", 0)
        case _:
            assert_never(verdict)
    about = (planted.bug_class, planted.flaw, word, "yes" if planted.symmetric else "no", planted.made_of)
    return "\t".join((*about, planted.place, str(planted.cells), *found, str(len(planted.equals))))


def _unjudged(bug_class: str, flaw: str, word: str, equals: int) -> str:
    return "\t".join((bug_class, flaw, word, *["-"] * 8, str(equals)))


class PowerReport(JudgingReport):
    """Tells verdicts on `console`, which should be standard error, as they come.

    Args:
        verbose: say what is wrong with each mutant and where, and show the places passed over.
    """

    def __init__(self, console: Console, summary: Summary, *, verbose: bool) -> None:
        super().__init__(console, summary.selected)
        self._summary = summary
        self._verbose = verbose
        self._bug_class = ""

    def begin(self, release: str, seed: int) -> None:
        """The first line."""
        number = self._summary.selected
        self._start(f"Judging {number} mutants of kafkawire against Kafka {release}, seed {seed}")

    def tell(self, verdict: Verdict) -> None:
        match verdict:
            case Convicted(planted=planted) | Survived(planted=planted):
                self._heading(planted.bug_class)
                self._print(f"{_mark(verdict)} {_symmetry(planted.symmetric)} {marked(_words(verdict))}")
                if self._verbose:
                    self._explain(planted)
            case Nowhere(equals=()):
                self._heading(verdict.bug_class)
                self._print(f"[yellow]no place [/]   {verdict.flaw}: this release has nothing that it fits")
            case Nowhere():
                self._heading(verdict.bug_class)
                places = len(verdict.equals)
                self._print(f"[red]no effect[/]   {verdict.flaw}: at none of {places} places does it show")
            case Lost():
                self._heading(verdict.bug_class)
                self._print(f"[red]lost     [/]   {verdict.flaw}: {marked(verdict.reason)}")
            case _:
                assert_never(verdict)

    def end(self) -> None:
        """The last words: what all verdicts come to."""
        summary, took = self._summary, self._stop()
        for verdict in summary.survived:
            planted = verdict.planted
            self._print("")
            self._print(f"[red]{planted.flaw} survived[/]: {marked(planted.says)}")
            self._print(f"  at {marked(planted.place)}, {verdict.cases:,} cases in {planted.cells} cells")
            self._print("  Either the plan lacks a case or a check, or the flaw has no effect there.")
        self._print("")
        convicted, number = summary.convicted, summary.median_cases
        middle = "" if number is None else f", {number:g} cases to conviction (median)"
        equals = sum(len(planted.equals) for planted in summary.planted)
        self._print(
            f"{len(convicted)} of {summary.selected - summary.unfit} mutants convicted{middle}, "
            f"{summary.symmetric} symmetric, {equals} places without effect passed over, {took:.1f} s"
        )

    def _explain(self, planted: Planted) -> None:
        indent = " " * 12
        self._print(f"{indent}{marked(planted.says)}")
        self._print(f"{indent}in the codec ({planted.made_of}), at {marked(planted.place)}")
        for equal in planted.equals:
            self._print(f"{indent}no effect at {marked(equal.place)}: {equal.shown_by}")

    def _heading(self, bug_class: str) -> None:
        if bug_class != self._bug_class:
            self._bug_class = bug_class
            self._print(f"[bold]{bug_class}[/]")


def _mark(verdict: Convicted | Survived) -> str:
    return "[green]convicted[/]" if isinstance(verdict, Convicted) else "[red]survived [/]"


def _symmetry(symmetric: bool) -> str:
    return "=" if symmetric else " "


def _words(verdict: Convicted | Survived) -> str:
    planted = verdict.planted
    if isinstance(verdict, Survived):
        return f"{planted.flaw:38} {verdict.cases:5} cases  at {planted.place}"
    place = f"{verdict.cell.id}/{verdict.scenario}"
    return f"{planted.flaw:38} {verdict.cases:5} cases  {verdict.check:12} {place}"
