"""The run as a person sees it: progress while it goes, findings as they come, a verdict at the end."""

import shlex
from collections.abc import Iterator, Mapping

from rich.console import Console

from wireproof.checks import ERRATA, LAXITIES, ROWS, VERSION_FALLBACK
from wireproof.coverage import CellCoverage
from wireproof.foreign_text import printable
from wireproof.model import NO_DEFAULT, Cell, ClaimProblem, Divergence, LedgerProblem
from wireproof.model.divergence import DIFFERS
from wireproof.report.findings import Findings, Group, replay_line
from wireproof.report.losses import Losses
from wireproof.report.run.claim_lines import claim_lines
from wireproof.report.run.ended_lines import ended_line, skipped_lines
from wireproof.report.run.progress_bar import CellsProgress
from wireproof.report.run.verdict_line import classes_line, parts_covered, verdict_line
from wireproof.report.text.escaping import marked
from wireproof.run import (
    CaseFailed,
    CaseLost,
    CaseShrunk,
    CaseStricter,
    CellDone,
    CellLost,
    CellProgress,
    CellRetried,
    ClaimJudged,
    CodecEnded,
    LedgerJudged,
    RunBroken,
    RunEvent,
    RunFinished,
    RunStarted,
    Totals,
)

__all__ = ["TerminalReport", "in_full", "not_asked_words", "summary_line", "trust_lines"]

_ROW_MARGIN = 11 * " "
_SHOWN = 5
"""Findings told in full at the end; the rest get a line each, up to `_LISTED`."""
_LISTED = 20
_LIMITS = {
    NO_DEFAULT: "it has no default for the field that a case leaves out",
    VERSION_FALLBACK.name: "it may read an answer with UNSUPPORTED_VERSION as version 0 (KIP-511)",
}
"""Limits that the harness finds by itself."""


