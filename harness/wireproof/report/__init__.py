"""Listeners to a run: terminal, event file, and the reports that are written at its end."""

from wireproof.report.events.event_file import EventFile
from wireproof.report.findings import CauseFinding, CauseGroup, Findings, SharedReason
from wireproof.report.losses import LossGroups

__all__ = ["EventFile", "CauseFinding", "Findings", "CauseGroup", "LossGroups", "SharedReason"]
