"""Checks of a codec's state: proven values are asked again in situations that must not change the answer."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import Any, Final, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS
from wireproof.model.adapter import Adapter, Decode, Encode, Encoded, Reply, Request, Unsupported
from wireproof.model.cell import RECORDS_MODULE, Cell, Phase
from wireproof.model.coverage.layout_model import coverage_model
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.difference_kinds import cut_sites
from wireproof.proof.checks.state.call_scripts import (
    ScriptStep,
    ScriptValue,
    fresh_script,
    judge_neighbour,
    judge_step,
    many_script,
    state_script,
)
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.core.prepared_cases import FULLEST, PreparedCase, prepare

MANY_ELEMENTS: Final = "message/many-elements"
"""The enumerated case whose small elements fill more than 64 KiB."""

_DEFAULT: Final = "message/default"
_LARGEST_BYTES: Final = 1024
"""The script asks a question for each byte: larger values take part only if they are the fullest instance."""


class Trait(StrEnum):
    """A trait that a scripted value must have, if any proven value of the cell has it."""

    NULL = "null"
    ARRAY = "array"
    TAGGED = "tagged"
    UNKNOWN_TAGS = "unknown-tags"


@dataclass(slots=True)
class ScriptedValues:
    """Collects the proven values of a cell while its cases run, and chooses those for the script.

    Attributes:
        proven: the small proven values and the fullest instance, in the order of the cases.
        many: the proven value with many small elements; None if the cell has no such case.
    """

    layout: MessageLayout
    proven: list[PreparedCase] = field(default_factory=list)
    many: PreparedCase | None = None

    def note(self, items: Sequence[PreparedCase], *, largest_bytes: float = _LARGEST_BYTES) -> None:
        """Keep those proven values of a batch that the script may need.

        Args:
            largest_bytes: larger values are left out, except for the fullest instance.
        """
        for item in items:
            if item.case.name == MANY_ELEMENTS:
                self.many = item
            elif item.case.name == FULLEST or len(item.expected) <= largest_bytes:
                self.proven.append(item)

    def chosen(self, deviates: Callable[[str], bool]) -> list[PreparedCase]:
        """The values for one codec: a small one, the fullest one, and others for the traits that both lack.

        Args:
            deviates: returns whether the codec's answer to the case of this name differs from Kafka's.
        """
        items = [item for item in self.proven if not deviates(item.case.name)]
        if not items:
            return []
        found = [_smallest(items)]
        fullest = next((item for item in items if item.case.name == FULLEST), None) or self._fullest(items)
        if fullest is not found[0]:
            found.append(fullest)
        for trait in self._missing(found):
            if trait in self._missing(found):
                holders = [item for item in items if trait in traits_of(self.layout.root, item.case.value)]
                found += [self._fullest(holders)] if holders else []
        return found

    def _fullest(self, items: Sequence[PreparedCase]) -> PreparedCase:
        """The value that meets most classes of values; the first of several."""
        look = coverage_model(self.layout).look
        return max(items, key=lambda item: look(item.case.value).bit_count())

    def _missing(self, found: Sequence[PreparedCase]) -> list[Trait]:
        """The traits that the layout allows and no chosen value holds."""
        held = {trait for item in found for trait in traits_of(self.layout.root, item.case.value)}
        return [trait for trait in Trait if trait not in held and trait in _possible(self.layout)]


def _smallest(items: Sequence[PreparedCase]) -> PreparedCase:
    default = next((item for item in items if item.case.name == _DEFAULT), None)
    return default or min(items, key=lambda item: len(item.expected))


def traits_of(struct: StructLayout, value: Mapping[str, Any]) -> frozenset[Trait]:
    """The traits of a value; absent keys mean their defaults."""
    return frozenset(_traits(struct, value))


def _traits(struct: StructLayout, value: Mapping[str, Any]) -> Iterator[Trait]:
    if value.get(TAGS):
        yield Trait.UNKNOWN_TAGS
    for each in struct.all_fields:
        item = value.get(each.name, each.default)
        if item is None:
            if each.nullable:
                yield Trait.NULL
            continue
        if each.tag is not None and each.name in value and item != each.default:
            yield Trait.TAGGED
        yield from _inner_traits(each, item)


def _inner_traits(each: FieldLayout, item: Any) -> Iterator[Trait]:
    if each.is_array and isinstance(item, list) and item:
        yield Trait.ARRAY
    if each.struct is not None:
        for element in item if isinstance(item, list) else [item]:
            if isinstance(element, Mapping):
                yield from _traits(each.struct, element)


def _possible(layout: MessageLayout) -> frozenset[Trait]:
    """The traits that some value of the layout can have."""
    fields = [each for _, _, each in layout.walk()]
    able = {
        Trait.NULL: any(each.nullable for each in fields),
        Trait.ARRAY: any(each.is_array for each in fields),
        Trait.TAGGED: any(each.tag is not None for each in fields),
        Trait.UNKNOWN_TAGS: layout.flexible,
    }
    return frozenset(trait for trait, holds in able.items() if holds)


_Again: TypeAlias = Callable[[dict[str, Any]], tuple[Divergence, ...]]
"""Returns the divergences of another value that is asked in the same way."""

WithBytes: TypeAlias = tuple[PreparedCase, bytes]
"""A proven value, and the codec's bytes of it."""

