"""Cells of the module ``primitives``: single ones, against what Kafka's own classes read and write with."""

from collections.abc import Callable, Mapping

from wireproof.model import Phase
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.phases.bulk_phase import prove_bulk
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
