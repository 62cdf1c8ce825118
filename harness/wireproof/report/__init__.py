"""Listeners to a run: terminal, event file, and the reports that are written at its end."""

from wireproof.report.findings import CauseFinding, CauseGroup, Findings, SharedReason
from wireproof.report.losses import LossGroups
from wireproof.report.run.event_file import EventFile

__all__ = ["EventFile", "CauseFinding", "Findings", "CauseGroup", "LossGroups", "SharedReason"]
