"""What was judged of real traffic, for people and for programs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wireproof.foreign_text import indented
from wireproof.report.traffic.account import TrafficAccount
from wireproof.report.traffic.words import finding_lines, named, times
from wireproof.traffic import Finding, Row, Tally

__all__ = ["TrafficReport", "finding_json", "row_json", "traffic_json"]

_ERRORS: Final = 4
_MARGIN: Final = 11 * " "


class TrafficReport:
    """Tells findings as they come, and the summary at the end."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __call__(self, findings: Sequence[Finding]) -> None:
        """Findings of causes that were not told before."""
        for finding in findings:
            self._say([*finding_lines(finding), ""])

    def summary(self, account: TrafficAccount) -> None:
        """A table by message and version, who the clients are, the causes, and the last line."""
        tally = account.tally
        if tally.rows:
            self._console.print(_table(tally))
        self._say(_clients(tally))
        for cause in tally.causes.values():
            first = cause.first
            self._say([f"  {first.fault}: {named(first)}: {first.summary}; {times(cause.count)}"])
        self._say([account.verdict, account.summary])

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._console.print(Text(indented(line, _MARGIN)), soft_wrap=True)


def _table(tally: Tally) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("message")
    table.add_column("version", justify="right")
    table.add_column("requests", justify="right")
    table.add_column("right", justify="right")
    table.add_column("errors that the broker answered")
    for (message, version), row in sorted(tally.rows.items()):
        errors = ", ".join(f"{name} ({count:,})" for name, count in row.errors.most_common(_ERRORS))
        if len(row.errors) > _ERRORS:
            errors += f" and {len(row.errors) - _ERRORS} more"
        table.add_row(message, str(version), f"{row.requests:,}", f"{row.right:,}", errors)
    return table


def _clients(tally: Tally) -> Iterator[str]:
    if tally.software:
        yield "software: " + ", ".join(name for name, _ in tally.software.most_common())


def traffic_json(account: TrafficAccount) -> dict[str, Any]:
    """The same for programs."""
    tally = account.tally
    return {
        "release": account.release,
        "connections": account.connections,
        "requests": tally.requests,
        "wrong": tally.wrong,
        "messages": [row_json(*place, row) for place, row in sorted(tally.rows.items())],
        "clients": dict(tally.clients),
        "software": dict(tally.software),
        "findings": [{**finding_json(each.first), "count": each.count} for each in tally.causes.values()],
    }


def row_json(message: str, version: int, row: Row) -> dict[str, Any]:
    """What was sent of a message at a version."""
    return {
        "message": message,
        "version": version,
        "requests": row.requests,
        "right": row.right,
        "bytes": row.request_bytes,
        "errors": dict(row.errors),
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    divergence = finding.divergence
    differing = {}
    if divergence is not None:
        differing = {
            "field": divergence.path,
            "kind": divergence.kind,
            "at": divergence.offset,
            "client": divergence.codec,
            "kafka": divergence.oracle,
        }
    return {
        "fault": finding.fault,
        "message": finding.message,
        "version": finding.version,
        "summary": finding.summary,
        "place": finding.place,
        "connection": finding.connection,
        "offset": finding.offset,
        "frame": finding.frame.hex(),
        **differing,
    }
