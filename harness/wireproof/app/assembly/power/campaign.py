"""A campaign of mutation testing: what a pool judges, and how its report begins."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from wireproof.app.assembly.inputs.run_inputs import RunInputs, prepare, wanted_releases
from wireproof.app.assembly.jar_store import open_store
from wireproof.base.fatal import FatalError
from wireproof.kafka.releases import table
from wireproof.power import MutantPool, MutantVerdict, MutationSummary
from wireproof.proof.config import CODEC_FORMS, PowerConfig
from wireproof.proof.run import ExitCode, WorkerBroken

__all__ = ["MutationCampaign", "chosen_operators", "inputs_of"]

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
    return prepare(releases, open_store(config.jars, config.offline), CODEC_FORMS)


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
