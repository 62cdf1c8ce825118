"""The law of equality on a codec's own objects: they are equal exactly if their values are; their duplicates.

The codec reads the objects from Kafka's bytes. Codecs that claim it are asked about proven values: the first
case of each field is compared with the default instance. The fullest instance is compared with a copy that
differs in one field, for each field at every depth, because the arrays of the default instance are empty.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wireproof.model.adapter import Adapter, Claimant, Copy, Equal, Reply, Request
from wireproof.model.cell import Case, Phase
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.values.object_equality import judge_copy, judge_different, judge_same
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.context.value_judgement import judge_batch
from wireproof.proof.run.core.prepared_cases import FULLEST, PreparedCase, prepare

OBJECTS = frozenset({"equal", "copy"})
"""Operations on a codec's own objects. Only a run of one codec tries them: neither a corpus nor a comparison
judges them."""

CHANGED = "/changed"
"""The suffix of cases that compare the fullest instance with a copy that differs in one field."""

_DEFAULT = "message/default"
_FULLEST_KNOWN = "message/fullest-known"
_LARGEST_BYTES = 4096
"""Instances above this size are left out: they show nothing that small ones do not show."""


@dataclass(slots=True)
class EqualityProbe:
    """The values of a cell that are compared with each other, chosen while its cases are proven.

    Attributes:
        fullest: the fullest instance; if it is not proven, that without unknown tags, else the longest one.
    """

    default: PreparedCase | None = None
    others: dict[str, PreparedCase] | None = None
    fullest: PreparedCase | None = None

    def note(self, batch: Sequence[PreparedCase], proven: Sequence[PreparedCase]) -> None:
        """Choose among the cases of a batch."""
        small = [item for item in proven if len(item.expected) <= _LARGEST_BYTES]
        self.fullest = max((*small, *filter(None, [self.fullest])), key=_fullness, default=None)
        self.default = next((item for item in batch if item.case.name == _DEFAULT), self.default)
        default = b"" if self.default is None else self.default.expected
        chosen = self.others = self.others or {}
        for item in small:
            place = item.case.name.rpartition("/")[0]
            place = item.case.name if place == "message" else place
            if place not in chosen and item.expected != default:
                chosen[place] = item

    def prove(self, context: CellContext) -> None:
        """Compare the chosen values with each other in each codec that claims equality or copies."""
        claimants = _claimants(context)
        if not claimants or self.default is None:
            return
        made = _made(context, [self.default, *(self.others or {}).values()])
        if not made:
            return
        context.announce(Phase.ENUMERATED, [item.case.name for item, _ in made])
        for adapter in claimants:
            _prove(context, adapter, made)
        self.prove_changes(context)

    def prove_changes(self, context: CellContext) -> int:
        """Compare the fullest instance with copies that differ in one field; return how many copies."""
        if self.fullest is None:
            return 0
        changes = context.environment.source.changes(context.layout, self.fullest.case.value)
        cases = [
            Case(context.cell, Phase.ENUMERATED, f"{path}{CHANGED}", value)
            for path, value in changes
            if context.wants(f"{path}{CHANGED}")
        ]
        items = [prepare(context.layout, case) for case in cases if not _holds_nan(case.value)]
        return sum(_prove_changes(context, each, self.fullest, items) for each in _claimants(context))


def probe_changed_values(context: CellContext) -> int:
    """Compare the fullest proven instance with its copy in which a wanted field differs; return how many."""
    probe = EqualityProbe()
    for batch in context.batches(context.cases()):
        found = judge_batch(context.target, batch)
        probe.note(batch, [item for item, each in zip(batch, found, strict=True) if not each])
    return probe.prove_changes(context)


def probe_equality(context: CellContext, proven: Sequence[PreparedCase]) -> None:
    """Compare one proven value with the default instance."""
    cases = context.environment.source.enumerated(context.cell, context.layout)
    default = next((prepare(context.layout, case) for case in cases if case.name == _DEFAULT), None)
    probe = EqualityProbe(default)
    probe.note((), proven)
    probe.prove(context)


def _fullness(item: PreparedCase) -> tuple[bool, bool, int]:
    name = item.case.name
    return name == FULLEST, name == _FULLEST_KNOWN, len(item.expected)


def _claimants(context: CellContext) -> list[Adapter]:
    """The codecs that claim equality or copies; none if codecs are compared."""
    if context.comparison is not None:
        return []
    return [
        each
        for each in context.target.adapters
        if isinstance(each, Claimant) and OBJECTS & each.claimed(context.cell)
    ]


def _made(context: CellContext, items: Sequence[PreparedCase]) -> list[tuple[PreparedCase, bytes]]:
    """The values that Kafka writes, with its bytes; none if it does not write the first."""
    written = context.target.oracle.write(context.cell, context.layout, [item.expected for item in items])
    pairs = zip(items, written, strict=True)
    made = [(item, reply.written) for item, reply in pairs if isinstance(reply, OracleValue)]
    return made if isinstance(written[0], OracleValue) else []


def _prove(context: CellContext, adapter: Adapter, made: Sequence[tuple[PreparedCase, bytes]]) -> None:
    """Compare each value with itself, with the default instance, and with its duplicate."""
    (first, base), *_ = made
    requests: list[Request] = []
    for _, data in made:
        requests += [Equal(data, data), Equal(base, data), Copy(data)]
    replies = iter(adapter.ask(context.cell, context.layout, requests))
    for item, data in made:
        said = next(replies), next(replies), next(replies)
        _record(context, item, data, _judged(context, adapter.name, (first, item), data, said))


def _prove_changes(
    context: CellContext, adapter: Adapter, fullest: PreparedCase, changed: Sequence[PreparedCase]
) -> int:
    """Compare each changed value that the codec reads and writes rightly with the original value."""
    alone = replace(context.target, adapters=[adapter])
    found = judge_batch(alone, changed)
    right = (item for item, each in zip(changed, found, strict=True) if not each)
    made = _made(context, [fullest, *right])
    if not made:
        return 0
    (_, base), *others = made
    context.announce(Phase.ENUMERATED, [item.case.name for item, _ in others])
    replies = adapter.ask(context.cell, context.layout, [Equal(base, data) for _, data in others])
    for (item, data), reply in zip(others, replies, strict=True):
        judged = judge_different(context.layout, adapter.name, reply, item.expected, fullest.expected)
        _record(context, item, data, () if judged is None else (judged,))
    return len(others)


def _record(context: CellContext, item: PreparedCase, data: bytes, found: Iterable[Divergence]) -> None:
    context.recorder.record(Phase.ENUMERATED, item.case.name, found, item.case.value, size=len(data))


def _judged(
    context: CellContext,
    name: str,
    items: tuple[PreparedCase, PreparedCase],
    data: bytes,
    said: tuple[Reply, Reply, Reply],
) -> Iterator[Divergence]:
    """The divergences of an instance.

    Args:
        items: the default instance and this one.
        said: the replies about the instance and itself, about both instances, and about its duplicate.
    """
    first, item = items
    same, apart, copied = said
    found = []
    if not _holds_nan(item.case.value):
        found.append(judge_same(name, same))
    if item is not first and _comparable(first, item):
        found.append(judge_different(context.layout, name, apart, item.expected, first.expected))
    if item is not first:
        found.append(judge_copy(context.layout, name, copied, data))
    yield from (each for each in found if each is not None)


def _comparable(one: PreparedCase, other: PreparedCase) -> bool:
    """True if the values differ by any definition of equality: NaN and -0 leave that open."""
    if _holds_nan(one.case.value) or _holds_nan(other.case.value):
        return False
    return not _holds_minus_zero(other.case.value)


def _holds_nan(value: Any) -> bool:
    return any(math.isnan(number) for number in _floats(value))


def _holds_minus_zero(value: Any) -> bool:
    return any(number == 0 and math.copysign(1, number) < 0 for number in _floats(value))


def _floats(value: Any) -> Iterator[float]:
    match value:
        case float():
            yield value
        case dict():
            for item in value.values():
                yield from _floats(item)
        case list():
            for item in value:
                yield from _floats(item)
