"""Listeners to a run: terminal, event file, and the reports that are written at its end."""

from wireproof.verdict.report.events.event_json import EventFile
from wireproof.verdict.report.findings import CauseGroup, Findings

__all__ = ["EventFile", "Findings", "CauseGroup"]
