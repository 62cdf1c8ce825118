"""Reports of `wireproof judge`: terminal, JSON, events, and the files at its end."""

from wireproof.verdict.report.client_judge.client_summary import BrokerSummary, ClientSummary
from wireproof.verdict.report.client_judge.client_terminal import (
    ClientEventWriter,
    ClientProgressLine,
    ClientTerminalReport,
    client_summary_json,
)
from wireproof.verdict.report.client_judge.vary_summary import VarySummary

__all__ = [
    "BrokerSummary",
    "ClientSummary",
    "ClientEventWriter",
    "ClientProgressLine",
    "ClientTerminalReport",
    "VarySummary",
    "client_summary_json",
]
