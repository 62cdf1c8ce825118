"""Cells that no generated class is for: primitives, and protocols that Kafka writes by hand."""

from collections.abc import Callable, Mapping

from wireproof.model.cell import Phase
from wireproof.proof.checks.references.layout_shape import judge_schema
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.phases.bulk_phase import prove_bulk
from wireproof.proof.run.phases.corpus_phase import prove_corpus
from wireproof.proof.run.phases.embedded_phase import prove_embedded
from wireproof.proof.run.phases.enumerated_phase import prove_enumerated
from wireproof.proof.run.phases.mutations_phase import prove_mutations
from wireproof.proof.run.phases.random_phase import prove_random
from wireproof.proof.run.provers.message_prover import CellProver


class PrimitiveProver(CellProver):
    """The prover of primitives, which have no class of their own and nothing around them."""

    def phases(self) -> Mapping[Phase, Callable[[CellContext], object]]:
        return {
            Phase.ENUMERATED: prove_enumerated,
            Phase.RANDOM: prove_random,
            Phase.MUTATIONS: prove_mutations,
            Phase.BULK: prove_bulk,
        }


class SchemalessProver(CellProver):
    """The prover of messages that have no class in Kafka but hand-written schemas."""

    def phases(self) -> Mapping[Phase, Callable[[CellContext], object]]:
        return {
            Phase.SHAPE: _prove_shape,
            Phase.ENUMERATED: prove_enumerated,
            Phase.EMBEDDED: prove_embedded,
            Phase.RANDOM: prove_random,
            Phase.MUTATIONS: prove_mutations,
            Phase.BULK: prove_bulk,
            Phase.CORPUS: prove_corpus,
        }


def _prove_shape(context: CellContext) -> None:
    """The layout against the schemas: names, order, types and nullability."""
    context.announce(Phase.SHAPE, ["layout"])
    found = list(
        judge_schema(context.layout, context.target.oracle.schema(context.cell), nullability_shown=True)
    )
    for index, divergence in enumerate(found):
        context.recorder.failed(Phase.SHAPE, f"layout/{divergence.check}-{index}", (divergence,))
    context.recorder.count(Phase.SHAPE, 1, 0, 1 if found else 0)
