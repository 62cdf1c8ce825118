"""The event file of `wireproof judge`: one JSON object a line, written as it happens.

A finding is written at the first occurrence of its cause; the counts follow at the end. A file without a
footer was cut short. `docs/reference/judge-events.schema.json` describes every line.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TextIO

from wireproof.base.text.foreign_text import json_text
from wireproof.model import CellId
from wireproof.proof.client_judge import RequestFinding
from wireproof.verdict.report.client_judge.client_summary import ClientSummary
from wireproof.verdict.report.client_judge.client_terminal import finding_json, message_json

FORMAT_VERSION: Final = 1


class ClientEventWriter:
    """Writes events to a stream, starting with the header, from the summary before the program starts."""

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
