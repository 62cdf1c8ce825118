"""Listeners to a run: terminal, event file, and the reports that are written at its end."""

from wireproof.verdict.report.events.event_file import EventFile
from wireproof.verdict.report.findings import CauseFinding, CauseGroup, Findings, SharedReason
from wireproof.verdict.report.run_summary import LossGroups

__all__ = ["EventFile", "CauseFinding", "Findings", "CauseGroup", "LossGroups", "SharedReason"]