_THREADS = 2
_ROUNDS = 4
"""Questions of each thread."""

_FRESH_VALUES = 2
"""Number of values that a process new to the message is asked for: the smallest and the fullest."""


def try_states(context: CellContext, scripted: ScriptedValues) -> None:
    """Ask each codec for proven values again: in a script, from two threads, and after another version."""
    for adapter in context.target.adapters:
        codec = ScriptedCodec(context, adapter)
        asked: list[WithBytes] = []
        for item in scripted.chosen(partial(deviates, context, adapter)):
            data = bytes_of(context, adapter, item.case.value)
            if data is None:
                continue
            script = list(state_script(item.case.value, item.expected, data))
            codec.try_script(item, codec.with_cut_sites(item, script, data), data, codec.faults)
            asked.append((item, data))
        codec.try_threads(asked)
        if scripted.many is not None and not deviates(context, adapter, scripted.many.case.name):
            codec.try_around_many(scripted.many, asked)
        try_fresh(context, asked[:_FRESH_VALUES][::-1])


def deviates(context: CellContext, adapter: Adapter, name: str) -> bool:
    """True if the codec deviates from Kafka in a case; known only while codecs are compared."""
    return adapter.name in context.judge.deviants.get(name, ())


def sparse_with_bytes(context: CellContext, adapter: Adapter) -> list[WithBytes]:
    """The least instance with the codec's bytes, for a replay of one value alone."""
    item = prepare(context.layout, next(context.environment.source.enumerated(context.cell, context.layout)))
    data = bytes_of(context, adapter, item.case.value)
    return [] if data is None else [(item, data)]


def try_fresh(context: CellContext, items: Sequence[WithBytes]) -> None:
    """Ask a process that has never seen the message for proven values and for their bytes."""
    adapter = context.environment.fresh
    if adapter is None or not items:
        return
    script = [
        (item, step)
        for item, data in items
        for step in fresh_script(
            item.case.value, item.expected, data, first=context.cell.version, variable=_compressed(item)
        )
    ]
    codec = ScriptedCodec(context, adapter)
    for (item, step), reply in zip(script, codec.ask([step for _, step in script]), strict=True):
        if step.wants is not None:
            codec.judge(item, [step], [reply])