class TerminalReport:
    """Listens to a run and writes to `console`, which should be standard error.

    Args:
        live: whether to write while it goes, too, and not at the end alone.
    """

    def __init__(self, console: Console, *, live: bool = True) -> None:
        self._console = console
        self._live = live
        self._testee = ""
        self._limits: Mapping[str, str] = {}
        self._findings = Findings()
        self._totals = Totals()
        self._losses = Losses()
        self._below_floor: dict[Cell, CellCoverage] = {}
        self._ledger: Mapping[str, str] = {}
        self._problems: list[LedgerProblem] = []
        self._unsaid: tuple[str, ...] = ()
        self._started: RunStarted | None = None
        self._claims: list[ClaimProblem] = []
        self._modules: dict[str, list[int]] = {}
        self._progress = CellsProgress(console)

    def __call__(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self._begin(event)
            case CaseFailed():
                self._diverged(event)
            case CaseShrunk():
                self._findings.shrink(event)
            case CaseStricter():
                headline = marked(_headline(event.divergence))
                self._print(f"[yellow]stricter, unexplained[/] {marked(event.case_id)}  {headline}")
            case CellDone() | CellProgress():
                self._advance(event)
            case CodecEnded():
                self._say(ended_line(event))
            case CellRetried():
                self._retried(event)
            case CaseLost() | CellLost():
                self._lost(event)
            case LedgerJudged() | ClaimJudged():
                self._judged(event)
            case RunBroken():
                self._broken(event)
            case RunFinished():
                self._end(event)

    def _broken(self, event: RunBroken) -> None:
        self._print(f"[red]error:[/] {marked(event.message)}")
        if event.advice:
            self._print(marked(event.advice))

    # While it goes.

    def _retried(self, event: CellRetried) -> None:
        self._say(f"[yellow]died[/] {marked(event.first)} .. {marked(event.last)}: {marked(event.reason)}")
        self._say("these cases are tried again, one at a time")

    def _diverged(self, event: CaseFailed) -> None:
        if self._findings.add(event) and len(self._findings) <= _SHOWN:
            headline = _headline(event.divergences[0])
            self._say(f"[red]diverged[/] {marked(event.case_id)}  {marked(headline)}")

    def _lost(self, event: CaseLost | CellLost) -> None:
        name = event.case_id if isinstance(event, CaseLost) else event.cell
        if self._losses.add(event) <= _SHOWN:
            self._say(f"[red]lost[/] {marked(str(name))}: {marked(event.reason)}")

    def _judged(self, event: LedgerJudged | ClaimJudged) -> None:
        if isinstance(event, LedgerJudged):
            self._problems.append(event.problem)
        else:
            self._claims.append(event.problem)

    def _begin(self, event: RunStarted) -> None:
        self._testee, self._limits = event.testee, event.limits
        releases = ", ".join(event.releases)
        subjects = ", ".join(event.subjects)
        if event.corpus:
            entries = ", ".join(f"{count:,} {name}" for name, count in sorted(event.corpus.items()))
            self._say(f"Proving {marked(subjects)} against entries of Kafka {releases}: {marked(entries)}")
        else:
            self._say(
                f"Proving {marked(subjects)} against Kafka {releases}: {event.cells} cells, seed {event.seed}"
            )
        self._unsaid, self._started = event.unsaid, event
        if event.where:
            held = "; ".join(f"{name}: {words}" for name, words in event.enforced.items())
            where = f"{event.where}, held to: {held}" if held else event.where
            self._say(f"It runs in {marked(where)}")
        retired = sum(event.retired.values())
        if retired:
            self._say(f"{retired} retired messages have no valid version, and so no cell")
        self._ledger = event.ledger
        if self._ledger:
            entries = _count(len(self._ledger), "entry", "entries")
            of = (
                f", which is of version {event.ledger_of}: nothing is held against it"
                if event.ledger_of
                else ""
            )
            self._say(f"{entries} of the ledger{marked(of)}")
        self._totals.cells_selected = event.cells
        if self._live:
            self._progress.begin(event.cells)

    def _advance(self, event: CellDone | CellProgress) -> None:
        if self._live:
            self._progress.advance(event)
        if isinstance(event, CellProgress):
            return
        totals = self._totals
        totals.cells_done += 1
        totals.failed_cases += event.failed_cases
        if event.coverage is not None and event.coverage.below_floor:
            self._below_floor[event.cell] = event.coverage
        for phase, cases in event.cases.items():
            totals.cases[phase] = totals.cases.get(phase, 0) + cases
        counts = self._modules.setdefault(f"{event.cell.release} {event.cell.module}", [0, 0])
        counts[0] += 1
        counts[1] += bool(event.failed_cases)

    # At the end.

    def _end(self, event: RunFinished) -> None:
        self._progress.stop()
        told = self._list_findings()
        self._list_modules("no divergence" if any(parts_covered(event.totals, self._started)) else "proven")
        self._print("")
        self._list_excused(event)
        for line in skipped_lines(event.totals):
            self._print(line)
        if event.totals.not_asked:
            self._print(f"[yellow]Not asked:[/] {not_asked_words(event.totals)}")
        if event.totals.verdicts:
            for line in _malformed(event):
                self._print(line)
        for line in trust_lines(event.totals):
            self._print(marked(line))
        if event.totals.classes_reachable:
            self._print(classes_line(event.totals))
        self._list_below_floor()
        for line in claim_lines(event.totals, self._claims, most=_LISTED):
            self._print(line)
        self._list_problems()
        if self._unsaid:
            self._print("Without Java, so nothing is said about:")
        for words in self._unsaid:
            self._print(f"  - {marked(words)}")
        self._print(verdict_line(event, told, self._started))
        self._print(summary_line(event))

    def _list_modules(self, right: str) -> None:
        """A line for each module, where there are several; `right` is said of one without a failure."""
        if len(self._modules) > 1:
            self._print("")
            for module, (done, failed) in self._modules.items():
                verdict = f"[red]{failed} diverged[/]" if failed else f"[green]{right}[/]"
                self._print(f"  {module}: {_count(done, 'cell')}, {verdict}")

    def _list_excused(self, event: RunFinished) -> None:
        """What did not fail though it differs: by Kafka's errata, the codec's limits, the ledger."""
        summaries = {erratum.witness: erratum.summary for erratum in ERRATA}
        for witness, cases in event.totals.errata.items():
            summary = summaries.get(witness, "")
            self._print(f"Kafka's own erratum {witness}, met in {_count(cases, 'case')}: {marked(summary)}")
        for limit, cases in event.totals.unsupported.items():
            why = marked(self._limits.get(limit) or _LIMITS.get(limit, "it has no JSON"))
            self._print(f"Left out {_count(cases, 'case')} by the codec's limit {marked(limit)}: {why}")
        self._list_known(event.totals)

    def _list_known(self, totals: Totals) -> None:
        """The known deviations that were met, those of most cases first."""
        met = sorted(totals.known.items(), key=lambda item: (-item[1], item[0]))
        for entry, cases in met[:_LISTED]:
            what = marked(self._ledger.get(entry, ""))
            self._print(f"Known deviation {marked(entry)}, met in {_count(cases, 'case')}: {what}")
        if len(met) > _LISTED:
            self._print(f"  and {len(met) - _LISTED} more; --events FILE writes them all down")

    def _list_problems(self) -> None:
        """What is wrong with the ledger, each with the command that repairs it."""
        for problem in self._problems:
            colour = "red" if problem.fails else "yellow"
            headline = f"[{colour}]ledger: {problem.fault}[/] {marked(problem.entry)}"
            self._print(f"{headline}: {marked(problem.message)}")
            if problem.repair:
                self._print(f"  type: {marked(problem.repair)}")

    def _list_below_floor(self) -> None:
        """The classes that had to be met and were not, of the first cells in full, and what to do."""
        for cell, coverage in list(self._below_floor.items())[:_SHOWN]:
            for what, names in (
                ("not met", coverage.missing),
                ("met, though said to be out of reach", coverage.contradicted),
            ):
                if names:
                    shown = ", ".join(names[:_LISTED])
                    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
                    self._print(f"[yellow]{what}[/] {marked(cell.id)}: {marked(shown)}{more}")
        if len(self._below_floor) > _SHOWN:
            rest = _count(len(self._below_floor) - _SHOWN, "more cell")
            self._print(f"  and classes of {rest}; --events FILE writes them all down")
        if self._below_floor:
            pattern = shlex.quote(next(iter(self._below_floor)).id)
            self._print(
                "Each is FIELD/CLASS: give the field a case in wireproof/strategies, or the class a reason "
                f"in wireproof/coverage; then ask wireproof cells --uncovered --cell {pattern}"
            )

    def _list_findings(self) -> int:
        """What was found, the first of it in full; gives back how many findings those are."""
        reason = self._findings.one_reason(self._totals.cells_done)
        groups = self._findings.groups(without=reason)
        if reason is not None:
            self._print("")
            self._print(f"[bold red]{marked(reason.line(self._testee))}[/]")
        for group in groups[:_SHOWN]:
            self._print("")
            for line in in_full(group, self._testee):
                self._print(line)
        self._list_rest(groups[_SHOWN:])
        for line in self._losses.lines(above=_SHOWN if self._live else 0):
            self._print(f"[red]lost[/] {marked(line)}")
        return len(groups) + (reason is not None)

    def _list_rest(self, groups: list[Group]) -> None:
        if groups:
            self._print("")
            self._print(f"{_count(len(groups), 'more finding')}:")
        for group in groups[:_LISTED]:
            headline = marked(_headline(group.first.divergence))
            like = f" (and {_count(len(group.others), 'like it', 'like it')})" if group.others else ""
            self._print(f"  {marked(group.first.first.case_id)}  {headline}{like}")
        if len(groups) > _LISTED:
            self._print(f"  and {len(groups) - _LISTED} more; --events FILE writes them all down")

    def _say(self, text: str) -> None:
        """What is for those who watch."""
        if self._live:
            self._print(text)

    def _print(self, text: str) -> None:
        self._console.print(printable(text), emoji=False, highlight=False, soft_wrap=True)


def _malformed(event: RunFinished) -> Iterator[str]:
    """What became of malformed bytes, and by which laxities of Kafka the codec is stricter."""
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in sorted(event.totals.verdicts.items()))
    yield f"Malformed bytes: {verdicts}"
    summaries = {laxity.name: laxity.summary for laxity in (*LAXITIES, VERSION_FALLBACK)}
    for name, cases in sorted(event.totals.laxities.items()):
        why = marked(summaries.get(name, "nothing explains it: worth a look with --events"))
        yield f"  stricter than Kafka in {_count(cases, 'case')} by {name or 'something'}: {why}"


