"""Events of a real run over a small release: a planted error, a ledger, versions without a claim."""

from dataclasses import replace
from functools import cache
from typing import Any

from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from tests.support.reports.sample_events import STARTED
from wireproof.model.cell import Phase
from wireproof.proof.run.core.environment import all_cells
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import AcceptedDeviation, RunEvent, RunHeader
from wireproof.verdict.report.run_summary import RunSummary

PHASES = (*small_environment.PHASES, Phase.MUTATIONS)

HEADER: RunHeader = replace(
    STARTED,
    releases=(small_environment.RELEASE,),
    subjects=("kafkawire[compiled]",),
    phases=PHASES,
    cells=8,
    cells_offered=10,
    ledger={"null-of-note": "bug: a null note is written as empty"},
    terms={"null-of-note": AcceptedDeviation("bytes", "2026-01-02", "2026-03-04", "the team")},
    unclaimed={f"{small_environment.RELEASE}/clients/PongRequest": (0, 1)},
)
"""The header; the ledger's entry has expired, and the run did not meet it."""


def null_as_empty(layout: MessageLayout) -> Any:
    """A codec that writes null as empty in requests up to version 2; all other messages are right."""
    wrong = layout.name == "PingRequest" and layout.version <= 2
    return small_environment.NullAsEmpty(layout) if wrong else interpret_layout(layout)


@cache
def events() -> tuple[RunEvent, ...]:
    """The events of the run, with its header; the same objects at each call."""
    options = RunOptions(phases=PHASES, examples=10, shrink_s=0.5)
    engine = small_environment.engine(small_environment.make(wrong=null_as_empty), options)
    return (HEADER, *engine.run(list(all_cells(small_environment.schemas()))))


def summary_of(*found: RunEvent) -> RunSummary:
    """The summary of events."""
    summary = RunSummary()
    for event in found:
        summary(event)
    return summary
