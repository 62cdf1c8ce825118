"""The shape phase of one cell: the layout is compared with Kafka's class, before any case uses it."""

from collections.abc import Iterable, Iterator

from wireproof.model.adapter import Claimant
from wireproof.model.cell import Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.claims.claim_coverage import judge_registry
from wireproof.proof.checks.references.layout_shape import judge_header, judge_probes, judge_schema
from wireproof.proof.run.context.cell_context import CellContext


def prove_shape(context: CellContext) -> None:
    """Compare the layout with Kafka's class, before any case uses the layout."""
    cell, layout, oracle = context.cell, context.layout, context.target.oracle
    context.announce(Phase.SHAPE, ["layout"])
    shown = cell.release not in context.environment.plain_schemas
    found = [
        *judge_schema(layout, oracle.schema(cell), nullability_shown=shown),
        *judge_probes(layout, oracle.probe(cell, layout)),
        *judge_header(layout, oracle.header_versions(cell)),
        *_judge_registries(context),
        *(
            Divergence(Check.CENSUS, "layout", line)
            for line in context.environment.source.independent_count(cell, layout)
        ),
    ]
    _record(context, found)


def prove_schema(context: CellContext) -> None:
    """Compare the layout with hand-written schemas: names, order, types and nullability."""
    context.announce(Phase.SHAPE, ["layout"])
    schema = context.target.oracle.schema(context.cell)
    _record(context, judge_schema(context.layout, schema, nullability_shown=True))


def _record(context: CellContext, found: Iterable[Divergence]) -> None:
    """Report each divergence as a case; a codec's registry is its own, and may be known to be wrong."""
    left = context.recorder.excused(Phase.SHAPE, "layout", tuple(found))
    for index, divergence in enumerate(left):
        context.recorder.failed(Phase.SHAPE, f"layout/{divergence.check}-{index}", (divergence,))
    context.recorder.count(Phase.SHAPE, 1, 0, 1 if left else 0)


def _judge_registries(context: CellContext) -> Iterator[Divergence]:
    """The divergences of the codecs' own registries."""
    for adapter in context.target.adapters:
        reported = adapter.registered(context.cell) if isinstance(adapter, Claimant) else None
        if reported is not None:
            yield from judge_registry(context.layout, adapter.name, reported)
