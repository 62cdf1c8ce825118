"""The shape phase of one cell: the layout against Kafka's class, before any case made of it."""

from collections.abc import Iterator

from wireproof.checks import Check, judge_header, judge_probes, judge_registry, judge_schema
from wireproof.model import Claimant, Divergence, Phase
from wireproof.run.context.cell_context import Trial

__all__ = ["prove_shape"]


def prove_shape(trial: Trial) -> None:
    """The layout against the class, before anything that comes from the layout."""
    cell, layout, oracle = trial.cell, trial.layout, trial.subject.oracle
    trial.announce(Phase.SHAPE, ["layout"])
    shown = cell.release not in trial.bench.plain_schemas
    found = [
        *judge_schema(layout, oracle.schema(cell), nullability_shown=shown),
        *judge_probes(layout, oracle.probe(cell, layout)),
        *judge_header(layout, oracle.header_versions(cell)),
        *_judge_registries(trial),
        *(Divergence(Check.CENSUS, "layout", line) for line in trial.bench.source.census(cell, layout)),
    ]
    told = trial.recorder.excused(tuple(found))  # a codec's registry is its own, and may be known to be wrong
    for index, divergence in enumerate(told):
        trial.recorder.failed(Phase.SHAPE, f"layout/{divergence.check}-{index}", (divergence,))
    trial.recorder.count(Phase.SHAPE, 1, 0, 1 if told else 0)


def _judge_registries(trial: Trial) -> Iterator[Divergence]:
    """What the codecs' own registries say of the cell, as far as they have any."""
    for adapter in trial.subject.adapters:
        told = adapter.registered(trial.cell) if isinstance(adapter, Claimant) else None
        if told is not None:
            yield from judge_registry(trial.layout, adapter.name, told)
