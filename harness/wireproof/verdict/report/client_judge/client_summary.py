"""The summary of a judged program, for reports at its end, and its reports in the terminal and as events."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, TextIO

from rich import box
from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from wireproof.base.accepted_findings import AcceptedFinding
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted, first_names, indented, json_text, printable
from wireproof.model.cell import CellId
from wireproof.proof.client_judge.sent_requests import (
    FindingGroup,
    MessageStatistics,
    RequestFinding,
    RequestStatistics,
)

_GONE: Final = "An accepted finding is gone: remove its entry."


@dataclass(slots=True)
class ClientSummary:
    """The summary of a judged program. Its fields are set as they become known.

    Attributes:
        version: the version of wireproof.
        program: the program's own command line.
        broker: as the user named it.
        jars: the jars of the judging classes: file name to SHA-256.
        ended: how the program ended, such as ``was ended by --budget 60``; empty for exit code 0.
        exit_code: None until it is known.
        stopped: the reason for a premature stop; empty without one.
        accepted_in: the file of accepted findings; empty without one.
        partial: some of the rules were not judged.
        subject, asked: the nouns for what was judged and for its messages: ``program`` and ``request``.
        differs, agrees, nothing, nothing_found: sentences of reports.
    """

    version: str
    command: tuple[str, ...]
    program: tuple[str, ...]
    broker: str
    release: str = ""
    jars: Mapping[str, str] = field(default_factory=dict)
    statistics: RequestStatistics = field(default_factory=RequestStatistics)
    connections: int = 0
    duration_s: float = 0.0
    ended: str = ""
    exit_code: ExitCode | None = None
    stopped: str = ""
    accepted_in: str = ""
    partial: bool = False
    subject: ClassVar[str] = "program"
    asked: ClassVar[str] = "request"
    differs: ClassVar[str] = "What the client sent is not what Kafka would send."
    agrees: ClassVar[str] = "Kafka's own classes read each request, and write it again as it was."
    nothing: ClassVar[str] = "Nothing was sent."
    nothing_found: ClassVar[str] = "No request differs from what Kafka would send."

    @property
    def unmatched(self) -> list[AcceptedFinding]:
        """The entries of accepted findings that match nothing; empty if something was not judged."""
        cut = self.partial or self.ended or self.stopped or self.exit_code is ExitCode.INTERRUPTED
        return [] if cut else self.statistics.unmatched()

    @property
    def cut(self) -> str:
        """The reason why not everything was judged, in words; empty if everything was."""
        if self.exit_code is ExitCode.INTERRUPTED:
            return "a signal ended the judgement"
        return f"the {self.subject} {self.ended}" if self.ended else ""

    @property
    def verdict(self) -> str:
        """One or two sentences."""
        if self.statistics.causes:
            return f"Not proven. {self.differs}"
        if self.unmatched:
            return f"{_GONE} {self.agrees}"
        if not self.statistics.requests:
            return f"No whole {self.asked} was sent." if self.connections else self.nothing
        return f"Incomplete: {self.cut}. Until then: {self.agrees}" if self.cut else f"Right. {self.agrees}"

    @property
    def summary(self) -> str:
        """The last line."""
        parts = (
            f"{counted(self.statistics.requests, self.asked)} of "
            f"{counted(len(self.statistics.rows), 'message version')}",
            counted(self.connections, "connection"),
            counted(len(self.statistics.causes), "finding"),
        )
        return f"{', '.join(parts)}, {self.duration_s:.1f} s"


@dataclass(slots=True)
class BrokerSummary(ClientSummary):
    """The summary of a judged broker; `program` is its address."""

    subject: ClassVar[str] = "broker"
    asked: ClassVar[str] = "answer"
    differs: ClassVar[str] = "The broker breaks a rule."
    agrees: ClassVar[str] = "It kept every rule, and Kafka's own classes read each answer to its end."
    nothing: ClassVar[str] = "Nothing was answered."
    nothing_found: ClassVar[str] = agrees


_SHOWN_BYTES: Final = 64


def message_title(finding: RequestFinding) -> str:
    """Return message and version, or ``bytes`` outside of requests."""
    return f"{finding.message} version {finding.version}" if finding.message else "bytes"


def finding_lines(finding: RequestFinding) -> Iterator[str]:
    yield f"{message_title(finding)}: {finding.summary}"
    yield f"  fault    {finding.fault}"
    if (divergence := finding.divergence) is not None:
        if divergence.path:
            yield f"  field    {divergence.path}" + (f" ({divergence.field})" if divergence.field else "")
        if divergence.offset is not None:
            yield f"  at byte  {divergence.offset}"
        if divergence.codec:
            yield f"  {finding.party:8} {divergence.codec}"
        if divergence.oracle:
            yield f"  Kafka    {divergence.oracle}"
    yield f"  where    {finding.where}"
    if finding.frame:
        more = f" and {len(finding.frame) - _SHOWN_BYTES:,} more" if len(finding.frame) > _SHOWN_BYTES else ""
        yield f"  frame    {finding.frame[:_SHOWN_BYTES].hex()}{more}"
    if finding.request:
        yield f"  request  {finding.request.hex()}"
    for name, text in (("rule", finding.rule), ("replay", finding.replay)):
        if text:
            yield f"  {name:8} {text}"


def accepted_lines(account: ClientSummary) -> Iterator[str]:
    """Yield the accepted findings with their reasons, and the entries that accept nothing."""
    for entry, count in account.statistics.accepted.items():
        yield f"accepted: {entry}, {counted(count, 'time')}: {entry.date}: {entry.reason}"
    for entry in account.unmatched:
        yield f"{account.accepted_in}:{entry.line}: error: {entry.unmatched_words}"


def group_lines(cause: FindingGroup) -> Iterator[str]:
    """Yield the lines of a group's first finding, and its number of occurrences."""
    yield from finding_lines(cause.first)
    yield f"  met      {counted(cause.count, 'time')}"


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
        if statistics.software:
            self._say(["software: " + ", ".join(name for name, _ in statistics.software.most_common())])
        for cause in statistics.causes.values():
            first = cause.first
            self._say(
                [f"  {first.fault}: {message_title(first)}: {first.summary}; {counted(cause.count, 'time')}"]
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
        named = [f"{name} ({count:,})" for name, count in row.errors.most_common()]
        errors = first_names(named, _ERRORS)
        table.add_row(message, str(version), f"{row.requests:,}", f"{row.right:,}", errors)
    return table


def client_summary_json(account: ClientSummary) -> dict[str, Any]:
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
        **({"rule": finding.rule} if finding.rule else {}),
        **({"replay": finding.replay} if finding.replay else {}),
        **differing,
    }


class ClientProgressLine(Status):
    """A status line below the output; rich shows it on terminals only."""

    def __init__(self, console: Console) -> None:
        super().__init__("starting the broker", console=console)

    def say(self, words: str) -> None:
        """Show the current step."""
        self.update(Text(printable(words)))

    def count(self, statistics: RequestStatistics) -> None:
        """Show the number of judged requests."""
        requests, causes = counted(statistics.requests, "request"), counted(len(statistics.causes), "finding")
        self.say(f"the program runs: {requests} judged, {causes}")


FORMAT_VERSION: Final = 1


class ClientEventWriter:
    """Writes events to a stream, one JSON object per line; the header before the program starts.

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
