"""The mutations phase: valid bytes of a cell with one hostile change each, read in limited processes.

The codec's answers depend on the bytes and the layout alone, so where the next release has the cell alike
they are held, and only that release's classes are asked again.
"""

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from wireproof.checks import MalformedSubject
from wireproof.model import (
    Answer,
    LimitedAdapter,
    OracleFrame,
    OracleReply,
    Phase,
)
from wireproof.run.context.cell_context import Trial
from wireproof.run.core.mutated_cases import Mutated
from wireproof.run.core.plan import MutationSet
from wireproof.run.malformed.fresh_retry import Retrial, closed_at_end, retrials_of
from wireproof.run.malformed.mutated_bases import read_with, spoiled
from wireproof.run.malformed.mutation_judgement import MutationRecord, judge_mutations

__all__ = ["prove_mutations"]

_BATCH = 2048


def prove_mutations(trial: Trial, only: str = "", after: Collection[str] = ()) -> None:
    """The mutations of every base through all codecs and Kafka, as many as the options say.

    Args:
        only: the name of the one mutation to try; all where it is empty.
        after: the names of those before it that are asked first, and not judged.
    """
    held = None if only else trial.bench.mutations.recall(trial.layout, trial.options.mutations)
    if held is None:
        mutated: Sequence[Mutated] = list(_wanted(trial, only, after))
        answers = _answers(trial, mutated)
        if not only:
            trial.bench.mutations.keep(trial.layout, trial.options.mutations, mutated, answers)
    else:
        mutated, answers = held
    trial.announce(Phase.MUTATIONS, [mutated[0].name, mutated[-1].name] if mutated else [])
    frames_at = sum(not each.framed for each in mutated)
    judged_from = len(mutated) - 1 if only and mutated else 0
    retrials = retrials_of(trial, _asked(trial), partial(_read_all, trial), mutated)
    with closed_at_end(retrials):
        for start, end in ((0, frames_at), (frames_at, len(mutated))):
            for at in range(max(start, judged_from), end, _BATCH):
                part = slice(at, min(at + _BATCH, end))
                _judge_part(trial, mutated, answers, part, retrials)


def _wanted(trial: Trial, only: str, after: Collection[str]) -> Iterator[Mutated]:
    """The mutations to try. One by its name may be of the bytes of another, which come but once in a run."""
    sliced = trial.options.mutations is MutationSet.SLICE
    if not only:
        yield from spoiled(trial.bench, trial.subject, sliced=sliced)
        return
    before: list[Mutated] = []
    for each in spoiled(trial.bench, trial.subject, repeats=True):
        if each.name == only:
            yield from (*before, each)
            return
        if each.name in after:
            before.append(each)


def _judge_part(
    trial: Trial,
    mutated: Sequence[Mutated],
    answers: Sequence[Sequence[Answer]],
    part: slice,
    retrials: Sequence[Retrial],
) -> None:
    """A part that is bodies or frames throughout."""
    framed = mutated[part.start].framed
    cell, layout, oracle = trial.cell, trial.layout, trial.subject.oracle
    inputs = [each.data for each in mutated[part]]
    replies: Sequence[OracleReply | OracleFrame]
    if framed:
        replies = oracle.read_frames(cell, layout, trial.bench.layouts.headers(cell), inputs)
    else:
        replies = oracle.read(cell, layout, inputs)
    header = trial.bench.layouts.header(cell) if framed else None
    subjects = [MalformedSubject(each.name, cell.release, layout, header) for each in _asked(trial)]
    given = [each[part] for each in answers]
    record = MutationRecord(trial.recorder, Phase.MUTATIONS, trial.comparison, retrials)
    judge_mutations(record, subjects, mutated[part], given, replies)


def _answers(trial: Trial, mutated: Sequence[Mutated]) -> list[Sequence[Answer]]:
    """What each codec makes of all of them, each in its own process at the same time."""
    asked = _asked(trial)
    if len(asked) == 1:
        return [_read_all(trial, asked[0], mutated)]
    with ThreadPoolExecutor(max_workers=max(1, len(asked))) as threads:
        return list(threads.map(lambda each: _read_all(trial, each, mutated), asked))


def _read_all(trial: Trial, adapter: LimitedAdapter, mutated: Sequence[Mutated]) -> Sequence[Answer]:
    """What one codec makes of all of them: of bodies first, then of frames."""
    answers = read_with(adapter, trial.layout, None, [each for each in mutated if not each.framed])
    header, frames = trial.bench.layouts.header(trial.cell), [each for each in mutated if each.framed]
    return answers if header is None else answers + read_with(adapter, trial.layout, header, frames)


def _asked(trial: Trial) -> Sequence[LimitedAdapter]:
    """The codecs that read the mutations: of our twins the slice asks the first alone.

    The compiled twin hands what it refuses to the interpreted one, which has to refuse it, too.
    """
    sliced = trial.options.mutations is MutationSet.SLICE
    twins = not trial.bench.foreign and not trial.bench.compared
    return trial.bench.limited[:1] if sliced and twins else trial.bench.limited
