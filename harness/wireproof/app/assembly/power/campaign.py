"""A campaign of mutation testing: what a pool judges, and how its report begins."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, assert_never

from wireproof.app.assembly.inputs.codec_forms import installed_forms
from wireproof.app.assembly.inputs.run_inputs import RunInputs, prepare, wanted_releases
from wireproof.app.assembly.jar_store import open_store
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.base.fatal import FatalError
from wireproof.kafka.releases import table
from wireproof.model import Adapter
from wireproof.power import (
    OWN_CODEC,
    MakeOperators,
    MessageCodecs,
    MutantPool,
    MutantRecipe,
    MutantVerdict,
    MutationSummary,
    PowerEnvironment,
    RecordCodecs,
    lost_mutant,
    make_codec_judge,
)
from wireproof.proof.adapters.own import KafkawireAdapter, LimitedCodec, RecordCodec, RecordsAdapter
from wireproof.proof.config import PowerConfig
from wireproof.proof.run import ExitCode, WorkerBroken, header_layouts

_Operator = TypeVar("_Operator")


@dataclass(frozen=True, slots=True)
class MutationCampaign:
    """The mutants to judge.

    Attributes:
        title: the codecs and the release, in words.
        mutants: each is pickled for a worker.
        make_judge: each worker calls it once; the function it returns judges one mutant after the other.
        lost: makes the verdict on a mutant that the harness could not judge, from the reason.
        goal: the least share of mutants to kill.
        in_order: yield the verdicts in the order of the mutants.
    """

    title: str
    mutants: Sequence[Any]
    make_judge: Callable[[], Callable[[Any], MutantVerdict]]
    lost: Callable[[Any, str], MutantVerdict]
    goal: float
    in_order: bool = True

    @property
    def summary(self) -> MutationSummary:
        """A new summary without verdicts."""
        return MutationSummary(len(self.mutants), goal=self.goal)

    def verdicts(self, jobs: int) -> Iterator[MutantVerdict | WorkerBroken | int]:
        """Yield the verdicts, and between them the number judged so far. `WorkerBroken` is the last item."""
        with MutantPool(self.make_judge, self.mutants, self.lost, jobs, self.in_order) as pool:
            for verdict in pool.run():
                yield pool.judged if verdict is None else verdict


def inputs_of(config: PowerConfig) -> RunInputs:
    """The inputs of the one release to judge by.

    Raises:
        FatalError: several releases are named, or one cannot be had.
    """
    releases = wanted_releases(table(), [config.release], [], config.source)
    if len(releases) > 1:
        raise FatalError("mutants are judged by one release at a time", "Name one.", ExitCode.USAGE)
    return prepare(releases, open_store(config.jars, config.offline), installed_forms())


def chosen_operators(
    operators: Mapping[str, _Operator], config: PowerConfig, class_of: Callable[[_Operator], str]
) -> dict[str, _Operator]:
    """The operators of the options' classes and names.

    Raises:
        FatalError: a name is unknown.
    """
    unknown = [name for name in config.mutant if name not in operators]
    if unknown:
        testee = " --testee NAME" if config.testee else ""
        words = f"`wireproof power{testee} --list` shows all."
        raise FatalError(f"there is no mutation operator {unknown[0]!r}", words, ExitCode.USAGE)
    return {
        name: operator
        for name, operator in operators.items()
        if (not config.bug_class or class_of(operator) in config.bug_class)
        and (not config.mutant or name in config.mutant)
    }


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
