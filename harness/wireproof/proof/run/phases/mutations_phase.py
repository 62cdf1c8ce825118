"""The mutations phase: valid bytes of a cell with one hostile change each, read in limited processes.

The codec's answers depend on the bytes and the layout alone. So if the next release has the same layout, the
answers are reused, and only that release's classes are asked.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from wireproof.model.cell import Phase
from wireproof.model.malformed_input import Answer, LimitedAdapter
from wireproof.model.oracle import OracleFrame, OracleReply
from wireproof.proof.checks.malformed.mutated_bytes import MalformedSubject
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.prepared_cases import MutatedCase
from wireproof.proof.run.malformed.mutated_bases import make_mutations, read_mutated
from wireproof.proof.run.malformed.mutation_judgement import (
    FreshRetry,
    MutationRecord,
    fresh_retries,
    judge_mutations,
)

_BATCH = 2048


def prove_mutations(context: CellContext) -> None:
    """Ask all codecs and Kafka about the mutations of every base, as many as the options say."""
    only, memory, size = context.only, context.environment.mutations, context.options.mutations
    held = None if only else memory.recall(context.layout, size)
    if held is None:
        mutated: Sequence[MutatedCase] = list(_wanted(context))
        answers = _answers(context, mutated)
        if not only:
            memory.keep(context.layout, (mutated, answers), size)
    else:
        mutated, answers = held
    context.announce(Phase.MUTATIONS, [mutated[0].name, mutated[-1].name] if mutated else [])
    frames_at = sum(not each.framed for each in mutated)
    judged_from = len(mutated) - 1 if only and mutated else 0
    with fresh_retries(context, _asked(context), partial(_read_all, context), mutated) as retries:
        for start, end in ((0, frames_at), (frames_at, len(mutated))):
            for at in range(max(start, judged_from), end, _BATCH):
                part = slice(at, min(at + _BATCH, end))
                _judge_part(context, mutated, answers, part, retries)


def _wanted(context: CellContext) -> Iterator[MutatedCase]:
    """The mutations to try. A named one may have the same bytes as another, which a run tries only once."""
    sliced = context.options.mutations is MutationSet.SLICE
    if not context.only:
        yield from make_mutations(context.environment, context.target, sliced=sliced)
        return
    before: list[MutatedCase] = []
    for each in make_mutations(context.environment, context.target, repeats=True):
        if each.name == context.only:
            yield from (*before, each)
            return
        if each.name in context.after:
            before.append(each)


def _judge_part(
    context: CellContext,
    mutated: Sequence[MutatedCase],
    answers: Sequence[Sequence[Answer]],
    part: slice,
    retries: Sequence[FreshRetry],
) -> None:
    """Judge a part that has only bodies or only frames."""
    framed = mutated[part.start].framed
    cell, layout, oracle = context.cell, context.layout, context.target.oracle
    inputs = [each.data for each in mutated[part]]
    replies: Sequence[OracleReply | OracleFrame]
    if framed:
        replies = oracle.read_frames(cell, layout, context.environment.layouts.headers(cell), inputs)
    else:
        replies = oracle.read(cell, layout, inputs)
    header = context.environment.layouts.header(cell) if framed else None
    subjects = [MalformedSubject(each.name, cell.release, layout, header) for each in _asked(context)]
    given = [each[part] for each in answers]
    record = MutationRecord(context.recorder, Phase.MUTATIONS, context.comparison, retries)
    judge_mutations(record, subjects, mutated[part], given, replies)


def _answers(context: CellContext, mutated: Sequence[MutatedCase]) -> list[Sequence[Answer]]:
    """The answers of all codecs; the codecs read at the same time, each in its own process."""
    asked = _asked(context)
    if len(asked) == 1:
        return [_read_all(context, asked[0], mutated)]
    with ThreadPoolExecutor(max_workers=max(1, len(asked))) as threads:
        return list(threads.map(lambda each: _read_all(context, each, mutated), asked))


def _read_all(
    context: CellContext, adapter: LimitedAdapter, mutated: Sequence[MutatedCase]
) -> Sequence[Answer]:
    """The answers of one codec: to bodies first, then to frames."""
    answers = read_mutated(adapter, context.layout, None, [each for each in mutated if not each.framed])
    header, frames = (
        context.environment.layouts.header(context.cell),
        [each for each in mutated if each.framed],
    )
    return answers if header is None else answers + read_mutated(adapter, context.layout, header, frames)


def _asked(context: CellContext) -> Sequence[LimitedAdapter]:
    """The codecs that read the mutations; for the slice, only the first of our two codecs.

    The compiled codec hands input that it refuses to the interpreted codec, which must refuse it, too.
    """
    sliced = context.options.mutations is MutationSet.SLICE
    both = not context.environment.foreign and not context.environment.compared
    return context.environment.limited[:1] if sliced and both else context.environment.limited
