"""The results of `wireproof judge --vary`: as lines, as JSON, and for the other reports of `judge`."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final

from wireproof.base.accepted_findings import AcceptedFinding
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.comparing.divergences import first_difference
from wireproof.proof.client_judge.sent_requests import MessageStatistics, RequestFinding
from wireproof.traffic.capture.varying.cause_search import VaryOutcome, VaryVerdict
from wireproof.verdict.report.client_judge.client_summary import ClientSummary

_SIZE: Final = 4
"""The bytes of a frame's size, which differs in most frames."""
_WINDOW: Final = 24
"""The number of bytes to show, from the first different byte on."""
_LEAD: Final = 8
_ERROR_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class VaryRow:
    """A finding for people and programs.

    Attributes:
        variation: the variation, as `--only` takes it.
        rule: the source that allows the variation.
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


def finding_lines(row: VaryRow) -> Iterator[str]:
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


def summary_lines(account: "VarySummary") -> Iterator[str]:
    """Yield the lines at the end."""
    results = account.results
    if results.fault:
        yield f"Not judged: {results.fault}."
    unsteady = [name for name, outcome in results.outcomes.items() if outcome == "unsteady"]
    if unsteady:
        yield f"The program ended otherwise only once with: {', '.join(unsteady)}."
    if results.over_budget:
        yield "Incomplete: --budget ended the search."
    if account.exit_code is ExitCode.INTERRUPTED:
        yield "Incomplete: a signal ended the judgement."
    if account.unvaried:
        yield account.verdict
    elif not results.fault:
        verdict = "does not take every answer" if account.rows else "takes every answer that it got"
        yield f"The program {verdict}."
    versions = counted(len(results.spoken), "message version")
    variations = counted(len(results.outcomes), "variation")
    parts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(results.counts.items()))
    yield (
        f"{variations}{f' ({parts})' if parts else ''}, {counted(results.runs, 'run')}, {versions}, "
        f"{counted(len(account.rows), 'finding')}, {account.duration_s:.1f} s"
    )


def vary_json(account: "VarySummary") -> Mapping[str, Any]:
    """Return the results as JSON values; bytes are hexadecimal."""
    results = account.results
    findings = [
        {
            **asdict(row),
            "where": row.where,
            "before": row.before.hex(),
            "after": row.after.hex(),
            "pieces": list(row.pieces),
        }
        for row in account.rows
    ]
    spoken = [
        {"message": name, "version": version, "requests": count}
        for (name, version), count in sorted(results.spoken.items())
    ]
    return {
        "command": list(account.program),
        "fault": results.fault,
        "outcomes": dict(results.outcomes),
        "findings": findings,
        "spoken": spoken,
        "runs": results.runs,
        "connections": results.connections,
        "unvaried_seconds": round(results.usual_s, 3),
        "seconds": round(account.duration_s, 1),
        "over_budget": results.over_budget,
        "exit_code": int(account.exit_code or ExitCode.PROVEN),
    }


def differing_bytes(row: VaryRow) -> tuple[int | None, str, str]:
    """Return the first different byte and the bytes around it, before and after; or the sizes of pieces."""
    if row.pieces:
        sizes = ", ".join(map(str, row.pieces[:12]))
        return None, "one piece", f"{sizes}{', ...' if len(row.pieces) > 12 else ''} bytes"
    if not row.after:
        return None, "", ""
    differs = _SIZE + first_difference(row.before[_SIZE:], row.after[_SIZE:])
    place = min(differs, len(row.before), len(row.after))
    return place, _window(row.before, place), _window(row.after, place)


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


@dataclass(slots=True)
class VarySummary(ClientSummary):
    """The summary of a program that got varied answers; a row is a message of these answers.

    Attributes:
        rows: the findings that no entry accepts.
    """

    differs: ClassVar[str] = "The program does not take every answer."
    agrees: ClassVar[str] = "The program takes every answer that it got."
    nothing_found: ClassVar[str] = agrees
    results: VaryVerdict = field(default_factory=VaryVerdict)
    rows: list[VaryRow] = field(default_factory=list)

    @property
    def unmatched(self) -> list[AcceptedFinding]:
        """The entries of variations that were tried and accept nothing."""
        return [each for each in super(VarySummary, self).unmatched if each.rule in self.results.outcomes]

    @property
    def unvaried(self) -> bool:
        """True if the variations were tried, and no answer could be varied so."""
        return set(self.results.outcomes.values()) == {VaryOutcome.UNMET}

    @property
    def verdict(self) -> str:
        """One or two sentences."""
        if self.unvaried:
            return "Not judged: the program got no answer that can be varied so."
        if self.cut and not self.statistics.causes:
            return f"Incomplete: {self.cut}."
        return super(VarySummary, self).verdict

    @property
    def summary(self) -> str:
        """The last line."""
        findings = counted(len(self.statistics.causes), "finding")
        variations = counted(len(self.results.outcomes), "variation")
        return f"{variations}, {counted(self.connections, 'connection')}, {findings}, {self.duration_s:.1f} s"

    def fill(self, results: VaryVerdict, seconds: float) -> None:
        """Fill in the results. The findings are already counted."""
        self.results, self.connections, self.duration_s = results, results.connections, seconds
        self.ended = results.fault.removeprefix("the program ")
        if results.over_budget and not self.ended:
            self.ended = "did not get all variations: --budget was over"
        statistics = self.statistics
        for (request, version), count in sorted(results.spoken.items()):
            message = f"{request.removesuffix('Request')}Response"
            statistics.rows[message, version] = MessageStatistics(_MODULE, count, count)
            statistics.requests += count
        for cause in statistics.causes.values():
            if cause.first.version is not None:
                place = cause.first.message, cause.first.version
                row = statistics.rows.setdefault(place, MessageStatistics(_MODULE, 1, 1))
                row.right = max(0, row.right - 1)


def varied_finding(row: VaryRow) -> RequestFinding:
    """Return a finding for the reports of `wireproof judge`, with the bytes of Kafka and of the proxy."""
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
