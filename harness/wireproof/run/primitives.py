"""Cells of the module ``primitives``: single ones, against what Kafka's own classes read and write with."""

from collections.abc import Callable, Mapping

from wireproof.model import Phase
from wireproof.run.bulk import prove_bulk
from wireproof.run.enumerated import prove_enumerated
from wireproof.run.mutations import prove_mutations
from wireproof.run.prover import CellProver
from wireproof.run.random_phase import prove_random
from wireproof.run.trial import Trial

__all__ = ["PrimitiveProver"]


class PrimitiveProver(CellProver):
    """The prover of primitives, which have no class of their own and nothing around them."""

    def phases(self) -> Mapping[Phase, Callable[[Trial], object]]:
        return {
            Phase.ENUMERATED: prove_enumerated,
            Phase.RANDOM: prove_random,
            Phase.MUTATIONS: prove_mutations,
            Phase.BULK: prove_bulk,
        }
