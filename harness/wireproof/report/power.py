"""Verdicts on mutants, for people and for programs."""

import time
from typing import assert_never

from rich.console import Console
from rich.markup import escape
from rich.status import Status

from wireproof.power import Convicted, Lost, Nowhere, Planted, Summary, Survived, Verdict

__all__ = ["PowerReport", "tsv_line"]

_PLAIN_EVERY_S = 10.0
"""Seconds between two progress lines where nothing else is told and the output is no terminal."""


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


class PowerReport:
    """Tells verdicts on `console`, which should be standard error, as they come.

    Args:
        verbose: say what is wrong with each mutant and where, and show the places passed over.
    """

    def __init__(self, console: Console, summary: Summary, *, verbose: bool) -> None:
        self._console = console
        self._summary = summary
        self._verbose = verbose
        self._started = self._last_plain = time.monotonic()
        self._bug_class = ""
        self._status: Status | None = None

    def begin(self, release: str, seed: int) -> None:
        self._print(
            f"Judging {self._summary.selected} mutants of kafkawire against Kafka {release}, seed {seed}"
        )
        if self._console.is_terminal:
            self._status = self._console.status("")
            self._status.start()

    def tick(self, judged: int) -> None:
        """Now and then: how far it is."""
        words = f"{judged} of {self._summary.selected} mutants judged"
        if self._status is not None:
            self._status.update(words)
        elif time.monotonic() - self._last_plain > _PLAIN_EVERY_S:
            self._last_plain = time.monotonic()
            self._print(words)

    def tell(self, verdict: Verdict) -> None:
        match verdict:
            case Convicted(planted=planted) | Survived(planted=planted):
                self._heading(planted.bug_class)
                self._print(f"{_mark(verdict)} {_symmetry(planted.symmetric)} {escape(_words(verdict))}")
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
                self._print(f"[red]lost     [/]   {verdict.flaw}: {escape(verdict.reason)}")
            case _:
                assert_never(verdict)
        self._last_plain = time.monotonic()

    def broken(self, message: str, advice: str) -> None:
        self._print(f"[red]error:[/] {escape(message)}")
        if advice:
            self._print(escape(advice))

    def end(self) -> None:
        """The last words: what all verdicts come to."""
        if self._status is not None:
            self._status.stop()
        summary, took = self._summary, time.monotonic() - self._started
        for verdict in summary.survived:
            planted = verdict.planted
            self._print("")
            self._print(f"[red]{planted.flaw} survived[/]: {escape(planted.says)}")
            self._print(f"  at {escape(planted.place)}, {verdict.cases:,} cases in {planted.cells} cells")
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
        self._print(f"{indent}{escape(planted.says)}")
        self._print(f"{indent}in the codec ({planted.made_of}), at {escape(planted.place)}")
        for equal in planted.equals:
            self._print(f"{indent}no effect at {escape(equal.place)}: {equal.shown_by}")

    def _heading(self, bug_class: str) -> None:
        if bug_class != self._bug_class:
            self._bug_class = bug_class
            self._print(f"[bold]{bug_class}[/]")

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)


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
