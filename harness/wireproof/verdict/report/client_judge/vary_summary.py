"""The results of `wireproof judge --vary`: its lines and JSON, and as all reports of `judge` take them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from wireproof.base.accepted_findings import AcceptedFinding
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted
from wireproof.model.divergence import Divergence
from wireproof.proof.client_judge.sent_requests import MessageStatistics, RequestFinding
from wireproof.verdict.report.client_judge.client_summary import ClientSummary

_WINDOW: Final = 24
"""Bytes that are shown from the first different one on."""
_LEAD: Final = 8
_ERROR_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class VaryRow:
    """A finding for people and programs.

    Attributes:
        variation: as `--only` takes it.
        rule: the source that allows it.
        rule_id: the id of the variation, as `--without` and `--accepted` take it.
        message, version, index: of the varied answer; ``""``, None and 0 if it is not known.
        before, after: the frames.
        pieces: the sizes of the pieces, if the stream was varied.
        errors: the end of the program's stderr.
        replay: a command line.
        narrowed: false if the budget ended the search.
    """

    variation: str
    sentence: str
    rule: str
    rule_id: str
    message: str
    version: int | None
    index: int
    usual: str
    ended: str
    before: bytes
    after: bytes
    pieces: tuple[int, ...]
    errors: str
    replay: str
    narrowed: bool

    @property
    def where(self) -> str:
        """The varied answer in words; ``""`` if it is not known."""
        return f"{self.message} version {self.version}, answer {self.index}" if self.message else ""


@dataclass(slots=True)
class VaryReport:
    """All results of a command.

    Attributes:
        fault: the reason why the program cannot be judged; ``""`` if it can.
        outcomes: by the id of the variation.
        spoken: requests by API and version.
        usual_s: seconds of an unvaried run.
    """

    program: Sequence[str]
    fault: str
    outcomes: Mapping[str, str]
    findings: Sequence[VaryRow]
    spoken: Mapping[tuple[str, int], int]
    runs: int
    connections: int
    usual_s: float
    seconds: float
    over_budget: bool
    exit_code: ExitCode = field(default=ExitCode.PROVEN)


def finding_lines(row: VaryRow) -> Iterator[str]:
    """Yield the lines of a finding."""
    yield f"{row.variation}: the program {row.ended}"
    yield f"  variation  {row.sentence}"
    yield f"  rule       {row.rule}"
    yield f"  unvaried   the program {row.usual}"
    if row.where:
        yield f"  answer     {row.where}"
    place, before, after = differing_bytes(row)
    if row.pieces:
        yield f"  pieces     {after}"
    elif after:
        yield f"  at byte    {place}"
        yield f"  before     {before}"
        yield f"  after      {after}"
    for line in row.errors.strip().splitlines()[-_ERROR_LINES:]:
        yield f"  program    {line[:140]}"
    if not row.narrowed:
        yield "  search     ended by --budget; the cause may be smaller"
    yield f"  replay     {row.replay}"


def summary_lines(report: VaryReport) -> Iterator[str]:
    """Yield the lines at the end."""
    if report.fault:
        yield f"Not judged: {report.fault}."
    counts = Counter(report.outcomes.values())
    unsteady = [name for name, outcome in report.outcomes.items() if outcome == "unsteady"]
    if unsteady:
        yield f"The program ended otherwise only once with: {', '.join(unsteady)}."
    if report.over_budget:
        yield "Incomplete: --budget ended the search."
    if not report.fault:
        verdict = "does not take every answer" if report.findings else "takes every answer that it got"
        yield f"The program {verdict}."
    versions = counted(len(report.spoken), "message version")
    variations = counted(len(report.outcomes), "variation")
    parts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    yield (
        f"{variations}{f' ({parts})' if parts else ''}, {report.runs} runs, {versions}, "
        f"{counted(len(report.findings), 'finding')}, {report.seconds:.1f} s"
    )


def vary_json(report: VaryReport) -> Mapping[str, Any]:
    """Return the report as JSON values; bytes are hexadecimal."""
    findings = [
        {
            **asdict(row),
            "where": row.where,
            "before": row.before.hex(),
            "after": row.after.hex(),
            "pieces": list(row.pieces),
        }
        for row in report.findings
    ]
    spoken = [
        {"message": name, "version": version, "requests": count}
        for (name, version), count in report.spoken.items()
    ]
    return {
        "command": list(report.program),
        "fault": report.fault,
        "outcomes": dict(report.outcomes),
        "findings": findings,
        "spoken": spoken,
        "runs": report.runs,
        "connections": report.connections,
        "unvaried_seconds": round(report.usual_s, 3),
        "seconds": round(report.seconds, 1),
        "over_budget": report.over_budget,
        "exit_code": int(report.exit_code),
    }


def differing_bytes(row: VaryRow) -> tuple[int | None, str, str]:
    """Return the first different byte and the bytes around it, before and after; or the sizes of pieces."""
    if row.pieces:
        sizes = ", ".join(map(str, row.pieces[:12]))
        return None, "one piece", f"{sizes}{', ...' if len(row.pieces) > 12 else ''} bytes"
    if not row.after:
        return None, "", ""
    place = _first_difference(row.before, row.after)
    return place, _window(row.before, place), _window(row.after, place)


def _first_difference(before: bytes, after: bytes) -> int:
    pairs = zip(before[4:], after[4:], strict=False)  # the sizes differ in most frames
    same = next((index for index, (one, other) in enumerate(pairs) if one != other), None)
    return 4 + (min(len(before), len(after)) - 4 if same is None else same)


def _window(frame: bytes, place: int) -> str:
    if not frame:
        return "(no answer)"
    begin = max(0, place - _LEAD)
    text = (
        frame[begin:place].hex(" "),
        frame[place : place + 1].hex(),
        frame[place + 1 : begin + _WINDOW].hex(" "),
    )
    cut = " ..." if len(frame) > begin + _WINDOW else ""
    return f"{'... ' if begin else ''}{text[0]} [{text[1]}] {text[2]}{cut} ({len(frame)} bytes)"


_MODULE: Final = "clients"
_TAKEN: Final = "The program takes every answer that it got."


@dataclass(slots=True)
class VarySummary(ClientSummary):
    """The summary of a program that got varied answers; a row is a message of these answers.

    Attributes:
        outcomes: of the variations, by id.
    """

    outcomes: Mapping[str, str] = field(default_factory=dict)

    @property
    def unmatched(self) -> list[AcceptedFinding]:
        """The entries of variations that were tried and accept nothing."""
        return [each for each in super(VarySummary, self).unmatched if each.rule in self.outcomes]

    @property
    def verdict(self) -> str:
        """One or two sentences."""
        if self.statistics.causes:
            return "Not proven. The program does not take every answer."
        if self.unmatched:
            return f"An accepted finding is gone: remove its entry. {_TAKEN}"
        if self.ended:
            return f"Incomplete: the program {self.ended}."
        return f"Right. {_TAKEN}" if self.statistics.requests else "Nothing was sent."

    @property
    def nothing_found(self) -> str:
        """The sentence of a report without findings."""
        return _TAKEN

    @property
    def summary(self) -> str:
        """The last line."""
        findings = counted(len(self.statistics.causes), "finding")
        variations = counted(len(self.outcomes), "variation")
        return f"{variations}, {counted(self.connections, 'connection')}, {findings}, {self.duration_s:.1f} s"

    def fill(self, report: VaryReport) -> None:
        """Take the results; the findings are counted before."""
        self.outcomes, self.connections, self.duration_s = report.outcomes, report.connections, report.seconds
        self.ended = report.fault.removeprefix("the program ")
        if report.over_budget and not self.ended:
            self.ended = "did not get all variations: --budget was over"
        statistics = self.statistics
        for (request, version), count in report.spoken.items():
            message = f"{request.removesuffix('Request')}Response"
            statistics.rows[message, version] = MessageStatistics(_MODULE, count, count)
            statistics.requests += count
        for cause in statistics.causes.values():
            if cause.first.version is not None:
                place = cause.first.message, cause.first.version
                row = statistics.rows.setdefault(place, MessageStatistics(_MODULE, 1, 1))
                row.right = max(0, row.right - 1)


def varied_finding(row: VaryRow) -> RequestFinding:
    """Return a finding as the reports of `wireproof judge` take it: Kafka's bytes, and those of the proxy."""
    summary = f"{row.sentence} The program {row.ended}."
    place, before, after = differing_bytes(row)
    divergence = Divergence(
        "variation", "the program", summary, offset=place, codec=after, oracle=before, kind="varied"
    )
    return RequestFinding(
        row.rule_id,
        f"answer {row.index}" if row.message else "an answer",
        0,
        0,
        summary,
        row.after,
        row.message,
        row.version,
        divergence if after else None,
        party="proxy",
        rule=row.rule,
        replay=row.replay,
    )
