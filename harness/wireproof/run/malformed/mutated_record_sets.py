"""The mutations phase of record sets: valid sets with one hostile change each, read in limited processes."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from kafkawire.records import encode_records
from wireproof.checks import MalformedSubject, sites_of
from wireproof.model import Answer, LimitedAdapter, Mutation, Phase, RecordCase
from wireproof.run.context.cell_context import Trial
from wireproof.run.core.mutated_cases import Mutated
from wireproof.run.core.plan import MutationSet
from wireproof.run.malformed.fresh_retry import Retrial, closed_at_end, retrials_of
from wireproof.run.malformed.mutation_judgement import MutationRecord, judge_mutations

__all__ = ["prove_record_mutations"]


def prove_record_mutations(trial: Trial, only: str = "", after: Collection[str] = ()) -> None:
    """Spoiled sets, as many as the options say, read in a limited process.

    Args:
        only: the name of the one mutation to try; all where it is empty.
        after: the names of those before it that are asked first, and not judged.
    """
    source = trial.record_source
    sliced = not only and trial.options.mutations is MutationSet.SLICE
    # Of our own codec there are twins among the limited ones, and of record sets only one.
    codecs = trial.bench.limited[: len(trial.subject.adapters)]
    retrials = retrials_of(trial, codecs, lambda codec, mutated: _read(trial, codec, mutated))
    with closed_at_end(retrials):
        for case, mutations in source.mutations(trial.cell, source.slice() if sliced else None):
            if not trial.record_domain.holds(case.records):
                continue
            right = encode_records(case.records)  # the codec's own encoder is not what is on trial here
            every = _mutated(case, right, mutations)
            mutated = [each for each in every if not only or each.name == only or each.name in after]
            if mutated:
                _try_case(trial, case, mutated, retrials, only)


def _try_case(
    trial: Trial, case: RecordCase, mutated: Sequence[Mutated], retrials: Sequence[Retrial], only: str
) -> None:
    """The mutations of one set through each codec that may be asked for it.

    Args:
        only: the name of the one that is judged; all are where it is empty.
    """
    pairs = zip(trial.bench.limited, trial.subject.adapters, strict=False)
    asked = [index for index, (_, each) in enumerate(pairs) if trial.domain_of(each).holds(case.records)]
    codecs = [trial.bench.limited[index] for index in asked]
    retried = [retrials[index] for index in asked] if retrials else []
    trial.announce(Phase.MUTATIONS, [each.name for each in mutated])
    answers = [_read(trial, each, mutated) for each in codecs]
    for retrial in retried:
        retrial.asked.extend(mutated)
    judged = [index for index, each in enumerate(mutated) if not only or each.name == only]
    replies = trial.subject.oracle.read_records([mutated[index].data for index in judged])
    judge_mutations(
        MutationRecord(trial.recorder, Phase.MUTATIONS, trial.comparison, retried),
        [MalformedSubject(each.name, trial.cell.release, None) for each in codecs],
        [mutated[index] for index in judged],
        [[given[index] for index in judged] for given in answers],
        replies,
    )


def _read(trial: Trial, codec: LimitedAdapter, mutated: Sequence[Mutated]) -> Sequence[Answer]:
    """What a codec makes of each."""
    sites = sites_of(None, [(each.mutation, f"{Phase.MUTATIONS}/{each.name}") for each in mutated])
    return codec.decode_records(trial.cell.version, [each.data for each in mutated], sites)


def _mutated(case: RecordCase, data: bytes, mutations: Iterable[Mutation]) -> Iterator[Mutated]:
    for mutation in mutations:
        changed = mutation.apply(data)
        if changed != data:
            yield Mutated(f"{case.name}/{mutation.name}", mutation, changed)
