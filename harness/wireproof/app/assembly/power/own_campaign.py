"""The campaign of mutants of our own codec."""

from collections.abc import Sequence
from functools import partial
from typing import assert_never

from wireproof.app.assembly.inputs.run_inputs import RunInputs
from wireproof.app.assembly.power.campaign import MutationCampaign
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.model import Adapter
from wireproof.power import (
    OWN_CODEC,
    MakeOperators,
    MessageCodecs,
    MutantRecipe,
    PowerEnvironment,
    RecordCodecs,
    lost_mutant,
    make_codec_judge,
)
from wireproof.proof.adapters.own import KafkawireAdapter, LimitedCodec, RecordCodec, RecordsAdapter
from wireproof.proof.run import header_layouts

__all__ = ["own_campaign"]


def own_campaign(
    prepared: RunInputs, make_operators: MakeOperators, names: Sequence[str], seed: int
) -> MutationCampaign:
    """The mutants of our codec; the plan has to kill each.

    Args:
        make_operators: a function of a module, so that pickle finds it by name.
        names: the operators to judge, of those that it returns.
    """
    make_judge = partial(make_codec_judge, partial(_environment, prepared), make_operators, seed)
    title = f"{OWN_CODEC} against Kafka {prepared.parts[0].release.version}"
    return MutationCampaign(title, names, make_judge, partial(lost_mutant, make_operators), goal=1)


def _environment(prepared: RunInputs) -> PowerEnvironment:
    """The environment of each worker. It does not use the run's own codecs: a mutant replaces them."""
    (part,) = prepared.parts
    headers = header_layouts(part.schemas)

    def adapt(name: str, codecs: MessageCodecs | RecordCodecs) -> Adapter:
        match codecs:
            case MessageCodecs(make=make, frames=frames):
                return KafkawireAdapter(name, make, headers, frames)
            case RecordCodecs():
                return RecordsAdapter(name, RecordCodec(codecs.encode, codecs.decode, codecs.size))
            case _:
                assert_never(codecs)

    def limit(name: str, recipe: MutantRecipe) -> LimitedCodec:
        return LimitedCodec(name, recipe.codec, make_records=recipe.records, cpu_s=1)

    return PowerEnvironment(environment_maker(prepared)(), part.schemas, adapt, limit)
