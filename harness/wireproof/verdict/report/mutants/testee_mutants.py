"""Verdicts on mutants of testees, for people and for programs."""

from collections import Counter
from dataclasses import asdict
from typing import Any, Final, assert_never

from rich.console import Console

from wireproof.base.text import foreign_text
from wireproof.base.text.wording import counted
from wireproof.power.testees import (
    GOAL,
    KilledVerdict,
    LostVerdict,
    MaskedVerdict,
    MutantVerdict,
    MutationSummary,
    NotAskedVerdict,
    StillbornVerdict,
    SurvivedVerdict,
    UnchangedVerdict,
)
from wireproof.verdict.report.mutants.progress_lines import MutationProgress
from wireproof.verdict.report.text.escaping import marked

__all__ = ["MutantReport", "json_text", "mutant_tsv"]

_WORDS: Final[dict[type, tuple[str, str]]] = {
    KilledVerdict: ("killed", "green"),
    MaskedVerdict: ("masked", "red"),
    SurvivedVerdict: ("survived", "red"),
    UnchangedVerdict: ("equivalent", "yellow"),
    NotAskedVerdict: ("not asked", "yellow"),
    StillbornVerdict: ("stillborn", "yellow"),
    LostVerdict: ("lost", "red"),
}


def word_of(verdict: MutantVerdict) -> str:
    """The verdict in a word."""
    return _WORDS[type(verdict)][0]


def mutant_tsv(verdict: MutantVerdict) -> str:
    """One verdict for programs; `-` where a column has nothing to say."""
    mutant = verdict.mutant
    about = (mutant.testee, mutant.source, mutant.bug_class, mutant.operator, word_of(verdict), mutant.place)
    found = ("-", "-", "-", "-", "-")
    if isinstance(verdict, KilledVerdict):
        case = f"{verdict.cell.id}/{verdict.scenario}"
        found = (verdict.check, verdict.kind, case, str(verdict.cases), f"{verdict.duration_s:.2f}")
    elif isinstance(verdict, MaskedVerdict):
        found = ("-", "-", ",".join(verdict.by), str(verdict.cases), f"{verdict.duration_s:.2f}")
    return "\t".join((*about, *found))


def json_text(summary: MutationSummary) -> str:
    """All verdicts and what they come to, as one JSON document."""
    return foreign_text.json_text(
        {
            "mutants": [_as_json(each) for each in summary.verdicts],
            "testees": {name: _totals(summary.of(name)) for name in summary.testees},
            "total": _totals(summary),
            "exitCode": int(summary.exit_code),
        },
        indent=1,
    )


def _as_json(verdict: MutantVerdict) -> dict[str, Any]:
    members = asdict(verdict)
    if isinstance(verdict, KilledVerdict):
        members["cell"] = verdict.cell.id
    return {"verdict": word_of(verdict), **members.pop("mutant"), **members}


def _totals(summary: MutationSummary) -> dict[str, Any]:
    counts = Counter(word_of(each) for each in summary.verdicts)
    return {
        **{word: counts[word] for word, _ in _WORDS.values()},
        "score": summary.score,
        "medianCases": summary.median_cases,
        "medianSeconds": summary.median_seconds,
    }


class MutantReport(MutationProgress):
    """Prints verdicts on `console`, which should be standard error, as they come.

    Args:
        verbose: say of each mutant what is wrong with it.
    """

    def __init__(self, console: Console, summary: MutationSummary, *, verbose: bool) -> None:
        super().__init__(console, summary.selected)
        self._summary = summary
        self._verbose = verbose
        self._testee = ""

    def begin(self, release: str, seed: int, testees: int) -> None:
        """The first line."""
        number = self._summary.selected
        self._start(
            f"Judging {counted(number, 'mutant')} of {counted(testees, 'testee')} "
            f"against Kafka {release}, seed {seed}"
        )

    def verdict(self, verdict: MutantVerdict) -> None:
        """Print the verdict on one mutant."""
        mutant = verdict.mutant
        if mutant.testee != self._testee:
            self._testee = mutant.testee
            self._print(f"[bold]{marked(mutant.testee)}[/]")
        word, colour = _WORDS[type(verdict)]
        line = f"{mutant.operator:30} {_found(verdict)}"
        self._print(f"[{colour}]{word:10}[/] {marked(line)}")
        if self._verbose:
            self._print(f"           {marked(mutant.says)}, at {marked(mutant.place)}")

    def end(self) -> None:
        """The mutants that were not killed, then the sums."""
        took = self._stop()
        for verdict in self._summary.verdicts:
            if isinstance(verdict, MaskedVerdict | SurvivedVerdict):
                self._explain(verdict)
        self._print("")
        for name in self._summary.testees:
            self._print(f"{name:46} {_sums(self._summary.of(name))}")
        self._print(f"{'all':46} {_sums(self._summary)}, {took:.1f} s")

    def _explain(self, verdict: MaskedVerdict | SurvivedVerdict) -> None:
        mutant = verdict.mutant
        word, _ = _WORDS[type(verdict)]
        self._print("")
        self._print(f"[red]{word}[/]: {marked(mutant.testee)} {mutant.operator}: {marked(mutant.says)}")
        self._print(f"  at {marked(mutant.place)}, {counted(verdict.cases, 'case')}")
        if isinstance(verdict, MaskedVerdict):
            by = ", ".join(f"{name} ({count:,})" for name, count in verdict.by.items())
            self._print(f"  excused by {marked(by)}: make the entry narrower")
        else:
            self._print(f"  {verdict.changed:,} answers changed, such as that to {marked(verdict.example)}")
            if verdict.excused:
                self._print(
                    f"  excused in these cells, with the mutant or without: {', '.join(verdict.excused)}"
                )
            self._print("  Either the plan lacks a case or a check, or the change does not matter.")


def _found(verdict: MutantVerdict) -> str:
    match verdict:
        case KilledVerdict():
            case = f"{verdict.cell.id}/{verdict.scenario}"
            return f"{verdict.cases:5} cases {verdict.duration_s:6.2f} s  {verdict.check:12} {case}"
        case MaskedVerdict(by=by, cases=cases):
            return f"{cases:5} cases           by {', '.join(by)}"
        case SurvivedVerdict(cases=cases, mutant=mutant):
            return f"{cases:5} cases           at {mutant.place}"
        case (
            UnchangedVerdict(evidence=evidence)
            | NotAskedVerdict(evidence=evidence)
            | StillbornVerdict(evidence=evidence)
        ):
            return f"at {verdict.mutant.place}: {evidence}"
        case LostVerdict(reason=reason):
            return reason
        case _:
            assert_never(verdict)


def _sums(summary: MutationSummary) -> str:
    counts = Counter(word_of(each) for each in summary.verdicts)
    score = summary.score
    words = [f"{len(summary.killed)} of {summary.effective} killed"]
    if score is not None:
        words.append(f"{score:.1%} (goal {GOAL:.0%})")
    words += [f"{counts[word]} {word}" for word, _ in _WORDS.values() if word != "killed" and counts[word]]
    if summary.median_cases is not None and summary.median_seconds is not None:
        words.append(f"median {summary.median_cases:g} cases, {summary.median_seconds:.2f} s to detection")
    return ", ".join(words)
