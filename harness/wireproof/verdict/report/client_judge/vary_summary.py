"""The results of `wireproof judge --vary` as all reports of `wireproof judge` take them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from wireproof.base.accepted_findings import AcceptedFinding
from wireproof.base.text.wording import counted
from wireproof.model.divergence import Divergence
from wireproof.proof.client_judge.sent_requests import MessageStatistics, RequestFinding
from wireproof.verdict.report.client_judge.client_summary import ClientSummary
from wireproof.verdict.report.client_judge.vary_report import VaryReport, VaryRow, differing_bytes

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
