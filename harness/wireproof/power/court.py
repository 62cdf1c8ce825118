"""All mutants of our own codec, over processes."""

from collections.abc import Callable, Sequence
from functools import partial

from wireproof.power.bench import MakeFlaws, MakePowerBench
from wireproof.power.pool import MutantPool
from wireproof.power.trial import judge_flaw
from wireproof.power.verdicts import Lost, Verdict

__all__ = ["Court"]


class Court(MutantPool[str, Verdict]):
    """Judges the mutants of our own codec. Use as a context manager: leaving it ends every process.

    Args:
        names: the flaws to judge, of those that `make_flaws` gives.
        jobs: how many processes at most.
    """

    def __init__(
        self, make_bench: MakePowerBench, make_flaws: MakeFlaws, names: Sequence[str], seed: int, jobs: int
    ) -> None:
        super().__init__(
            partial(_judge, make_bench, make_flaws, seed),
            names,
            lambda name, reason: Lost.of(make_flaws()[name], reason),
            jobs,
        )


def _judge(make_bench: MakePowerBench, make_flaws: MakeFlaws, seed: int) -> Callable[[str], Verdict]:
    bench = make_bench()
    return lambda name: judge_flaw(bench, make_flaws, name, seed)