def not_asked_words(totals: Totals) -> str:
    """How much of which cells was not asked, and why."""
    questions, cells = _count(totals.not_asked, "question"), _count(totals.cells_not_whole, "cell")
    return f"{questions} of {cells}, because the codec had ended too often, or no time was left for hangs"


def trust_lines(totals: Totals) -> Iterator[str]:
    """What each codec that promises no refusal did with values that a version cannot hold."""
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


def _headline(divergence: Divergence) -> str:
    field = f" {divergence.path}" if divergence.path else ""
    return f"[{divergence.check}]{field}: {divergence.summary}"


def in_full(group: Group, testee: str = "") -> Iterator[str]:
    """The lines of findings that look alike, the first of them in full, with markup.

    Args:
        testee: the word that names the codec to replay it with; our own where it is empty.
    """
    finding = group.first
    divergence = finding.divergence
    yield f"[bold red]{marked(group.where)}:[/] {marked(divergence.summary)}"
    rows = [
        ("check", f"{divergence.check}: {ROWS[divergence.check].verifies}"),
        ("subject", divergence.subject),
        ("blame", finding.blame),
        ("field", f"{divergence.path} ({divergence.field})" if divergence.field else divergence.path),
        ("at byte", "" if divergence.offset is None else str(divergence.offset)),
        ("codec", divergence.codec),
        ("Kafka", divergence.oracle),
        ("agrees", divergence.opinions),
        ("kind", "" if divergence.kind == DIFFERS else divergence.kind),
        ("ledger", divergence.near),
        ("case", finding.first.case_id),
        ("value", _shortened(finding.value or "")),
        ("seen in", f"{_count(group.cases, 'case')} of {_count(len(group.cells), 'cell')}"),
        ("alike", group.alike),
        ("replay", replay_line(finding, testee)),
    ]
    for name, text in rows:
        if text:
            yield f"  [dim]{name:8}[/] {marked(text, _ROW_MARGIN)}"


def _shortened(text: str, width: int = 200) -> str:
    return text if len(text) <= width else f"{text[:width]}... ({len(text)} characters)"


def summary_line(event: RunFinished) -> str:
    """The last line: what was done."""
    totals = event.totals
    return (
        f"{totals.cells_done} of {totals.cells_selected} cells, {totals.all_cases:,} cases, "
        f"{_bytes(totals.data_bytes)}, {totals.failed_cases:,} divergences, {event.duration_s:.1f} s"
    )


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"
