"""The oracle phase of one cell: instances that Kafka's class made, its two codecs, its idea of equality."""

from collections.abc import Sequence
from typing import Any

from kafkawire.canonical import Canonical, canonical
from kafkawire.errors import CodecError
from wireproof.checks import judge_equality, judge_second
from wireproof.model import Divergence, OracleReply, OracleValue, Phase
from wireproof.run.context.cell_context import Trial
from wireproof.run.context.value_judgement import judge_instances
from wireproof.run.core.frame_cases import FULLEST

__all__ = ["prove_oracle"]

_MOST_BODIES = 24
"""Instances of a cell that `SCHEMAS` are asked about: the first ones have all fields, and all nulls."""


def prove_oracle(trial: Trial) -> None:
    """What the oracle makes of its own class."""
    options, recorder = trial.options, trial.recorder
    trial.announce(Phase.ORACLE, [f"seed-{options.seed}"])
    made = trial.subject.oracle.instances(trial.cell, trial.layout, options.instances, options.seed)
    trial.announce(Phase.ORACLE, [f"seed-{options.seed}-{index}" for index in range(len(made))])
    form = canonical(trial.layout)

    def judge(value: dict[str, Any]) -> tuple[Divergence, ...]:
        """An instance that the oracle builds of a value told to it."""
        built = trial.subject.oracle.write(trial.cell, trial.layout, [form.to_binary(value)])
        return judge_instances(trial.subject, built)[0]

    for index, (item, divergences) in enumerate(zip(made, judge_instances(trial.subject, made), strict=True)):
        known = item if isinstance(item, OracleValue) else None
        told = recorder.excused(divergences)
        if told:
            name, value = f"seed-{options.seed}-{index}", _value_of(form, known)
            if recorder.failed(Phase.ORACLE, name, told, value) and value is not None:
                trial.shrink(Phase.ORACLE, name, value, told, judge)
        elif (
            known is not None
            and not divergences
            and trial.coverage is not None
            and trial.coverage.wants_values
        ):
            trial.met(form.from_binary(known.value))
        recorder.count(Phase.ORACLE, 1, len(known.written) if known else 0, 1 if told else 0)
    _judge_codecs(trial, made)


def _judge_codecs(trial: Trial, made: Sequence[OracleReply]) -> None:
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


def _value_of(form: Canonical, made: OracleValue | None) -> dict[str, Any] | None:
    """The value of an oracle's instance; None where it has none, or our reading of it is at fault."""
    try:
        return None if made is None else form.from_binary(made.value)
    except CodecError:
        return None
