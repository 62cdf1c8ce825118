"""Listeners to a run: terminal, event file, and the reports that are written at its end."""

from wireproof.report.findings import Finding, Findings, Group, OneReason
from wireproof.report.losses import Losses
from wireproof.report.run.event_file import EventFile

__all__ = ["EventFile", "Finding", "Findings", "Group", "Losses", "OneReason"]
