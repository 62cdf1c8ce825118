"""The enumerated phase of one cell: named boundary cases, circumstances, refusals."""

from dataclasses import replace

from wireproof.model import Phase
from wireproof.run.frames import FULLEST
from wireproof.run.states import try_refusals, try_states
from wireproof.run.trial import Trial
from wireproof.run.values import Prepared, ProvenBatch

__all__ = ["prove_enumerated"]

_EXTREMES = frozenset({"message/default", FULLEST})
"""The smallest and the fullest instance: those that go through the script of states."""


def prove_enumerated(trial: Trial) -> None:
    """All of it; or the oracle's part alone, where the same layout was proven with another release."""
    known = () if trial.careful or trial.skip else trial.bench.alike.recall(trial.layout)
    if known:
        for batch in known:
            _ask_this_release(trial, batch)
    else:
        _prove_anew(trial)


def _ask_this_release(trial: Trial, batch: ProvenBatch) -> None:
    """The questions of a proven batch to this release's classes; all again where they answer otherwise."""
    cell, layout, oracle = trial.cell, trial.layout, trial.subject.oracle
    trial.announce(Phase.ENUMERATED, [item.case.name for item in batch.items])
    written = oracle.write(cell, layout, [item.expected for item in batch.items])
    reread = oracle.reread(cell, layout, batch.bodies)
    if list(written) == list(batch.written) and list(reread) == list(batch.reread):
        data_bytes = sum(len(item.expected) for item in batch.items)
        trial.recorder.count(Phase.ENUMERATED, len(batch.items), data_bytes, 0)
    else:
        items = [replace(item, case=replace(item.case, cell=cell)) for item in batch.items]
        trial.judge(Phase.ENUMERATED, items)


def _prove_anew(trial: Trial) -> None:
    trial.bench.alike.forget()
    extremes: dict[str, Prepared] = {}
    kept: list[ProvenBatch] = []
    for batch in trial.batches(trial.cases()):
        proven = trial.judge(Phase.ENUMERATED, batch, kept.append if trial.shares else None)
        extremes.update((item.case.name, item) for item in proven if item.case.name in _EXTREMES)
    try_states(trial, list(extremes.values()))
    try_refusals(trial)
    if trial.shares and not trial.recorder.found_any:
        trial.bench.alike.keep(trial.layout, kept)
