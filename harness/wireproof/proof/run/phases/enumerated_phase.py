"""The enumerated phase of one cell: named boundary cases, checks of the codec's state, refusals."""

from dataclasses import replace

from wireproof.model.cell import Phase
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.prepared_cases import ProvenBatch
from wireproof.proof.run.core.shared_layouts import ProvenLayout
from wireproof.proof.run.properties.call_states import ScriptedValues, another_version_watched, try_states
from wireproof.proof.run.properties.equality_probe import EqualityProbe
from wireproof.proof.run.properties.fallback_cases import try_version_fallback
from wireproof.proof.run.properties.linear_growth import try_growth
from wireproof.proof.run.properties.value_refusals import try_refusals


def prove_enumerated(context: CellContext) -> None:
    """Run the phase; only its questions to the oracle if the layout was proven with another release."""
    known = None if context.careful or context.skip else context.environment.alike.recall(context.layout)
    if known is None:
        _prove_again(context)
        return
    for batch, met in known.batches:
        _ask_this_release(context, batch, met)
    context.coverage.again(known.refused)


def _ask_this_release(context: CellContext, batch: ProvenBatch, met: int) -> None:
    """Ask this release's classes about a proven batch; prove it again if they answer otherwise.

    Args:
        met: the classes of values that the batch was the first to meet.
    """
    cell, layout, oracle = context.cell, context.layout, context.target.oracle
    context.announce(Phase.ENUMERATED, [item.case.name for item in batch.items])
    written = oracle.write(cell, layout, [item.expected for item in batch.items])
    reread = oracle.reread(cell, layout, batch.bodies)
    if list(written) == list(batch.written) and list(reread) == list(batch.reread):
        data_bytes = sum(len(item.expected) for item in batch.items)
        context.recorder.count(Phase.ENUMERATED, len(batch.items), data_bytes, 0)
        context.coverage.again(met)
    else:
        items = [replace(item, case=replace(item.case, cell=cell)) for item in batch.items]
        context.judge.batch(Phase.ENUMERATED, items)


def _prove_again(context: CellContext) -> None:
    context.environment.alike.forget()
    scripted = ScriptedValues(context.layout)
    kept: list[ProvenBatch] = []
    met: list[int] = []
    probe = EqualityProbe()
    with another_version_watched(context):
        for batch in context.batches(context.cases()):
            wanted = _wanted(context)
            proven = context.judge.batch(Phase.ENUMERATED, batch, kept.append if context.shares else None)
            met.append(wanted & ~_wanted(context))
            probe.note(batch, proven)
            scripted.note(proven)
        try_states(context, scripted)
        try_growth(context)
        probe.prove(context)
    wanted = _wanted(context)
    try_refusals(context, scripted)
    try_version_fallback(context)
    if context.shares and not context.recorder.found_any:
        batches = list(zip(kept, met, strict=True))
        context.environment.alike.keep(context.layout, ProvenLayout(batches, wanted & ~_wanted(context)))


def _wanted(context: CellContext) -> int:
    return context.coverage.wanted
