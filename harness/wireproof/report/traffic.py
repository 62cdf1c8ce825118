"""What was judged of real traffic, for people and for programs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wireproof.traffic import Finding, Tally

__all__ = ["TrafficReport", "traffic_json"]

_SHOWN_BYTES: Final = 64
_ERRORS: Final = 4


class TrafficReport:
    """Tells findings as they come, and the summary at the end."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def findings(self, findings: Sequence[Finding]) -> None:
        """Findings of causes that were not told before."""
        for finding in findings:
            self._say(_lines(finding))

    def summary(self, tally: Tally, connections: int, duration_s: float) -> None:
        """A table by message and version, who the clients are, the causes, and the last line."""
        if tally.rows:
            self._console.print(_table(tally))
        self._say(_clients(tally))
        for cause in tally.causes.values():
            first = cause.first
            self._say([f"  {first.fault}: {_named(first)}: {first.summary}; {_count(cause.count, 'time')}"])
        self._say(
            [
                _verdict(tally),
                f"{tally.requests:,} requests of {len(tally.rows)} message versions, {connections:,} "
                f"connections, {_count(len(tally.causes), 'finding')}, {duration_s:.1f} s",
            ]
        )

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._console.print(Text(line), soft_wrap=True)


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _verdict(tally: Tally) -> str:
    if tally.causes:
        return "Not proven. What the client sent is not what Kafka would send."
    if not tally.requests:
        return "Nothing was sent."
    return "Right. Kafka's own classes read each request, and write it again as it was."


def _lines(finding: Finding) -> Iterator[str]:
    yield f"{_named(finding)}: {finding.summary}"
    yield f"  fault    {finding.fault}"
    if (divergence := finding.divergence) is not None:
        if divergence.path:
            yield f"  field    {divergence.path}" + (f" ({divergence.field})" if divergence.field else "")
        if divergence.offset is not None:
            yield f"  at byte  {divergence.offset}"
        if divergence.codec:
            yield f"  client   {divergence.codec}"
        if divergence.oracle:
            yield f"  Kafka    {divergence.oracle}"
    who = f" of {finding.client}" if finding.client else ""
    yield f"  where    {finding.place}, connection {finding.connection}{who}, byte {finding.offset}"
    if finding.frame:
        more = f" and {len(finding.frame) - _SHOWN_BYTES:,} more" if len(finding.frame) > _SHOWN_BYTES else ""
        yield f"  frame    {finding.frame[:_SHOWN_BYTES].hex()}{more}"
    yield ""


def _named(finding: Finding) -> str:
    if not finding.message:
        return "bytes"
    return f"{finding.message} version {finding.version}"


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


def traffic_json(tally: Tally, release: str, connections: int) -> dict[str, Any]:
    """The same for programs."""
    return {
        "release": release,
        "connections": connections,
        "requests": tally.requests,
        "wrong": tally.wrong,
        "messages": [
            {
                "message": message,
                "version": version,
                "requests": row.requests,
                "right": row.right,
                "bytes": row.request_bytes,
                "errors": dict(row.errors),
            }
            for (message, version), row in sorted(tally.rows.items())
        ],
        "clients": dict(tally.clients),
        "software": dict(tally.software),
        "findings": [_finding_json(each.first, each.count) for each in tally.causes.values()],
    }


def _finding_json(finding: Finding, count: int) -> dict[str, Any]:
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
        "count": count,
        "place": finding.place,
        "connection": finding.connection,
        "offset": finding.offset,
        "frame": finding.frame.hex(),
        **differing,
    }
