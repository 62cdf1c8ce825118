"""Messages that carry record sets: what stands in their records fields is judged too.

The same message goes both ways: the codec's, holding sets that the codec encoded, is read by Kafka's class,
and what that class has in each field by Kafka's record reader; and Kafka's, holding sets that Kafka's writers
made.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.records import to_canonical
from kafkawire.schema.layout import MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from wireproof.checks import Check, RecordsEvidence, judge_records, judge_same_records
from wireproof.model import (
    Adapter,
    Case,
    Decode,
    Decoded,
    Divergence,
    Encoded,
    OracleValue,
    Phase,
    RecordCase,
    RecordsAdapter,
)
from wireproof.run.records import can_write, line_of
from wireproof.run.trial import Trial
from wireproof.run.values import prepare

__all__ = ["carries_records", "prove_contents"]

_EACH = 2
"""Elements of each array on the way to a records field: several topics, several partitions."""
_LARGEST_BYTES = 4096
"""Larger sets are tried in their own cells alone."""


@dataclass(frozen=True, slots=True)
class _Load:
    """A message with a set in each of its records fields.

    Attributes:
        places: the path of each records field, with indices, and the case whose set it holds.
    """

    name: str
    value: dict[str, Any]
    places: Mapping[str, RecordCase]


def carries_records(layout: MessageLayout) -> bool:
    """Whether the message has a records field at this version."""
    return _leads_there(layout.root)


def prove_contents(trial: Trial) -> None:
    """Every set of a moderate size, of every magic, some to a message."""
    if not trial.bench.records or not carries_records(trial.layout):
        return
    adapter, *_ = trial.bench.records
    line = line_of(trial.cell.release)
    sets = [
        (case, adapter.encode(case.records))
        for case in trial.bench.source.record_cases()
        if case.since <= line
    ]
    ours = [
        (case, reply.data)
        for case, reply in sets
        if isinstance(reply, Encoded) and len(reply.data) <= _LARGEST_BYTES
    ]
    _codec_to_kafka(trial, adapter, list(_loads(trial.layout, ours)))
    _kafka_to_codec(trial, adapter, list(_loads(trial.layout, _by_kafka(trial, ours, line))))


def _codec_to_kafka(trial: Trial, adapter: RecordsAdapter, loads: Sequence[_Load]) -> None:
    """The codec's messages: judged as any other, then what Kafka's class holds in each place."""
    by_name = {load.name: load for load in loads}
    cases = [Case(trial.cell, Phase.RECORDS, f"codec/{load.name}", load.value) for load in loads]
    for batch in trial.batches(cases):
        proven = trial.judge(Phase.RECORDS, batch)
        written = trial.subject.oracle.write(trial.cell, trial.layout, [item.expected for item in proven])
        for item, reply in zip(proven, written, strict=True):
            load = by_name[item.case.name.removeprefix("codec/")]
            held = canonical(trial.layout).from_binary(reply.value) if isinstance(reply, OracleValue) else {}
            found = list(_judge_held(trial, adapter, load, dict(_records_in(trial.layout.root, held))))
            _tell(trial, item.case, found, len(load.places))


def _judge_held(
    trial: Trial, adapter: RecordsAdapter, load: _Load, held: Mapping[str, bytes | None]
) -> Iterator[Divergence]:
    data = [held.get(place) or b"" for place in load.places]
    for (place, case), body, read in zip(
        load.places.items(), data, trial.subject.oracle.read_records(data), strict=True
    ):
        evidence = RecordsEvidence(adapter.name, case, True, Encoded(body), None, read, ())
        yield from _at(place, judge_records(evidence))


def _kafka_to_codec(trial: Trial, adapter: RecordsAdapter, loads: Sequence[_Load]) -> None:
    """Kafka's messages, read by every codec, and the sets in them by the codec of sets."""
    cases = [Case(trial.cell, Phase.RECORDS, f"kafka/{load.name}", load.value) for load in loads]
    for subject in trial.subject.adapters:
        trial.announce(Phase.RECORDS, [case.name for case in cases])
        values = [prepare(trial.layout, case).expected for case in cases]
        for case, load, written in zip(
            cases, loads, trial.subject.oracle.write(trial.cell, trial.layout, values), strict=True
        ):
            found = (
                list(_judge_read(trial, subject, adapter, load, written.written))
                if isinstance(written, OracleValue)
                else [Divergence(Check.CANONICAL, "cases", "Kafka does not write a message with record sets")]
            )
            _tell(trial, case, found, len(load.places))


