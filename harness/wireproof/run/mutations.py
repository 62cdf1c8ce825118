"""The mutations phase: valid bytes of a cell with one hostile change each, read in limited processes.

The codec's answers depend on the bytes and the layout alone, so where the next release has the cell alike
they are held, and only that release's classes are asked again.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from kafkawire.schema.layout import MessageLayout
from wireproof.checks import judge_malformed
from wireproof.model import Answer, Encode, Encoded, LimitedAdapter, OracleReply, Phase
from wireproof.run.alike import Mutated
from wireproof.run.frames import FULLEST
from wireproof.run.recorder import Recorder
from wireproof.run.trial import Trial

__all__ = ["judge_mutations", "prove_mutations"]

BASES = ("message/default", FULLEST, "message/nulls")
"""The enumerated cases whose bytes are spoiled; the fullest has every field, tag and marker there is."""
_LARGEST_BYTES = 8192
"""A base above this size is left out: every byte of it is a cut of its own."""
_BATCH = 2048


def prove_mutations(trial: Trial, only: str = "") -> None:
    """Every mutation of every base through all codecs and Kafka.

    Args:
        only: the name of the one mutation to try; all where it is empty.
    """
    held = None if only else trial.bench.mutations.recall(trial.layout)
    if held is None:
        mutated: Sequence[Mutated] = [each for each in _mutated(trial) if only in ("", each.name)]
        answers = _answers(trial, mutated)
        if not only:
            trial.bench.mutations.keep(trial.layout, mutated, answers)
    else:
        mutated, answers = held
    trial.announce(Phase.MUTATIONS, [mutated[0].name, mutated[-1].name] if mutated else [])
    for start in range(0, len(mutated), _BATCH):
        part = mutated[start : start + _BATCH]
        replies = trial.subject.oracle.read(trial.cell, trial.layout, [each.data for each in part])
        for adapter, given in zip(trial.bench.limited, answers, strict=True):
            judge_mutations(
                trial.recorder, adapter.name, trial.layout, part, given[start : start + _BATCH], replies
            )


def _answers(trial: Trial, mutated: Sequence[Mutated]) -> list[Sequence[Answer]]:
    """What each codec makes of all of them, each in its own process at the same time."""
    inputs = [each.data for each in mutated]

    def ask(adapter: LimitedAdapter) -> Sequence[Answer]:
        return adapter.decode_all(trial.layout, inputs)

    with ThreadPoolExecutor(max_workers=max(1, len(trial.bench.limited))) as threads:
        return list(threads.map(ask, trial.bench.limited))


def _mutated(trial: Trial) -> Iterator[Mutated]:
    """The mutations of the bases, each bytes once."""
    seen: set[bytes] = set()
    for base, data in _bases(trial):
        seen.add(data)
        for mutation in trial.bench.source.mutations(trial.layout, data):
            changed = mutation.apply(data)
            if changed not in seen:
                seen.add(changed)
                yield Mutated(f"{base}/{mutation.name}", mutation, changed)


def _bases(trial: Trial) -> Iterator[tuple[str, bytes]]:
    adapter = trial.subject.adapters[0]
    for case in trial.bench.source.enumerated(trial.cell, trial.layout):
        if case.name in BASES:
            (reply,) = adapter.ask(trial.cell, trial.layout, [Encode(case.value)])
            if isinstance(reply, Encoded) and len(reply.data) <= _LARGEST_BYTES:
                yield case.name.removeprefix("message/"), reply.data


def judge_mutations(
    recorder: Recorder,
    subject: str,
    layout: MessageLayout | None,
    mutated: Sequence[Mutated],
    answers: Sequence[Answer],
    replies: Sequence[OracleReply],
) -> None:
    """Judge each and record it."""
    for each, answer, reply in zip(mutated, answers, replies, strict=True):
        judged = judge_malformed(layout, subject, each.mutation, each.data, answer, reply)
        recorder.judged(judged.verdict, judged.laxity.name if judged.laxity else "")
        if judged.divergence is not None:
            recorder.failed(Phase.MUTATIONS, each.name, (judged.divergence,))
        recorder.count(Phase.MUTATIONS, 1, len(each.data), 1 if judged.divergence else 0)
