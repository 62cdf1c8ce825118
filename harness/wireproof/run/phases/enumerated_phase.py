"""The enumerated phase of one cell: named boundary cases, circumstances, refusals."""

from dataclasses import replace

from wireproof.model import Phase
from wireproof.run.context.cell_context import Trial
from wireproof.run.core.prepared_cases import ProvenBatch
from wireproof.run.core.shared_layouts import ProvenLayout
from wireproof.run.properties.call_states import another_version_watched, try_states
from wireproof.run.properties.equality_probe import Kin
from wireproof.run.properties.fallback_cases import try_version_fallback
from wireproof.run.properties.linear_growth import try_growth
from wireproof.run.properties.refused_values import try_refusals
from wireproof.run.properties.state_scripts import Scripted

__all__ = ["prove_enumerated"]


def prove_enumerated(trial: Trial) -> None:
    """All of it; or the oracle's part alone, where the same layout was proven with another release."""
    known = None if trial.careful or trial.skip else trial.bench.alike.recall(trial.layout)
    if known is None:
        _prove_anew(trial)
        return
    for batch, met in known.batches:
        _ask_this_release(trial, batch, met)
    if trial.coverage is not None:
        trial.coverage.again(known.refused)


def _ask_this_release(trial: Trial, batch: ProvenBatch, met: int) -> None:
    """The questions of a proven batch to this release's classes; all again where they answer otherwise.

    Args:
        met: the classes of values that the batch was the first to meet.
    """
    cell, layout, oracle = trial.cell, trial.layout, trial.subject.oracle
    trial.announce(Phase.ENUMERATED, [item.case.name for item in batch.items])
    written = oracle.write(cell, layout, [item.expected for item in batch.items])
    reread = oracle.reread(cell, layout, batch.bodies)
    if list(written) == list(batch.written) and list(reread) == list(batch.reread):
        data_bytes = sum(len(item.expected) for item in batch.items)
        trial.recorder.count(Phase.ENUMERATED, len(batch.items), data_bytes, 0)
        if trial.coverage is not None:
            trial.coverage.again(met)
    else:
        items = [replace(item, case=replace(item.case, cell=cell)) for item in batch.items]
        trial.judge(Phase.ENUMERATED, items)


def _prove_anew(trial: Trial) -> None:
    trial.bench.alike.forget()
    scripted = Scripted(trial.layout)
    kept: list[ProvenBatch] = []
    met: list[int] = []
    kin = Kin()
    with another_version_watched(trial):
        for batch in trial.batches(trial.cases()):
            wanted = _wanted(trial)
            proven = trial.judge(Phase.ENUMERATED, batch, kept.append if trial.shares else None)
            met.append(wanted & ~_wanted(trial))
            kin.note(batch, proven)
            scripted.note(proven)
        try_states(trial, scripted)
        try_growth(trial)
        kin.prove(trial)
    wanted = _wanted(trial)
    try_refusals(trial, scripted)
    try_version_fallback(trial)
    if trial.shares and not trial.recorder.found_any:
        batches = list(zip(kept, met, strict=True))
        trial.bench.alike.keep(trial.layout, ProvenLayout(batches, wanted & ~_wanted(trial)))


def _wanted(trial: Trial) -> int:
    return 0 if trial.coverage is None else trial.coverage.wanted
