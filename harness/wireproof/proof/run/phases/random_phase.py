"""The random phase of one cell.

Instances are drawn one by one and judged in batches, because a call into the oracle costs as much as
several small instances. If a batch has a divergence, the search starts again from the same seed and judges
each instance as it comes: it finds the same divergence, reports it, and shrinks it.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from kafkawire.canonical import canonical
from wireproof.model.case_source import InstanceJudge, SearchResult
from wireproof.model.cell import Case, Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.run.attribution.reference_opinions import add_reference_opinions
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.context.value_judgement import judge_batch
from wireproof.proof.run.core.prepared_cases import CellTarget, PreparedCase, prepare

_BATCH_CASES = 64
_BATCH_BYTES = 1 << 20


class DrawnCase(Protocol):
    """A drawn instance in the form that is judged."""

    @property
    def expected(self) -> bytes:
        """Its canonical binary; empty if it has none."""


class Draw(Protocol):
    """`CaseSource.search` of one cell."""

    def __call__(
        self,
        judge: InstanceJudge,
        *,
        examples: int,
        seed: int,
        shrink_s: float,
        found: Callable[[dict[str, Any]], None],
    ) -> SearchResult: ...


D = TypeVar("D", bound=DrawnCase)


@dataclass(frozen=True, slots=True)
class RandomSearch(Generic[D]):
    """A search: draws values and judges them.

    Attributes:
        prepare: returns an instance in the form that is judged.
        judge: returns the divergences of each instance in the first codec.
        opine: returns the divergences of one instance with the opinions of other references.
        any_value: whether every value of the layout can be judged: then a failure is shrunk by its
            structure, too.
        met: called with each proven instance.
    """

    draw: Draw
    prepare: Callable[[dict[str, Any]], D]
    judge: Callable[[Sequence[D]], list[tuple[Divergence, ...]]]
    opine: Callable[[D, tuple[Divergence, ...]], tuple[Divergence, ...]] = lambda item, found: found
    any_value: bool = False
    met: Callable[[D], object] = lambda item: None


def prove_random(context: CellContext) -> None:
    """Judge as many random instances as the options say, with the first codec."""

    def prepared(value: dict[str, Any]) -> PreparedCase:
        return prepare(context.layout, Case(context.cell, Phase.RANDOM, _name(context), value))

    draw = partial(context.environment.source.search, context.layout)
    target = context.target
    subject = CellTarget(target.cell, target.layout, target.adapters[:1], target.oracle)
    opine = partial(add_reference_opinions, context.environment, subject)

    def met(item: PreparedCase) -> None:
        context.coverage.met(item.case.value, len(item.expected))

    search = RandomSearch(draw, prepared, partial(judge_batch, subject), opine, any_value=True, met=met)
    search_at_random(context, search)


def search_at_random(context: CellContext, search: RandomSearch[D]) -> None:
    """Draw, judge and record as many instances as the options say."""
    if context.careful or not _search_in_batches(context, search):
        _search_one_by_one(context, search)


def _search_in_batches(context: CellContext, search: RandomSearch[D]) -> bool:
    """Search in batches; True if all instances are proven. They are counted only then."""
    context.announce(Phase.RANDOM, [_name(context)])
    batches = _Batches(context, search)
    options = context.options
    result = search.draw(
        batches.add, examples=options.examples, seed=options.seed, shrink_s=0, found=lambda value: None
    )
    if not batches.flush():
        return False
    context.recorder.count(Phase.RANDOM, result.examples, batches.data_bytes, 0)
    return True


@dataclass(slots=True)
class _Batches(Generic[D]):
    """Collects instances and judges them together.

    Attributes:
        data_bytes: canonical bytes of all instances.
    """

    context: CellContext
    search: RandomSearch[D]
    data_bytes: int = 0
    _waiting: list[D] = field(default_factory=list)
    _waiting_bytes: int = 0
    _proven: bool = True

    def add(self, value: dict[str, Any]) -> bool:
        """Take an instance; False once a batch was not proven."""
        item = self.search.prepare(value)
        self._waiting.append(item)
        self._waiting_bytes += len(item.expected)
        if len(self._waiting) >= _BATCH_CASES or self._waiting_bytes >= _BATCH_BYTES:
            return self.flush()
        return self._proven

    def flush(self) -> bool:
        """Judge what waits; False if this or an earlier batch was not proven."""
        if self._waiting and self._proven:
            judged = self.search.judge(self._waiting)
            name, recorder = _name(self.context), self.context.recorder
            left = [recorder.excused(Phase.RANDOM, name, found) for found in judged]
            self._proven = not any(left)
            for item, found in zip(self._waiting, judged, strict=True):
                if not found:
                    self.search.met(item)
        self.data_bytes += self._waiting_bytes
        self._waiting, self._waiting_bytes = [], 0
        return self._proven


def _search_one_by_one(context: CellContext, search: RandomSearch[D]) -> None:
    latest: tuple[Divergence, ...] = ()
    started = 0.0
    options, name = context.options, _name(context)
    context.announce(Phase.RANDOM, [name])

    def judge(value: dict[str, Any]) -> bool:
        nonlocal latest
        item = search.prepare(value)
        if context.careful and item.expected:
            context.announce(Phase.RANDOM, [f"{name}/{canonical(context.layout).to_json(value)}"])
        (found,) = search.judge([item])
        latest = context.recorder.excused(Phase.RANDOM, name, found, value)
        if not found:
            search.met(item)
        searching = not latest and not started
        context.recorder.count(Phase.RANDOM, 1 if searching else 0, len(item.expected), 0)
        return not latest

    def report(value: dict[str, Any]) -> None:
        nonlocal started
        started = time.monotonic()
        context.recorder.failed(Phase.RANDOM, name, search.opine(search.prepare(value), latest), value)
        context.recorder.count(Phase.RANDOM, 1, 0, 1)

    result = search.draw(
        judge,
        examples=options.examples,
        seed=options.seed,
        shrink_s=context.shrinker.left_s / 2,
        found=report,
    )
    if result.first is None:
        return
    context.shrinker.left_s -= time.monotonic() - started
    smallest = result.first if result.smallest is None else result.smallest
    if judge(smallest):
        return  # it failed once and not again: the report is kept
    if result.smallest is not None:
        context.recorder.shrunk(Phase.RANDOM, name, latest, smallest)
    if search.any_value:
        # Hypothesis stops if no byte of its input can be lowered: at boundary values, which may be large.
        again = partial(_found_in, search)
        context.shrinker.shrink(Phase.RANDOM, name, smallest, latest, again)


def _found_in(search: RandomSearch[D], value: dict[str, Any]) -> tuple[Divergence, ...]:
    return search.judge([search.prepare(value)])[0]


def _name(context: CellContext) -> str:
    return f"seed-{context.options.seed}"
