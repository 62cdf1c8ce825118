"""The boundary values of the claims of a testee, and those that its limits exclude."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from kafkawire.compiler import compile_layout
from kafkawire.primitives import PRIMITIVES, primitive_codec
from kafkawire.records import encode_records, to_value
from kafkawire.schema.layout import MessageLayout
from wireproof.model import (
    RECORDS_MODULE,
    Cell,
    Copy,
    Crashed,
    Decode,
    Encode,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Request,
    Unsupported,
)
from wireproof.proof.adapters.testee import TesteeAdapter
from wireproof.proof.adapters.testee.testee_adapter import UNCLAIMED
from wireproof.proof.run import Layouts
from wireproof.proof.strategies import record_cases, scenarios
from wireproof.proof.testees import Operation

__all__ = ["BoundarySurvey", "Covered", "newest"]

_LARGEST: Final = 2048
"""Bytes. A larger boundary value differs from a smaller one only in its length."""


@dataclass(slots=True)
class Covered:
    """The values that one limit excludes.

    Attributes:
        answers: the number of excluded answers.
        places: fields, as ``Message.path``.
        classes: of values: the last words of the names of the cases.
        example: a case, and the message of the adapter about it.
        anyway: the results of the library with such values, and their numbers.
    """

    answers: int = 0
    places: set[str] = field(default_factory=set)
    classes: Counter[str] = field(default_factory=Counter)
    example: tuple[str, str] = ("", "")
    anyway: Counter[str] = field(default_factory=Counter)


class _Boundary(NamedTuple):
    name: str
    value: dict[str, Any]
    data: bytes


@dataclass(slots=True)
class BoundarySurvey:
    """The answers of a testee to boundary values.

    Attributes:
        answered: the numbers of values that were answered, excluded, refused, or that failed.
        failures: refusals and crashes of the codec by their text, with the cases.
        limits: by the name of the limit.
    """

    answered: Counter[str] = field(default_factory=Counter)
    failures: dict[str, list[str]] = field(default_factory=dict)
    limits: dict[str, Covered] = field(default_factory=dict)

    def ask(self, adapter: TesteeAdapter, layouts: Layouts, cell: Cell, *, fullest: bool) -> None:
        """Ask for every boundary value of a cell, both ways; only for the fullest one if `fullest`."""
        layout = layouts.of(cell)
        values = list(_boundaries(adapter, cell, layout))
        if fullest:
            values = [each for each in values if each.name.startswith("message/fullest")]
        requests: list[Request] = [
            request for each in values for request in (Encode(each.value), Decode(each.data))
        ]
        left_out: dict[tuple[str, str], _Boundary] = {}
        for index, reply in enumerate(adapter.ask(cell, layout, requests)):
            self._count(cell, values[index // 2], reply, left_out)
        self._ask_past(adapter, cell, layout, left_out)

    def _count(
        self, cell: Cell, each: _Boundary, reply: Reply, left_out: dict[tuple[str, str], _Boundary]
    ) -> None:
        if reply is UNCLAIMED:
            return
        case = f"{cell.id} {each.name}"
        match reply:
            case Unsupported(reason, message):
                self.answered["left out by a limit"] += 1
                covered = self.limits.setdefault(reason, Covered(example=(case, message)))
                covered.answers += 1
                path, _, kind = each.name.rpartition("/")
                covered.places.add(f"{cell.message}.{path}")
                covered.classes[kind] += 1
                left_out.setdefault((reason, path), each)
            case Refused(error) | Crashed(error):
                word = "refused" if isinstance(reply, Refused) else "failed"
                self.answered[word] += 1
                self.failures.setdefault(f"{word}: {error}", []).append(case)
            case _:
                self.answered["answered"] += 1

    def _ask_past(
        self,
        adapter: TesteeAdapter,
        cell: Cell,
        layout: MessageLayout,
        left_out: Mapping[tuple[str, str], _Boundary],
    ) -> None:
        """Let the library read and write excluded values. The adapter does not have to make a value."""
        operation = _past_values(adapter, cell)
        if not left_out:
            return
        if operation is None:
            for reason, _ in left_out:
                self.limits[reason].anyway["not asked: nothing is claimed that reads and writes again"] += 1
            return
        asked = [operation(each.data) for each in left_out.values()]
        replies = adapter.ask(cell, layout, asked)
        for (reason, _), request, reply in zip(left_out, asked, replies, strict=True):
            self.limits[reason].anyway[_became(request.data, reply)] += 1


def _past_values(adapter: TesteeAdapter, cell: Cell) -> type[Reencode] | type[Copy] | None:
    """The operation that passes bytes to the library without a value of the adapter."""
    claimed = adapter.claimed(cell)
    if Operation.REENCODE in claimed:
        return Reencode
    return Copy if Operation.COPY in claimed else None


def _became(data: bytes, reply: Reply) -> str:
    match reply:
        case Reencoded(again):
            return "read and written as it was" if again == data else "read and written as other bytes"
        case Refused(error):
            return f"refused ({error})"
        case Crashed(error):
            return f"failed ({error})"
        case Unsupported(reason, message):
            return f"left out there, too, by {reason}: {message[:100]}"
    return "answered"


def newest(cells: Sequence[Cell]) -> frozenset[Cell]:
    """The newest version of each message in each release: it has nearly all of the fields."""
    found: dict[tuple[str, str], Cell] = {}
    for cell in cells:
        known = found.get((cell.release, cell.message))
        if known is None or known.version < cell.version or cell.module == RECORDS_MODULE:
            found[cell.release, cell.message] = cell
    return frozenset(found.values())


def _boundaries(adapter: TesteeAdapter, cell: Cell, layout: MessageLayout) -> Iterator[_Boundary]:
    if cell.module == RECORDS_MODULE:
        yield from _record_sets(adapter, cell)
        return
    codec = primitive_codec(cell.message) if cell.message in PRIMITIVES else compile_layout(layout)
    for each in scenarios(layout):
        if each.omits:
            continue  # its bytes are those of another value
        data = codec.encode(each.value)
        if len(data) <= _LARGEST:
            yield _Boundary(each.name, each.value, data)


def _record_sets(adapter: TesteeAdapter, cell: Cell) -> Iterator[_Boundary]:
    codecs = {codec.name.lower() for codec in adapter.record_domain(cell).compressions}
    for each in record_cases():
        magic, codec, *rest = each.name.split("/")
        if magic == f"v{cell.version}" and codec in codecs and rest and each.foreign is None:
            data = encode_records(each.records)
            if len(data) <= _LARGEST:
                yield _Boundary(f"{codec}/{'/'.join(rest)}", to_value(each.records), data)