@dataclass(frozen=True, slots=True)
class ScriptedCodec:
    """One codec that is asked for proven values of a cell again."""

    context: CellContext
    adapter: Adapter

    def ask(self, steps: Sequence[ScriptStep]) -> list[Reply]:
        """The answers to the questions of a script, in order."""
        return self.adapter.ask(self.context.cell, self.context.layout, [step.request for step in steps])

    def try_script(
        self, item: PreparedCase, script: Sequence[ScriptStep], data: bytes, again: _Again | None = None
    ) -> None:
        """Ask the questions of a script, then ask for the item again after another version of the message.

        Args:
            data: the bytes of the item, known to be right.
            again: returns the divergences of the script for another value; if given, failures are shrunk.
        """
        self.ask_script(item, script, again)
        self._around_another_version(item, data)

    def ask_script(
        self, item: PreparedCase, steps: Sequence[ScriptStep], again: _Again | None = None
    ) -> None:
        """Ask the questions of a script in order, and judge the answers.

        Args:
            again: as `try_script` takes it.
        """
        self.judge(item, steps, self.ask(steps), again)

    def judge(
        self,
        item: PreparedCase,
        steps: Sequence[ScriptStep],
        replies: Sequence[Reply],
        again: _Again | None = None,
    ) -> None:
        """Judge and record the answers to the questions of a script; `again` is that of `try_script`."""
        name, value, context = item.case.name, item.case.value, self.context
        for step, reply in zip(steps, replies, strict=True):
            found = judge_step(context.layout, self.adapter.name, step, reply)
            given = step.request.data if isinstance(step.request, Decode) else None
            divergences = context.recorder.excused(
                Phase.ENUMERATED, name, () if found is None else (found,), value, given
            )
            if divergences:
                new = context.recorder.failed(Phase.ENUMERATED, name, divergences, value, asked=given)
                if new and again is not None:
                    context.shrinker.shrink(Phase.ENUMERATED, name, value, divergences, again)
            context.recorder.count(Phase.ENUMERATED, 1, 0, 1 if divergences else 0)

    def faults(self, value: dict[str, Any]) -> tuple[Divergence, ...]:
        """The divergences of the script of states with a value; none if the codec does not encode it."""
        layout = self.context.layout
        data = bytes_of(self.context, self.adapter, value)
        if data is None:
            return ()
        steps = list(state_script(value, canonical(layout).to_binary(value), data))
        found = map(partial(judge_step, layout, self.adapter.name), steps, self.ask(steps))
        return tuple(divergence for divergence in found if divergence is not None)

    def with_cut_sites(
        self, item: PreparedCase, script: Sequence[ScriptStep], data: bytes
    ) -> list[ScriptStep]:
        """Return the script with the field of each cut, so that a hang at one field does not skip all cuts.

        Args:
            data: the bytes that are cut.
        """
        layout = None if self.context.cell.module == RECORDS_MODULE else self.context.layout
        site = cut_sites(layout, data, f"{Phase.ENUMERATED}/{item.case.name}")
        return [
            replace(step, request=replace(step.request, site=site(len(step.request.data))))
            if step.check is Check.CUT and isinstance(step.request, Decode)
            else step
            for step in script
        ]

    def try_around_many(self, many: PreparedCase, asked: Sequence[WithBytes]) -> None:
        """Ask for a small value directly after a value with many elements, which is larger than a usual
        buffer.

        Args:
            asked: the values that went through the script; the fullest of them is the small value here.
        """
        data = bytes_of(self.context, self.adapter, many.case.value)
        small = asked[:_FRESH_VALUES] or sparse_with_bytes(self.context, self.adapter)
        if data is not None and small:
            item, own = small[-1]
            large = ScriptValue(many.case.value, many.expected, data)
            script = many_script(large, ScriptValue(item.case.value, item.expected, own))
            self.ask_script(many, list(script))

    def try_threads(self, items: Sequence[WithBytes]) -> None:
        """Ask the same questions about proven values from two threads at once."""
        scripts = [(item, _thread_steps(item, data)) for item, data in items]
        every = [step for _, steps in scripts for step in steps]
        if not every:
            return
        barrier = threading.Barrier(_THREADS)

        def ask(_: int) -> list[Reply]:
            barrier.wait()
            return self.ask(every)

        with ThreadPoolExecutor(_THREADS) as threads:
            answers = [iter(each) for each in threads.map(ask, range(_THREADS))]
        for item, steps in scripts:
            for each in answers:
                self.judge(item, steps, list(islice(each, len(steps))))

    def _around_another_version(self, item: PreparedCase, data: bytes) -> None:
        """Ask for another version of the message, then for this version again."""
        layouts = self.context.environment.layouts
        other = layouts.neighbour(self.context.cell)
        if other is None:
            return
        between = bytes_of(self.context, self.adapter, {}, other)
        if between is not None:
            self.adapter.ask(other, layouts.of(other), [Decode(between)])
        self.ask_script(item, [ScriptStep(Check.INTERLEAVE, Decode(data), item.expected)])


def _thread_steps(item: PreparedCase, data: bytes) -> list[ScriptStep]:
    """The questions of each thread about one value."""
    reads = [ScriptStep(Check.THREADS, Decode(data), item.expected)]
    writes = [] if _compressed(item) else [ScriptStep(Check.THREADS, Encode(item.case.value), data)]
    return [*reads, *writes] * _ROUNDS


def _compressed(item: PreparedCase) -> bool:
    """True for a record set with several right encodings: gzip contains the time."""
    return any(batch.get("compression", 0) for batch in item.case.value.get("batches", ()))


@contextmanager
def another_version_watched(context: CellContext) -> Iterator[None]:
    """Compare the answers for another version of the message before and after this version was asked."""
    other = context.environment.layouts.neighbour(context.cell)
    if other is None:
        yield
        return
    layout = context.environment.layouts.of(other)
    cases = context.environment.source.enumerated(other, layout)
    value = next((case.value for case in cases if case.name == FULLEST), {})
    watched = []
    for adapter in context.target.adapters:
        data = bytes_of(context, adapter, value, other)
        questions: list[Request] = [Encode(value), *([] if data is None else [Decode(data)])]
        watched.append((adapter, questions, adapter.ask(other, layout, questions)))
    yield
    for adapter, questions, before in watched:
        after = adapter.ask(other, layout, questions)
        divergences = context.recorder.excused(
            Phase.ENUMERATED, _DEFAULT, judge_neighbour(adapter.name, other, before, after)
        )
        if divergences:
            context.recorder.failed(Phase.ENUMERATED, _DEFAULT, divergences, {})
            context.recorder.count(Phase.ENUMERATED, 1, 0, 1)


def bytes_of(
    context: CellContext, adapter: Adapter, value: dict[str, Any], other: Cell | None = None
) -> bytes | None:
    """The codec's bytes of a value, or Kafka's if the codec does not encode; None if neither writes it.

    Args:
        other: another version of the cell's message that the value is of.
    """
    cell = context.cell if other is None else other
    layout = context.layout if other is None else context.environment.layouts.of(other)
    (reply,) = adapter.ask(cell, layout, [Encode(value)])
    if not isinstance(reply, Unsupported) or cell.module == RECORDS_MODULE:
        return reply.data if isinstance(reply, Encoded) else None
    (written,) = context.target.oracle.write(cell, layout, [canonical(layout).to_binary(value)])
    return written.written if isinstance(written, OracleValue) else None
