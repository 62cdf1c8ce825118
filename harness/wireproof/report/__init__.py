"""Listeners to a run: terminal, event file."""

from wireproof.report.event_file import EventFile
from wireproof.report.findings import Finding, Findings

__all__ = ["EventFile", "Finding", "Findings"]
