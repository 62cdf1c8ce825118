"""Reports of `wireproof judge`: terminal, JSON, events, JUnit, Markdown, annotations."""

from wireproof.verdict.report.client_judge.client_events import ClientEventWriter
from wireproof.verdict.report.client_judge.client_progress import ClientProgressLine
from wireproof.verdict.report.client_judge.client_summary import ClientSummary
from wireproof.verdict.report.client_judge.client_terminal import ClientTerminalReport, client_summary_json

__all__ = [
    "ClientSummary",
    "ClientEventWriter",
    "ClientProgressLine",
    "ClientTerminalReport",
    "client_summary_json",
]
