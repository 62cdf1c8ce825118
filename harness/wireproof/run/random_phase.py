"""The random phase of one cell.

Instances are drawn one by one and judged many at once: a call into the oracle costs as much as several
small instances. Where a batch holds a divergence the search is done again from the same seed, judging
each instance as it comes; it meets the same one, tells it, and makes it small.
"""

from dataclasses import dataclass, field
from typing import Any

from kafkawire.canonical import canonical
from wireproof.model import Case, Divergence, Phase
from wireproof.run.trial import Trial
from wireproof.run.values import Prepared, Subject, judge_batch, prepare

__all__ = ["prove_random"]

_BATCH_CASES = 25
_BATCH_BYTES = 1 << 20


def prove_random(trial: Trial) -> None:
    """As many instances as the options say, through the first codec."""
    if trial.careful or not _search_in_batches(trial):
        _search_one_by_one(trial)


def _search_in_batches(trial: Trial) -> bool:
    """Whether all instances are proven; counted only then."""
    trial.announce(Phase.RANDOM, [_name(trial)])
    batches = _Batches(trial)
    result = trial.bench.source.search(
        trial.layout,
        batches.add,
        examples=trial.options.examples,
        seed=trial.options.seed,
        shrink_s=0,
        found=lambda value: None,
    )
    if not batches.flush():
        return False
    trial.recorder.count(Phase.RANDOM, result.examples, batches.data_bytes, 0)
    return True


@dataclass(slots=True)
class _Batches:
    """Collects instances and judges them together.

    Attributes:
        data_bytes: canonical bytes of all instances.
    """

    trial: Trial
    data_bytes: int = 0
    _waiting: list[Prepared] = field(default_factory=list)
    _waiting_bytes: int = 0
    _proven: bool = True

    def add(self, value: dict[str, Any]) -> bool:
        """Take an instance; False once a batch was not proven."""
        item = _prepared(self.trial, value)
        self._waiting.append(item)
        self._waiting_bytes += len(item.expected)
        if len(self._waiting) >= _BATCH_CASES or self._waiting_bytes >= _BATCH_BYTES:
            return self.flush()
        return self._proven

    def flush(self) -> bool:
        """Judge what waits; False if this or an earlier batch was not proven."""
        if self._waiting and self._proven:
            judged = judge_batch(_alone(self.trial), self._waiting)
            left = [self.trial.recorder.excused(found) for found in judged]
            self._proven = not any(left)
        self.data_bytes += self._waiting_bytes
        self._waiting, self._waiting_bytes = [], 0
        return self._proven


def _search_one_by_one(trial: Trial) -> None:
    latest: tuple[Divergence, ...] = ()
    told = False
    options, name = trial.options, _name(trial)
    trial.announce(Phase.RANDOM, [name])

    def judge(value: dict[str, Any]) -> bool:
        nonlocal latest
        item = _prepared(trial, value)
        if trial.careful and item.problem is None:
            trial.announce(Phase.RANDOM, [f"{name}/{canonical(trial.layout).to_json(value)}"])
        (found,) = judge_batch(_alone(trial), [item])
        latest = trial.recorder.excused(found)
        searching = not latest and not told
        trial.recorder.count(Phase.RANDOM, 1 if searching else 0, len(item.expected), 0)
        return not latest

    def tell(value: dict[str, Any]) -> None:
        nonlocal told
        told = True
        trial.recorder.failed(Phase.RANDOM, name, latest, value)
        trial.recorder.count(Phase.RANDOM, 1, 0, 1)

    result = trial.bench.source.search(
        trial.layout,
        judge,
        examples=options.examples,
        seed=options.seed,
        shrink_s=options.shrink_s,
        found=tell,
    )
    if result.smallest is not None:
        judge(result.smallest)
        trial.recorder.shrunk(Phase.RANDOM, name, latest, result.smallest)


def _name(trial: Trial) -> str:
    return f"seed-{trial.options.seed}"


def _prepared(trial: Trial, value: dict[str, Any]) -> Prepared:
    return prepare(trial.layout, Case(trial.cell, Phase.RANDOM, _name(trial), value))


def _alone(trial: Trial) -> Subject:
    subject = trial.subject
    return Subject(subject.cell, subject.layout, subject.adapters[:1], subject.oracle)
