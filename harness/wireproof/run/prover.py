"""One cell, proven from its layout to its last random instance."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

from kafkawire.canonical import Canonical, canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind
from wireproof.checks import (
    Check,
    FrameEvidence,
    Step,
    judge_frame,
    judge_header,
    judge_probes,
    judge_refusal,
    judge_schema,
    judge_step,
    state_script,
)
from wireproof.model import (
    Adapter,
    Case,
    Cell,
    Decode,
    DecodeFrame,
    Divergence,
    Encode,
    Encoded,
    EncodeFrame,
    OracleValue,
    Phase,
    Reply,
)
from wireproof.run.bench import Bench
from wireproof.run.events import CaseFailed, CaseShrunk, CellDone, CellLost
from wireproof.run.plan import RunOptions
from wireproof.run.recorder import Recorder
from wireproof.run.values import Prepared, Subject, judge_batch, judge_instances, prepare

__all__ = ["Announce", "CellProver"]

Announce: TypeAlias = Callable[[Phase, Sequence[str]], None]
"""Told which cases are about to be tried, so that those which take the process down can be named."""

_BATCH_CASES = 256
_BATCH_BYTES = 4 << 20
"""A batch ends at whichever comes first; one call into the oracle carries it."""

_THREAD_ROUNDS = 4


class CellProver:
    """Runs every phase of one cell and tells what happened.

    Args:
        emit: called with each failure as soon as it is found.
        announce: called before each batch.
        careful: one case a batch, so that an announcement names exactly one.
        skip: case ids to leave out, because they took a process down before.
    """

    def __init__(
        self,
        bench: Bench,
        options: RunOptions,
        cell: Cell,
        emit: Callable[[CaseFailed | CaseShrunk], None],
        announce: Announce,
        *,
        careful: bool = False,
        skip: frozenset[str] = frozenset(),
    ) -> None:
        self._bench = bench
        self._options = options
        self._cell = cell
        self._layout = bench.layouts.of(cell)
        self._subject = Subject(cell, self._layout, bench.adapters, bench.oracles[cell.release])
        self._recorder = Recorder(cell, self._layout, emit)
        self._announce = announce
        self._batch_cases = 1 if careful else _BATCH_CASES
        self._skip = skip

    def prove(self) -> CellDone | CellLost:
        """All phases asked for, in order; lost where one of them tried nothing at all.

        Raises:
            OracleError: the oracle cannot work at all.
        """
        started = time.monotonic()
        phases = {
            Phase.SHAPE: self._shape,
            Phase.ENUMERATED: self._enumerated,
            Phase.ORACLE: self._oracle_instances,
            Phase.FRAME: self._frames,
            Phase.RANDOM: self._random,
        }
        for phase in self._options.phases:
            if phase in _WHOLE and any(
                case_id.startswith(f"{self._cell.id}/{phase}/") for case_id in self._skip
            ):
                continue
            before = self._recorder.cases(phase)
            phases[phase]()
            if self._recorder.cases(phase) == before and self._must_run(phase):
                return CellLost(self._cell, f"the {phase} phase has no case here")
        return self._recorder.done(time.monotonic() - started)

    def try_value(
        self, phase: Phase, name: str, value: dict[str, Any], header: dict[str, Any] | None
    ) -> None:
        """One value through every check of values, or of frames where it has a header."""
        if header is not None:
            self._try_frames([Case(self._cell, phase, name, value, header)])
            return
        proven = self._judge(phase, [prepare(self._layout, Case(self._cell, phase, name, value))])
        for item in proven:
            self._state(item)
        self._interleave(proven)

    def try_named(self, name: str) -> bool:
        """The enumerated case of this name; False where there is none."""
        cases = self._bench.source.enumerated(self._cell, self._layout)
        found = next((case for case in cases if case.name == name), None)
        if found is not None:
            self.try_value(Phase.ENUMERATED, name, found.value, None)
            return True
        return self._refusals(name) > 0

    def _must_run(self, phase: Phase) -> bool:
        match phase:
            case Phase.FRAME:
                return self._layout.kind in (MessageKind.REQUEST, MessageKind.RESPONSE)
            case Phase.RANDOM:
                return self._options.examples > 0
            case _:
                return True

    # The layout itself.

    def _shape(self) -> None:
        cell, layout, oracle = self._cell, self._layout, self._subject.oracle
        self._announce(Phase.SHAPE, ["layout"])
        shown = cell.release not in self._bench.plain_schemas
        found = [
            *judge_schema(layout, oracle.schema(cell), nullability_shown=shown),
            *judge_probes(layout, oracle.probe(cell, layout)),
            *judge_header(layout, oracle.header_versions(cell)),
            *(
                Divergence(Check.CENSUS, "layout", problem)
                for problem in self._bench.source.census(cell, layout)
            ),
        ]
        for index, divergence in enumerate(found):
            self._recorder.failed(Phase.SHAPE, f"layout/{divergence.check}-{index}", (divergence,))
        self._recorder.count(Phase.SHAPE, 1, 0, 1 if found else 0)

    # Values.

    def _enumerated(self) -> None:
        extremes: dict[str, Prepared] = {}
        for batch in self._batches(self._bench.source.enumerated(self._cell, self._layout)):
            proven = self._judge(Phase.ENUMERATED, batch)
            extremes.update((item.case.name, item) for item in proven if item.case.name in _EXTREMES)
        for item in extremes.values():
            self._state(item)
        self._interleave(list(extremes.values()))
        self._refusals()

    def _batches(self, cases: Iterable[Case]) -> Iterator[list[Prepared]]:
        batch: list[Prepared] = []
        size = 0
        for case in cases:
            if case.id in self._skip:
                continue
            item = prepare(self._layout, case)
            batch.append(item)
            size += len(item.expected)
            if len(batch) >= self._batch_cases or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _judge(self, phase: Phase, batch: Sequence[Prepared]) -> list[Prepared]:
        """Judge the values of a batch; those that are proven may be asked more."""
        proven = []
        self._announce(phase, [item.case.name for item in batch])
        for item, divergences in zip(batch, judge_batch(self._subject, batch), strict=True):
            if divergences:
                self._recorder.failed(phase, item.case.name, divergences, item.case.value)
            else:
                proven.append(item)
            self._recorder.count(phase, 1, len(item.expected), 1 if divergences else 0)
        return proven

    def _oracle_instances(self) -> None:
        options = self._options
        self._announce(Phase.ORACLE, [f"seed-{options.seed}"])
        made = self._subject.oracle.instances(self._cell, self._layout, options.instances, options.seed)
        form = canonical(self._layout)
        for index, (item, divergences) in enumerate(
            zip(made, judge_instances(self._subject, made), strict=True)
        ):
            known = item if isinstance(item, OracleValue) else None
            if divergences:
                value = _value_of(form, known)
                self._recorder.failed(Phase.ORACLE, f"seed-{options.seed}-{index}", divergences, value)
            self._recorder.count(Phase.ORACLE, 1, len(known.written) if known else 0, 1 if divergences else 0)

    # What was asked before must not matter.

    def _state(self, item: Prepared) -> None:
        for adapter in self._subject.adapters:
            data = self._encode(adapter, self._cell, self._layout, item.case.value)
            if data is None:
                continue
            steps = list(state_script(item.case.value, item.expected, data))
            replies = adapter.ask(self._cell, self._layout, [step.request for step in steps])
            self._steps(adapter, item, steps, replies)
            self._threads(adapter, item, data)

    def _steps(
        self, adapter: Adapter, item: Prepared, steps: Sequence[Step], replies: Sequence[Reply]
    ) -> None:
        failed = 0
        for step, reply in zip(steps, replies, strict=True):
            divergence = judge_step(self._layout, adapter.name, step, reply)
            if divergence is not None:
                failed += 1
                self._recorder.failed(Phase.ENUMERATED, item.case.name, (divergence,), item.case.value)
        self._recorder.count(Phase.ENUMERATED, len(steps), 0, failed)

    def _threads(self, adapter: Adapter, item: Prepared, data: bytes) -> None:
        """The same questions from two threads at once."""
        steps = [
            Step(Check.THREADS, Decode(data), item.expected),
            Step(Check.THREADS, Encode(item.case.value), data),
        ]
        steps *= _THREAD_ROUNDS
        replies: list[list[Reply]] = [[], []]
        barrier = threading.Barrier(len(replies))

        def ask(into: list[Reply]) -> None:
            barrier.wait()
            into.extend(adapter.ask(self._cell, self._layout, [step.request for step in steps]))

        threads = [threading.Thread(target=ask, args=(into,)) for into in replies]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._steps(adapter, item, [*steps, *steps], [*replies[0], *replies[1]])

    def _interleave(self, items: Sequence[Prepared]) -> None:
        """Another version of the message between two questions about this one."""
        other = self._bench.layouts.neighbour(self._cell)
        if other is None:
            return
        other_layout = self._bench.layouts.of(other)
        for adapter in self._subject.adapters:
            for item in items:
                data = self._encode(adapter, self._cell, self._layout, item.case.value)
                between = self._encode(adapter, other, other_layout, {})
                if data is None or between is None:
                    continue
                adapter.ask(other, other_layout, [Decode(between)])
                steps = [Step(Check.INTERLEAVE, Decode(data), item.expected)]
                replies = adapter.ask(self._cell, self._layout, [steps[0].request])
                self._steps(adapter, item, steps, replies)

    def _refusals(self, only: str = "") -> int:
        """Non-default values for fields that this version lacks and that are not ignorable; how many."""
        tried = 0
        for name, value, path in self._bench.source.refused(self._layout):
            if only and name != only:
                continue
            tried += 1
            for adapter in self._subject.adapters:
                (reply,) = adapter.ask(self._cell, self._layout, [Encode(value)])
                divergences = judge_refusal(adapter.name, path, reply)
                if divergences:
                    self._recorder.failed(Phase.ENUMERATED, name, divergences)
                self._recorder.count(Phase.ENUMERATED, 1, 0, 1 if divergences else 0)
        return tried

    def _encode(
        self, adapter: Adapter, cell: Cell, layout: MessageLayout, value: dict[str, Any]
    ) -> bytes | None:
        (reply,) = adapter.ask(cell, layout, [Encode(value)])
        return reply.data if isinstance(reply, Encoded) else None

    # Whole frames.

    def _frames(self) -> None:
        version = self._layout.header_version
        headers = self._bench.layouts.headers(self._cell)
        if version is None or version not in headers:
            return
        cases = list(self._frame_cases(headers[version]))
        self._try_frames(cases)

    def _try_frames(self, cases: Sequence[Case]) -> None:
        self._announce(Phase.FRAME, [case.name for case in cases])
        header_layout = self._bench.layouts.headers(self._cell)[self._layout.header_version or 0]
        for adapter in self._subject.adapters:
            self._judge_frames(adapter, header_layout, cases)

    def _frame_cases(self, header_layout: MessageLayout) -> Iterator[Case]:
        """Each small boundary case of the header with the default body; the fullest body."""
        identity = {"requestApiKey": self._layout.api_key, "requestApiVersion": self._cell.version}
        known = {field.name for field in header_layout.root.fields}
        fixed = {name: value for name, value in identity.items() if name in known}
        header_cell = Cell(self._cell.release, self._cell.module, header_layout.name, header_layout.version)
        bodies = self._bench.source.enumerated(self._cell, self._layout)
        fullest = next((case for case in bodies if case.name == _FULLEST), None)
        headers = self._bench.source.enumerated(header_cell, header_layout)
        frames = chain(
            ((f"header-{case.name}", case.value, {}) for case in headers if _is_small(header_layout, case)),
            [(f"body-{_FULLEST}", {}, fullest.value)] if fullest else [],
        )
        for name, header, value in frames:
            yield Case(self._cell, Phase.FRAME, name, value, {**header, **fixed})

    def _judge_frames(self, adapter: Adapter, header_layout: MessageLayout, cases: Sequence[Case]) -> None:
        cell, layout = self._cell, self._layout
        encoded = adapter.ask(cell, layout, [EncodeFrame(case.header or {}, case.value) for case in cases])
        frames = [reply.data for reply in encoded if isinstance(reply, Encoded)]
        decoded = iter(adapter.ask(cell, layout, [DecodeFrame(frame) for frame in frames]))
        headers = self._bench.layouts.headers(cell)
        reframed = iter(self._subject.oracle.reframe(cell, layout, headers, frames))
        for case, reply in zip(cases, encoded, strict=True):
            sound = isinstance(reply, Encoded)
            evidence = FrameEvidence(
                layout=layout,
                header_layout=header_layout,
                subject=adapter.name,
                header=canonical(header_layout).to_binary(case.header or {}),
                body=canonical(layout).to_binary(case.value),
                encoded=reply,
                decoded=next(decoded) if sound else None,
                reframed=next(reframed) if sound else None,
            )
            divergences = judge_frame(evidence)
            if divergences:
                header = canonical(header_layout).to_json(case.header or {})
                self._recorder.failed(Phase.FRAME, case.name, divergences, case.value, header)
            self._recorder.count(
                Phase.FRAME, 1, len(evidence.header) + len(evidence.body), 1 if divergences else 0
            )

    # Random instances.

    def _random(self) -> None:
        options, subject = self._options, self._subject
        alone = Subject(subject.cell, subject.layout, subject.adapters[:1], subject.oracle)
        latest: dict[str, tuple[Divergence, ...]] = {}
        name = f"seed-{options.seed}"
        self._announce(Phase.RANDOM, [name])

        def judge(value: dict[str, Any]) -> bool:
            if self._batch_cases == 1:
                self._announce(Phase.RANDOM, [f"{name}/{canonical(self._layout).to_json(value)}"])
            item = prepare(self._layout, Case(self._cell, Phase.RANDOM, name, value))
            (divergences,) = judge_batch(alone, [item])
            latest["divergences"] = divergences
            self._recorder.count(Phase.RANDOM, 0, len(item.expected), 0)
            return not divergences

        def found(value: dict[str, Any]) -> None:
            self._recorder.failed(Phase.RANDOM, name, latest["divergences"], value)

        result = self._bench.source.search(
            self._layout,
            judge,
            examples=options.examples,
            seed=options.seed,
            shrink_s=options.shrink_s,
            found=found,
        )
        self._recorder.count(Phase.RANDOM, result.examples, 0, 1 if result.first is not None else 0)
        if result.smallest is not None:
            judge(result.smallest)
            self._recorder.shrunk(Phase.RANDOM, name, latest["divergences"], result.smallest)


def _value_of(form: Canonical, made: OracleValue | None) -> dict[str, Any] | None:
    """The value of an oracle's instance; None where it has none, or our reading of it is at fault."""
    try:
        return None if made is None else form.from_binary(made.value)
    except CodecError:
        return None


_WHOLE = frozenset({Phase.SHAPE, Phase.ORACLE, Phase.FRAME, Phase.RANDOM})
"""Phases that are left out whole once one of their cases has taken a process down."""

_FULLEST = "message/fullest"
_EXTREMES = frozenset({"message/default", _FULLEST})
_SMALL_BYTES = 512


def _is_small(layout: MessageLayout, case: Case) -> bool:
    return len(canonical(layout).to_binary(case.value)) <= _SMALL_BYTES
