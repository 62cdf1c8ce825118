"""The oracle phase of one cell: instances that Kafka's class made, and Kafka's two codecs and equality."""

from collections.abc import Sequence
from typing import Any

from kafkawire.canonical import Canonical, canonical
from kafkawire.errors import CodecError
from wireproof.model.cell import Phase
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleReply, OracleValue
from wireproof.proof.checks.references.second_opinion import judge_equality, judge_second
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.context.value_judgement import judge_instances
from wireproof.proof.run.core.prepared_cases import FULLEST

_MOST_BODIES = 24
"""Instances of a cell that `SCHEMAS` are asked about: the first ones have all fields, and all nulls."""


def prove_oracle(context: CellContext) -> None:
    """Judge the instances that the oracle makes of its own class, and the oracle itself."""
    options, recorder = context.options, context.recorder
    context.announce(Phase.ORACLE, [f"seed-{options.seed}"])
    made = context.target.oracle.instances(context.cell, context.layout, options.instances, options.seed)
    context.announce(Phase.ORACLE, [f"seed-{options.seed}-{index}" for index in range(len(made))])
    form = canonical(context.layout)

    def judge(value: dict[str, Any]) -> tuple[Divergence, ...]:
        """Return the divergences of the instance that the oracle builds from a value."""
        built = context.target.oracle.write(context.cell, context.layout, [form.to_binary(value)])
        return judge_instances(context.target, built)[0]

    for index, (item, divergences) in enumerate(
        zip(made, judge_instances(context.target, made), strict=True)
    ):
        known = item if isinstance(item, OracleValue) else None
        name = f"seed-{options.seed}-{index}"
        value = _value_of(form, known) if divergences else None
        reported = recorder.excused(Phase.ORACLE, name, divergences, value)
        if reported:
            if recorder.failed(Phase.ORACLE, name, reported, value) and value is not None:
                context.shrinker.shrink(Phase.ORACLE, name, value, reported, judge)
        elif known is not None and not divergences and context.coverage.wants_values:
            context.coverage.met(form.from_binary(known.value))
        recorder.count(Phase.ORACLE, 1, len(known.written) if known else 0, 1 if reported else 0)
    _judge_codecs(context, made)


def _judge_codecs(context: CellContext, made: Sequence[OracleReply]) -> None:
    """Compare Kafka's two codecs on instances that Kafka made, and check Kafka's `equals`."""
    first = [reply for reply in made if isinstance(reply, OracleValue)][:_MOST_BODIES]
    bodies = [reply.written for reply in first]
    context.announce(Phase.ORACLE, ["schemas"])
    second = context.target.oracle.second_reread(context.cell, context.layout, bodies)
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        found = judge_second(context.cell.release, context.layout, one, other)
        context.recorder.record(Phase.ORACLE, f"schemas-{index}", () if found is None else (found,))
    context.announce(Phase.ORACLE, ["equality"])
    for name, value in context.environment.source.whole(context.layout):
        if name in (FULLEST, f"{FULLEST}-known"):
            binary = canonical(context.layout).to_binary(value)
            breaches = context.target.oracle.equality(context.cell, context.layout, binary)
            tags = context.layout.flexible and name == FULLEST
            found_all = judge_equality(context.cell.release, breaches, unknown_tags=tags)
            context.recorder.record(Phase.ORACLE, f"equality/{name}", found_all)


def _value_of(form: Canonical, made: OracleValue | None) -> dict[str, Any] | None:
    """The value of an oracle's instance; None if it has none, or if our reading of it fails."""
    try:
        return None if made is None else form.from_binary(made.value)
    except CodecError:
        return None
