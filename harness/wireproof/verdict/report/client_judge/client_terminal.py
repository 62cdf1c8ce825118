"""The report of a judged program on a terminal, as JSON, and as a file of events."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TextIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wireproof.base.text.wording import counted, indented, json_text, printable
from wireproof.model.cell import CellId
from wireproof.proof.client_judge.sent_requests import MessageStatistics, RequestFinding, RequestStatistics
from wireproof.verdict.report.client_judge.client_summary import (
    ClientSummary,
    accepted_lines,
    finding_lines,
    format_times,
    message_title,
)

_ERRORS: Final = 4
_MARGIN: Final = 11 * " "


class ClientTerminalReport:
    """Prints findings at once, and the summary at the end."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __call__(self, findings: Sequence[RequestFinding]) -> None:
        """Print findings of new causes."""
        for finding in findings:
            self._say([*finding_lines(finding), ""])

    def summary(self, account: ClientSummary) -> None:
        """Print a table by message and version, the software, the causes, and the last line."""
        statistics = account.statistics
        if statistics.rows:
            self._console.print(_table(statistics))
        self._say(_clients(statistics))
        for cause in statistics.causes.values():
            first = cause.first
            self._say(
                [f"  {first.fault}: {message_title(first)}: {first.summary}; {format_times(cause.count)}"]
            )
        self._say([*accepted_lines(account), account.verdict, account.summary])

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._console.print(Text(indented(line, _MARGIN)), soft_wrap=True)


def _table(statistics: RequestStatistics) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("message")
    table.add_column("version", justify="right")
    table.add_column("requests", justify="right")
    table.add_column("right", justify="right")
    table.add_column("errors that the broker answered", overflow="fold")
    for (message, version), row in sorted(statistics.rows.items()):
        errors = ", ".join(f"{name} ({count:,})" for name, count in row.errors.most_common(_ERRORS))
        if len(row.errors) > _ERRORS:
            errors += f" and {len(row.errors) - _ERRORS} more"
        table.add_row(message, str(version), f"{row.requests:,}", f"{row.right:,}", errors)
    return table


def _clients(statistics: RequestStatistics) -> Iterator[str]:
    if statistics.software:
        yield "software: " + ", ".join(name for name, _ in statistics.software.most_common())


def client_summary_json(account: ClientSummary) -> dict[str, Any]:
    """Return the summary as JSON."""
    statistics = account.statistics
    return {
        "release": account.release,
        "connections": account.connections,
        "requests": statistics.requests,
        "wrong": statistics.wrong,
        "messages": [message_json(*place, row) for place, row in sorted(statistics.rows.items())],
        "clients": dict(statistics.clients),
        "software": dict(statistics.software),
        "findings": [
            {**finding_json(each.first), "count": each.count} for each in statistics.causes.values()
        ],
        **accepted_json(account),
    }


def accepted_json(account: ClientSummary) -> dict[str, Any]:
    """Return the accepted findings, and the entries that accept nothing, as JSON."""
    return {
        "accepted": [
            {"message": each.message, "field": each.field, "fault": each.rule, "count": count}
            for each, count in account.statistics.accepted.items()
        ],
        "unmatched": [str(each) for each in account.unmatched],
    }


def message_json(message: str, version: int, row: MessageStatistics) -> dict[str, Any]:
    """Return the statistics of a message at a version as JSON."""
    return {
        "message": message,
        "version": version,
        "requests": row.requests,
        "right": row.right,
        "bytes": row.request_bytes,
        "errors": dict(row.errors),
    }


def finding_json(finding: RequestFinding) -> dict[str, Any]:
    divergence = finding.divergence
    differing = {}
    if divergence is not None:
        differing = {
            "field": divergence.path,
            "kind": divergence.kind,
            "at": divergence.offset,
            finding.party: divergence.codec,
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
        **({"request": finding.request.hex()} if finding.request else {}),
        **({"rule": finding.rule, "replay": finding.replay} if finding.replay else {}),
        **differing,
    }


class ClientProgressLine:
    """A status line below the output, on terminals only. A context manager."""

    def __init__(self, console: Console) -> None:
        self._status = console.status("starting the broker") if console.is_terminal else None

    def __enter__(self) -> "ClientProgressLine":
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def say(self, words: str) -> None:
        """Show the current step."""
        if self._status is not None:
            self._status.update(Text(printable(words)))

    def count(self, statistics: RequestStatistics) -> None:
        """Show the number of judged requests."""
        requests, causes = counted(statistics.requests, "request"), counted(len(statistics.causes), "finding")
        self.say(f"the program runs: {requests} judged, {causes}")


FORMAT_VERSION: Final = 1


class ClientEventWriter:
    """Writes events to a stream, a JSON object a line, from the header on, before the program starts.

    A finding is written at the first occurrence of its cause; the counts follow at the end. A file without a
    footer was cut short. `docs/reference/judge-events.schema.json` describes every line.
    """

    def __init__(self, stream: TextIO, account: ClientSummary) -> None:
        self._stream = stream
        self._release = account.release
        self._write(
            "header",
            {
                "format": FORMAT_VERSION,
                "gate": "judge",
                "version": account.version,
                "command": list(account.command),
                "program": list(account.program),
                "broker": account.broker,
                "releases": [account.release],
                "jars": dict(account.jars),
            },
        )

    def __call__(self, findings: Sequence[RequestFinding]) -> None:
        """Write findings of new causes."""
        for finding in findings:
            self._write("finding", finding_json(finding))

    def end(self, account: ClientSummary) -> None:
        """Write an event for each message version, and the footer."""
        statistics = account.statistics
        for (message, version), row in sorted(statistics.rows.items()):
            cell = {"cell": str(CellId(self._release, message, version)), "module": row.module}
            self._write("cell", {**cell, **message_json(message, version, row)})
        totals = {
            "cells": len(statistics.rows),
            "cellsFailed": sum(row.right < row.requests for row in statistics.rows.values()),
            "requests": statistics.requests,
            "wrong": statistics.wrong,
            "causes": len(statistics.causes),
            "connections": account.connections,
            "clients": dict(statistics.clients),
            "software": dict(statistics.software),
            "ended": account.ended,
            "seconds": round(account.duration_s, 3),
            "exitCode": None if account.exit_code is None else int(account.exit_code),
        }
        self._write("footer", totals)

    def _write(self, event: str, members: Mapping[str, Any]) -> None:
        line = json_text({"event": event, **members})
        self._stream.write(f"{line}\n")
        self._stream.flush()
