"""The event file of `wireproof judge`: one JSON object a line, written as it happens.

A finding is written when its cause is met for the first time; the counts come at the end. A file without its
footer was cut short. `docs/reference/judge-events.schema.json` describes every line.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TextIO

from wireproof.foreign_text import json_text
from wireproof.report.traffic.account import TrafficAccount
from wireproof.report.traffic.terminal import finding_json, row_json
from wireproof.traffic import Finding

__all__ = ["TrafficEvents"]

FORMAT_VERSION: Final = 1


class TrafficEvents:
    """Writes lines to a stream. The header is the first thing that is written.

    Args:
        account: with what is known before the client begins.
    """

    def __init__(self, stream: TextIO, account: TrafficAccount) -> None:
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

    def __call__(self, findings: Sequence[Finding]) -> None:
        """Findings of causes that were not told before."""
        for finding in findings:
            self._write("finding", finding_json(finding))

    def end(self, account: TrafficAccount) -> None:
        """A line for each message version, and the footer."""
        tally = account.tally
        for (message, version), row in sorted(tally.rows.items()):
            cell = {"cell": f"{self._release}/{message}/{version}", "module": row.module}
            self._write("cell", {**cell, **row_json(message, version, row)})
        totals = {
            "cells": len(tally.rows),
            "cellsFailed": sum(row.right < row.requests for row in tally.rows.values()),
            "requests": tally.requests,
            "wrong": tally.wrong,
            "causes": len(tally.causes),
            "connections": account.connections,
            "clients": dict(tally.clients),
            "software": dict(tally.software),
            "ended": account.ended,
            "seconds": round(account.duration_s, 3),
            "exitCode": None if account.exit_code is None else int(account.exit_code),
        }
        self._write("footer", totals)

    def _write(self, event: str, members: Mapping[str, Any]) -> None:
        line = json_text({"event": event, **members})
        self._stream.write(f"{line}\n")
        self._stream.flush()
