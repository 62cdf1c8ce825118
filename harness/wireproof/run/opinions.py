"""The oracle on trial: its two codecs against each other, and its idea of equality."""

from collections.abc import Sequence

from kafkawire.canonical import canonical
from wireproof.checks import judge_equality, judge_second
from wireproof.model import Divergence, OracleReply, OracleValue, Phase
from wireproof.run.frames import FULLEST
from wireproof.run.trial import Trial

__all__ = ["judge_oracle"]

_MOST_BODIES = 24
"""Instances of a cell that `SCHEMAS` are asked about: the first ones have all fields, and all nulls."""


def judge_oracle(trial: Trial, made: Sequence[OracleReply]) -> None:
    """Kafka's two codecs against each other on instances that it made, and its idea of equality."""
    first = [reply for reply in made if isinstance(reply, OracleValue)][:_MOST_BODIES]
    bodies = [reply.written for reply in first]
    trial.announce(Phase.ORACLE, ["schemas"])
    second = trial.subject.oracle.second_reread(trial.cell, trial.layout, bodies)
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        found = judge_second(trial.cell.release, trial.layout, one, other)
        _record(trial, f"schemas-{index}", () if found is None else (found,))
    trial.announce(Phase.ORACLE, ["equality"])
    for name, value in trial.bench.source.whole(trial.layout):
        if name in (FULLEST, f"{FULLEST}-known"):
            binary = canonical(trial.layout).to_binary(value)
            breaches = trial.subject.oracle.equality(trial.cell, trial.layout, binary)
            tags = trial.layout.flexible and name == FULLEST
            found_all = judge_equality(trial.cell.release, breaches, unknown_tags=tags)
            _record(trial, f"equality/{name}", found_all)


def _record(trial: Trial, name: str, found: Sequence[Divergence]) -> None:
    told = trial.recorder.excused(tuple(found))
    if told:
        trial.recorder.failed(Phase.ORACLE, name, told)
    trial.recorder.count(Phase.ORACLE, 1, 0, 1 if told else 0)
