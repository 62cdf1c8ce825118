"""The processor time of a codec for N and for 4 N elements: a cost that grows faster than its input is a bug.

Each process screens each codec once for each way, kind of collection and element type: codecs handle these
with the same code in all messages, and the screen stays below 2 % of a run. If the ratio looks too large, the
least of several measurements counts. If it is still too large, a fresh process is warmed up and asked for
more and more elements, until the ratio fails the codec or clears it. A failure must repeat in three fresh
processes: on a busy machine a JVM may still be compiling in one.

Only processor time counts, so a busy machine causes no failure. Which cell asks depends on the order in
which a process gets its cells. So passing questions are not counted as cases.
"""

from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

from wireproof.base.own_process import collector_paused
from wireproof.model.adapter import (
    Adapter,
    Crashed,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Reencoded,
    Refused,
    Reply,
    Request,
)
from wireproof.model.case_source import ElementCollection
from wireproof.model.cell import PRIMITIVES_MODULE, RECORDS_MODULE, Phase
from wireproof.model.divergence import Divergence
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.checks.evidence_text import field_at
from wireproof.proof.checks.state.processor_time import (
    TIMES_ELEMENTS,
    ProcessorCost,
    is_excessive,
    is_suspect,
    judge_growth,
    judge_unanswered,
)
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.properties.call_states import bytes_of

GROWTH_CASES: Final = "growth/"
"""The prefix of the names of its cases; the path of the collection follows."""

_FIRST: Final = 512
"""Elements of the small input that a codec is asked for first."""
_LOOKS: Final = 3
_WARM_UP: Final = 3
_FRESH_PROCESSES: Final = 3
_LONGEST_S: Final = 0.4
"""More elements are tried while the large input takes less time: quadratic cost multiplies it by 16."""


@runtime_checkable
class _Restartable(Protocol):
    """A codec whose process can be ended."""

    def end(self) -> bool: ...


def try_growth(context: CellContext) -> int:
    """Ask each codec for the collections of the cell; return how many were asked for.

    The one case to try, if there is one, is asked for again.
    """
    if context.comparison is not None or context.cell.module in (PRIMITIVES_MODULE, RECORDS_MODULE):
        return 0
    asked, screen = 0, context.environment.growth
    for collection in context.environment.source.collections(context.layout):
        name = f"{GROWTH_CASES}{collection.path}"
        if not context.tries(Phase.ENUMERATED, name):
            continue
        for adapter in context.target.adapters:
            new = screen.is_new(adapter, collection, flexible=context.layout.flexible)
            if new or context.only:
                asked += 1
                with context.environment.beside_cases():
                    _try_collection(_Measurement(context, adapter, collection), name)
    return asked


def _try_collection(measurement: "_Measurement", name: str) -> None:
    context = measurement.context
    context.announce(Phase.ENUMERATED, [name])
    for way in (CodecDirection.ENCODE, CodecDirection.DECODE):
        found = measurement.judged(way)
        divergences = context.recorder.excused(Phase.ENUMERATED, name, () if found is None else (found,))
        if divergences:
            context.recorder.failed(Phase.ENUMERATED, name, divergences)
            context.recorder.count(Phase.ENUMERATED, 1, 0, 1)


class _UnansweredError(Exception):
    """A large input gets no answer."""

    def __init__(self, elements: int, reply: Reply) -> None:
        super().__init__(elements)
        self.elements, self.reply = elements, reply


@dataclass(slots=True)
class _Measurement:
    """Measures one codec with one collection."""

    context: CellContext
    adapter: Adapter
    collection: ElementCollection
    _values: dict[int, dict[str, Any]] = field(default_factory=dict)
    _bytes: dict[int, bytes | None] = field(default_factory=dict)

    def judged(self, way: CodecDirection) -> Divergence | None:
        """Return a divergence if the cost grows too fast, or if a large input gets no answer."""
        if self.context.environment.growth.clock(self.adapter) is None:
            return None
        name, collection = self.adapter.name, self.collection
        words = field_at(self.context.layout, collection.path)
        try:
            cost = self._screened(way)
            if cost is None or not is_suspect(cost):
                return None
            screened = cost
            for _ in range(_FRESH_PROCESSES):
                cost = self._again(way, screened)
                if cost is None or not is_excessive(cost):
                    break
        except _UnansweredError as error:
            return judge_unanswered(name, collection, words, error.elements, error.reply)
        return None if cost is None else judge_growth(name, collection, words, way, cost)

    def _screened(self, way: CodecDirection) -> ProcessorCost | None:
        """One measurement; the least of several if the first looks too large."""
        cost = self._cost(way, _FIRST, looks=1)
        return self._cost(way, _FIRST, looks=_LOOKS) if cost is not None and is_suspect(cost) else cost

    def _again(self, way: CodecDirection, screened: ProcessorCost) -> ProcessorCost | None:
        """The cost in a fresh process, with more elements until the ratio is clear."""
        if isinstance(self.adapter, _Restartable):
            self.adapter.end()
        for _ in range(_WARM_UP):
            self._cost(way, _FIRST, looks=1)
        enough = screened.large_s > _LONGEST_S
        elements, cost = _FIRST if enough else _FIRST * TIMES_ELEMENTS, None
        while TIMES_ELEMENTS * elements <= self.collection.most:
            cost = self._cost(way, elements, looks=_LOOKS)
            decided = cost is None or is_excessive(cost) or not is_suspect(cost)
            if decided or (cost is not None and cost.large_s > _LONGEST_S):
                return cost
            elements *= TIMES_ELEMENTS
        return cost

    def _cost(self, way: CodecDirection, elements: int, *, looks: int) -> ProcessorCost | None:
        """The processor time of N and of 4 N elements; None if it is not answered or cannot be measured."""
        if TIMES_ELEMENTS * elements > self.collection.most:
            return None
        small, large = (self._request(way, each) for each in (elements, TIMES_ELEMENTS * elements))
        if small is None or large is None:
            return None
        times: list[tuple[float, float]] = []
        for _ in range(looks):
            reply, small_s = self._asked(small)
            if small_s is None or not isinstance(reply, Encoded | Decoded | Reencoded):
                return None
            reply, large_s = self._asked(large)
            if isinstance(reply, Refused | Crashed):
                raise _UnansweredError(TIMES_ELEMENTS * elements, reply)
            if large_s is None or not isinstance(reply, Encoded | Decoded | Reencoded):
                return None
            times.append((small_s, large_s))
        return ProcessorCost(elements, *map(min, zip(*times, strict=True)))

    def _request(self, way: CodecDirection, elements: int) -> Request | None:
        """The question; None if there are no bytes to read."""
        if elements not in self._values:
            self._values[elements] = self.collection.make(elements)
        value = self._values[elements]
        if way is CodecDirection.ENCODE:
            return Encode(value)
        if elements not in self._bytes:
            self._bytes[elements] = bytes_of(self.context, self.adapter, value)
        data = self._bytes[elements]
        return None if data is None else Decode(data)

    def _asked(self, request: Request) -> tuple[Reply, float | None]:
        """The reply, and its processor time; None in place of the time if the codec's process has changed."""
        clock, context = self.context.environment.growth.clock, self.context
        with collector_paused():  # its time depends on the harness and not on the codec
            before = clock(self.adapter)
            (reply,) = self.adapter.ask(context.cell, context.layout, [request])
            after = clock(self.adapter)
        if before is None or after is None or before.process != after.process:
            return reply, None
        return reply, after.seconds - before.seconds
