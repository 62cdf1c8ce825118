"""Verdicts on mutants, for people and for programs."""

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from rich.console import Console
from rich.status import Status

from wireproof.base.text import wording
from wireproof.base.text.wording import counted, printable
from wireproof.power.codec_judging import OWN_CODEC
from wireproof.power.summary import (
    MutantDescription,
    MutantDiagnosis,
    MutantOutcome,
    MutantVerdict,
    MutationSummary,
)
from wireproof.verdict.report.text.escaping import marked

_PLAIN_EVERY_S: Final = 10.0
"""Seconds between two progress lines if nothing else is printed and the output is not a terminal."""


_COLOURS: Final = {
    MutantOutcome.KILLED: "green",
    MutantOutcome.MASKED: "red",
    MutantOutcome.SURVIVED: "red",
    MutantOutcome.LOST: "red",
}
"""The rest is yellow."""


def tsv_line(verdict: MutantVerdict) -> str:
    """Format one verdict as tab-separated values; `-` marks an empty column."""
    mutant, case = verdict.mutant, verdict.killed_by
    found = ("-", "-", "-", "-") if case is None else (case.check, case.kind, case.scenario, case.cell.id)
    columns = (
        mutant.bug_class,
        mutant.operator,
        verdict.outcome,
        "yes" if mutant.symmetric else "no",
        mutant.source,
        mutant.place,
        str(mutant.cells),
        found[0],
        found[2],
        found[3],
        str(verdict.cases or "-"),
        str(len(mutant.equivalents)),
        mutant.codec,
        found[1],
        f"{verdict.duration_s:.2f}",
        ",".join(verdict.excuses),
        "" if verdict.diagnosis is None else str(len(verdict.diagnosis.causes)),
    )
    return "\t".join(each or "-" for each in columns)


def json_text(summary: MutationSummary) -> str:
    """Return all verdicts and their totals as one JSON document."""
    return wording.json_text(
        {
            "mutants": [_as_json(each) for each in summary.verdicts],
            "codecs": {name: _totals(summary.of(name)) for name in summary.codecs},
            "total": _totals(summary),
            "exitCode": int(summary.exit_code),
        },
        indent=1,
    )


def _as_json(verdict: MutantVerdict) -> dict[str, Any]:
    members = asdict(verdict)
    case = members.pop("killed_by")
    if case is not None and verdict.killed_by is not None:
        case["cell"] = verdict.killed_by.cell.id
    found = {"verdict": str(members.pop("outcome")), **members.pop("mutant"), **members, **(case or {})}
    return {name: each for name, each in found.items() if each not in ("", (), {})}


def _totals(summary: MutationSummary) -> dict[str, Any]:
    return {
        **{outcome.value: summary.count(outcome) for outcome in MutantOutcome},
        "score": summary.score,
        "medianCases": summary.median_cases,
        "medianSeconds": summary.median_seconds,
    }