def _judge_read(
    trial: Trial, subject: Adapter, adapter: RecordsAdapter, load: _Load, body: bytes
) -> Iterator[Divergence]:
    (reply,) = subject.ask(trial.cell, trial.layout, [Decode(body)])
    if not isinstance(reply, Decoded):
        yield Divergence(Check.DECODE, subject.name, "Kafka's message with record sets is not read")
        return
    held = dict(_records_in(trial.layout.root, reply.value))
    for place, case in load.places.items():
        read = adapter.decode(bytes(held.get(place) or b""))
        yield from _at(
            place, judge_same_records(Check.DECODE, adapter.name, read, case.records, "Kafka's sets")
        )


def _at(place: str, divergences: Sequence[Divergence] | Iterator[Divergence]) -> Iterator[Divergence]:
    """The divergences of a set, at its place in the message."""
    for divergence in divergences:
        yield replace(divergence, path=f"{place}/{divergence.path}")


def _tell(trial: Trial, case: Case, found: Sequence[Divergence], sets: int) -> None:
    if found:
        trial.recorder.failed(Phase.RECORDS, case.name, tuple(found), case.value)
    trial.recorder.count(Phase.RECORDS, sets, 0, 1 if found else 0)


def _by_kafka(
    trial: Trial, ours: Sequence[tuple[RecordCase, bytes]], line: tuple[int, int]
) -> list[tuple[RecordCase, bytes]]:
    """Kafka's own bytes of the sets that its writers can make, to the last bit, and read back the same."""
    made: list[tuple[RecordCase, bytes]] = []
    for parts in (False, True):
        able = [case for case, _ in ours if can_write(case, parts, line)]
        forms = [to_canonical(case.records, written=True) for case in able]
        for case, reply in zip(able, trial.subject.oracle.write_records(forms, parts=parts), strict=True):
            if isinstance(reply, OracleValue):
                made.append((case, reply.written + case.records.tail))
    return made


def _loads(layout: MessageLayout, sets: Sequence[tuple[RecordCase, bytes]]) -> Iterator[_Load]:
    """Messages that use up the sets; the last one begins anew where they run out."""
    at = number = 0
    while at < len(sets):
        places: dict[str, RecordCase] = {}

        def supply(path: str, places: dict[str, RecordCase] = places) -> bytes:
            nonlocal at
            case, data = sets[at % len(sets)]
            places[path] = case
            at += 1
            return data

        value = _filled(layout.root, "", supply)
        yield _Load(f"sets-{number}", value, places)
        number += 1


def _filled(struct: StructLayout, prefix: str, supply: Callable[[str], bytes]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for field in struct.all_fields:
        path = f"{prefix}{field.name}"
        if field.type is ScalarType.RECORDS:
            value[field.name] = supply(path)
        elif field.struct is not None and _leads_there(field.struct):
            inner = field.struct
            if field.is_array:
                value[field.name] = [_filled(inner, f"{path}[{at}].", supply) for at in range(_EACH)]
            else:
                value[field.name] = _filled(inner, f"{path}.", supply)
    return value


def _leads_there(struct: StructLayout) -> bool:
    return any(
        field.type is ScalarType.RECORDS or (field.struct is not None and _leads_there(field.struct))
        for field in struct.all_fields
    )


def _records_in(
    struct: StructLayout, value: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, Any]]:
    """The content of each records field of a full value, with its path."""
    for field in struct.all_fields:
        path, held = f"{prefix}{field.name}", value.get(field.name)
        if field.type is ScalarType.RECORDS:
            yield path, held
        elif field.struct is not None and held is not None:
            items = enumerate(held) if field.is_array else [(None, held)]
            for index, item in items:
                step = f"{path}." if index is None else f"{path}[{index}]."
                yield from _records_in(field.struct, item, step)
