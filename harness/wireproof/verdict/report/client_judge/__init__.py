"""Reports of `wireproof judge`: terminal, JSON, events, JUnit, Markdown, annotations."""

from wireproof.verdict.report.client_judge.client_summary import BrokerSummary, ClientSummary
from wireproof.verdict.report.client_judge.client_terminal import (
    ClientEventWriter,
    ClientProgressLine,
    ClientTerminalReport,
    client_summary_json,
)

__all__ = [
    "BrokerSummary",
    "ClientSummary",
    "ClientEventWriter",
    "ClientProgressLine",
    "ClientTerminalReport",
    "client_summary_json",
]
