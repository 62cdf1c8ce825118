"""The mutations phase of record sets: valid sets with one hostile change each, read in limited processes."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from kafkawire.records import encode_records
from wireproof.model.case_source import RecordCase
from wireproof.model.cell import Phase
from wireproof.model.malformed_input import Answer, LimitedAdapter, Mutation
from wireproof.proof.checks.malformed.mutated_bytes import MalformedSubject
from wireproof.proof.checks.mutation_operators import sites_of
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.prepared_cases import MutatedCase
from wireproof.proof.run.malformed.fresh_retry import (
    FreshRetry,
    MutationRecord,
    closed_at_end,
    judge_mutations,
    make_retries,
)


def prove_record_mutations(context: CellContext, only: str = "", after: Collection[str] = ()) -> None:
    """Spoiled sets, as many as the options say, read in a limited process.

    Args:
        only: the name of the one mutation to try; all where it is empty.
        after: the names of those before it that are asked first, and not judged.
    """
    source = context.record_source
    sliced = not only and context.options.mutations is MutationSet.SLICE
    # Our own codec is limited in two forms, interpreted and compiled, but has one codec of record sets.
    codecs = context.environment.limited[: len(context.target.adapters)]
    retries = make_retries(context, codecs, lambda codec, mutated: _read(context, codec, mutated))
    with closed_at_end(retries):
        for case, mutations in source.mutations(context.cell, source.slice() if sliced else None):
            if not context.target.record_domain.holds(case.records):
                continue
            right = encode_records(case.records)  # the codec's own encoder is not under test here
            every = _mutated(case, right, mutations)
            mutated = [each for each in every if not only or each.name == only or each.name in after]
            if mutated:
                _try_case(context, case, mutated, retries, only)


def _try_case(
    context: CellContext,
    case: RecordCase,
    mutated: Sequence[MutatedCase],
    retries: Sequence[FreshRetry],
    only: str,
) -> None:
    """The mutations of one set through each codec that may be asked for it.

    Args:
        only: the name of the one that is judged; all are where it is empty.
    """
    pairs = zip(context.environment.limited, context.target.adapters, strict=False)
    asked = [
        index for index, (_, each) in enumerate(pairs) if context.target.domain_of(each).holds(case.records)
    ]
    codecs = [context.environment.limited[index] for index in asked]
    retried = [retries[index] for index in asked] if retries else []
    context.announce(Phase.MUTATIONS, [each.name for each in mutated])
    answers = [_read(context, each, mutated) for each in codecs]
    for retry in retried:
        retry.asked.extend(mutated)
    judged = [index for index, each in enumerate(mutated) if not only or each.name == only]
    replies = context.target.oracle.read_records([mutated[index].data for index in judged])
    judge_mutations(
        MutationRecord(context.recorder, Phase.MUTATIONS, context.comparison, retried),
        [MalformedSubject(each.name, context.cell.release, None) for each in codecs],
        [mutated[index] for index in judged],
        [[given[index] for index in judged] for given in answers],
        replies,
    )


def _read(context: CellContext, codec: LimitedAdapter, mutated: Sequence[MutatedCase]) -> Sequence[Answer]:
    """The answer of a codec to each."""
    sites = sites_of(None, [(each.mutation, f"{Phase.MUTATIONS}/{each.name}") for each in mutated])
    return codec.decode_records(context.cell.version, [each.data for each in mutated], sites)


def _mutated(case: RecordCase, data: bytes, mutations: Iterable[Mutation]) -> Iterator[MutatedCase]:
    for mutation in mutations:
        changed = mutation.apply(data)
        if changed != data:
            yield MutatedCase(f"{case.name}/{mutation.name}", mutation, changed)