@dataclass(slots=True)
class MutationReport:
    """Prints verdicts on standard error as they come; `verbose`, also each mutant's bug and sites."""

    console: Console
    summary: MutationSummary
    verbose: bool
    _started: float = field(default_factory=time.monotonic)
    _last_line: float = field(default_factory=time.monotonic)
    _status: Status | None = None
    _heading: str = ""

    def begin(self, title: str, seed: int) -> None:
        """Print the first line; on a terminal, show a status line below all later lines."""
        self._print(f"Judging {counted(self.summary.selected, 'mutant')} of {title}, seed {seed}")
        if self.console.is_terminal:
            self._status = self.console.status("")
            self._status.start()

    def tick(self, judged: int) -> None:
        """Print the progress, now and then."""
        words = f"{judged} of {self.summary.selected} mutants judged"
        if self._status is not None:
            self._status.update(words)
        elif time.monotonic() - self._last_line > _PLAIN_EVERY_S:
            self._print(words)

    def broken(self, message: str, advice: str) -> None:
        """Print why a worker cannot work."""
        self._print(f"[red]error:[/] {marked(message)}")
        if advice:
            self._print(marked(advice))

    def _print(self, text: str) -> None:
        self._last_line = time.monotonic()
        self.console.print(printable(text), emoji=False, highlight=False, soft_wrap=True)

    def verdict(self, verdict: MutantVerdict) -> None:
        mutant, outcome = verdict.mutant, verdict.outcome
        heading = mutant.bug_class if mutant.codec == OWN_CODEC else mutant.codec
        if heading != self._heading:
            self._heading = heading
            self._print(f"[bold]{marked(heading)}[/]")
        symmetry = "=" if mutant.symmetric else " "
        line = f"{symmetry} {mutant.operator:38} {_found(verdict)}"
        self._print(f"[{_COLOURS.get(outcome, 'yellow')}]{outcome:10}[/] {marked(line)}")
        if verdict.diagnosis is not None:
            self._list_causes(verdict.diagnosis)
        if self.verbose:
            self._describe(mutant)

    def _list_causes(self, diagnosis: MutantDiagnosis) -> None:
        indent = " " * 13
        for words in diagnosis.causes or ("nothing predicts the failures",):
            self._print(f"{indent}cause: {marked(words)}")
        if diagnosis.causes and diagnosis.right_family is False:
            self._print(f"{indent}[yellow]of another kind than the bug[/]")
        if diagnosis.causes and diagnosis.right_scope is False:
            self._print(f"{indent}[yellow]at another place than the bug[/]")

    def end(self) -> None:
        """Print the masked mutants, the survivors and the sums."""
        if self._status is not None:
            self._status.stop()
        took = time.monotonic() - self._started
        for verdict in self.summary.with_outcome(MutantOutcome.MASKED, MutantOutcome.SURVIVED):
            self._explain(verdict)
        self._print("")
        codecs = self.summary.codecs
        for name in codecs if len(codecs) > 1 else ():
            self._print(f"{name:46} {_sums(self.summary.of(name))}")
        self._print(f"{_sums(self.summary)}, {took:.1f} s")
        diagnosed = [each.diagnosis for each in self.summary.verdicts if each.diagnosis is not None]
        if diagnosed:
            self._print(_cause_sums(diagnosed))

    def _describe(self, mutant: MutantDescription) -> None:
        indent = " " * 13
        self._print(f"{indent}{marked(mutant.description)}")
        self._print(f"{indent}in the codec ({mutant.source}), at {marked(mutant.place)}")
        for site in mutant.equivalents:
            self._print(f"{indent}no effect at {marked(site.place)}: {marked(site.evidence)}")

    def _explain(self, verdict: MutantVerdict) -> None:
        mutant = verdict.mutant
        self._print("")
        name = marked(f"{mutant.codec} {mutant.operator}")
        self._print(f"[red]{name} {verdict.outcome}[/]: {marked(mutant.description)}")
        self._print(f"  at {marked(mutant.place)}, {counted(verdict.cases, 'case')}")
        if verdict.outcome is MutantOutcome.MASKED:
            by = ", ".join(f"{entry} ({count:,})" for entry, count in verdict.excuses.items())
            self._print(f"  excused by {marked(by)}: make the entry narrower")
            return
        if verdict.changed:
            self._print(f"  {verdict.changed:,} answers changed, such as that to {marked(verdict.evidence)}")
        if verdict.excuses:
            self._print(f"  excused in these cells, with the mutant or without: {', '.join(verdict.excuses)}")
        self._print("  Either the plan lacks a case or a check, or the change does not matter.")


def _found(verdict: MutantVerdict) -> str:
    cases, case = f"{verdict.cases:5} cases", verdict.killed_by
    if case is not None:
        return f"{cases} {verdict.duration_s:6.2f} s  {case.check:12} {case.id}"
    if verdict.outcome is MutantOutcome.MASKED:
        return f"{cases}           by {', '.join(verdict.excuses)}"
    place = f"at {verdict.mutant.place}" if verdict.mutant.place else ""
    if verdict.outcome is MutantOutcome.SURVIVED:
        return f"{cases}           {place}"
    return ": ".join(word for word in (place, verdict.evidence) if word)


def _cause_sums(diagnosed: Sequence[MutantDiagnosis]) -> str:
    single = sum(len(each.causes) == 1 for each in diagnosed)
    known = [each for each in diagnosed if each.right_family is not None]
    right = sum(bool(each.right_family and each.right_scope) for each in known)
    words = f"{single} of {counted(len(diagnosed), 'killed mutant')} with exactly one cause"
    return f"{words}; kind and place are right for {right} of {len(known)}"


def _sums(summary: MutationSummary) -> str:
    counts = Counter(each.outcome for each in summary.verdicts)
    words = [f"{counts[MutantOutcome.KILLED]} of {summary.effective} mutants killed"]
    if summary.score is not None and summary.goal < 1:
        words[0] += f", {summary.score:.1%} (goal {summary.goal:.0%})"
    if summary.median_cases is not None and summary.median_seconds is not None:
        words.append(
            f"{summary.median_cases:g} cases and {summary.median_seconds:.2f} s to detection (median)"
        )
    words += [
        f"{counts[each]} {each}"
        for each in MutantOutcome
        if each is not MutantOutcome.KILLED and counts[each]
    ]
    symmetric = sum(each.mutant.symmetric for each in summary.verdicts)
    skipped = sum(len(each.mutant.equivalents) for each in summary.verdicts)
    words += [f"{symmetric} symmetric"] if symmetric else []
    words += [f"{counted(skipped, 'site')} without effect skipped"] if skipped else []
    return ", ".join(words)
