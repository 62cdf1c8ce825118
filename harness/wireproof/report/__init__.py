"""Listeners to a run: terminal, event file, and the reports that are written at its end."""

from wireproof.report.event_file import EventFile
from wireproof.report.findings import Finding, Findings, Group, OneReason
from wireproof.report.losses import Losses

__all__ = ["EventFile", "Finding", "Findings", "Group", "Losses", "OneReason"]
