"""The bulk phase of one cell: seeded instances, as many as asked for, in batches.

The first codec gets every instance, with every check of values: the bytes, the size, the value that each side
reads, and how many bytes it reads. The other codecs get one instance in `OTHERS_EVERY`: they are slower, and
the first codec is compared with Kafka in all instances.
"""

from collections.abc import Iterator

from wireproof.model.cell import Case, Phase
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.prepared_cases import PreparedCase


def prove_bulk(context: CellContext) -> None:
    """Judge the instances that the options ask for; only the current batch is kept in memory."""
    options = context.options

    def asked_of_others(item: PreparedCase) -> bool:
        return (number_in(item.case.name) or 0) % options.others_every == 0

    for batch in context.batches(_cases(context, options.first_case, options.cases)):
        context.judge.batch(Phase.BULK, batch, others=asked_of_others)


def case_at(context: CellContext, number: int) -> Case:
    """The instance with this number, generated from the seed."""
    return next(_cases(context, number, 1))


def _cases(context: CellContext, first: int, count: int) -> Iterator[Case]:
    seed = context.options.seed
    values = context.environment.source.bulk(context.layout, first, count, seed=seed)
    for number, value in enumerate(values, first):
        case = Case(context.cell, Phase.BULK, name_of(seed, number), value)
        if not context.skip or case.id not in context.skip:
            yield case


def name_of(seed: int, number: int) -> str:
    """The name of a case: ``seed-7-case-123456``."""
    return f"seed-{seed}-case-{number}"


def number_in(name: str) -> int | None:
    """The number in a case's name; None if it is not the name of a bulk case."""
    _, found, digits = name.partition("-case-")
    return int(digits) if found and digits.isdecimal() else None
