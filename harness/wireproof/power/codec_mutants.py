"""The pool that judges the mutants of our own codec."""

from collections.abc import Callable, Sequence
from functools import partial

from wireproof.power.codec_verdicts import CodecVerdict, LostMutant
from wireproof.power.mutant_environment import MakeOperators, MakePowerEnvironment
from wireproof.power.mutant_judging import judge_mutant
from wireproof.power.mutant_pool import MutantPool

__all__ = ["CodecMutantPool"]


class CodecMutantPool(MutantPool[str, CodecVerdict]):
    """Judges the mutants of our own codec. Use as a context manager: leaving it ends every process.

    Args:
        names: the operators to judge, of those that `make_operators` returns.
        jobs: the most processes.
    """

    def __init__(
        self,
        make_environment: MakePowerEnvironment,
        make_operators: MakeOperators,
        names: Sequence[str],
        seed: int,
        jobs: int,
    ) -> None:
        super().__init__(
            partial(_judge, make_environment, make_operators, seed),
            names,
            lambda name, reason: LostMutant.of(make_operators()[name], reason),
            jobs,
        )


def _judge(
    make_environment: MakePowerEnvironment, make_operators: MakeOperators, seed: int
) -> Callable[[str], CodecVerdict]:
    environment = make_environment()
    return lambda name: judge_mutant(environment, make_operators, name, seed)
