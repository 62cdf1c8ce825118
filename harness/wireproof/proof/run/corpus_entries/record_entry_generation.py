"""Entries of record sets, as Kafka's builders write them and its readers read them."""

import json
from collections.abc import Iterator
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.records import to_canonical, to_value
from wireproof.model import Cell, OracleValue, RecordCase, release_line
from wireproof.model.coverage import record_coverage_model
from wireproof.proof.checks import is_plain
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.traffic.corpus import GoldenEntry, Provenance, covering

OTHER_WRITERS: Final = "Kafka's builders do not make such a set, or not of this release"


def make_record_sets(
    environment: WorkerEnvironment, cell: Cell, largest_bytes: int
) -> tuple[tuple[GoldenEntry, ...], dict[str, tuple[str, ...]]]:
    """The entries of a cell that is record sets, and the classes that none of them meets, by the reason.

    Raises:
        LookupError: the environment has no source of record sets.
    """
    if environment.record_source is None:
        raise LookupError("the environment has no source of record sets")
    eyes = record_coverage_model(cell.version)
    form = canonical(environment.layouts.of(cell))
    made = list(_written(environment, cell, list(environment.record_source.cases(cell))))
    looks = [eyes.look(to_value(case.records)) & eyes.reachable for case, _ in made]
    chosen = covering(
        [
            (bits if data is not None and len(data) <= largest_bytes else 0, len(data or b""))
            for bits, (_, data) in zip(looks, made, strict=True)
        ]
    )
    entries = []
    met = large = other = 0
    for index, (bits, (_, data)) in enumerate(zip(looks, made, strict=True)):
        met |= bits if index in chosen else 0
        large |= bits if data is not None else 0
        other |= bits
    for index in chosen:
        case, data = made[index]
        assert data is not None
        value = json.loads(form.to_json(to_value(case.records)))
        exact = is_plain(case.records)
        entries.append(GoldenEntry(cell.id, Provenance.ORACLE_MADE, case.name, data, value, exact=exact))
    reasons = {
        f"larger than {largest_bytes} bytes": large & ~met,
        OTHER_WRITERS: other & ~large & ~met,
    }
    return tuple(entries), {reason: eyes.names(bits) for reason, bits in reasons.items() if bits}


def _written(
    environment: WorkerEnvironment, cell: Cell, cases: list[RecordCase]
) -> Iterator[tuple[RecordCase, bytes | None]]:
    """Each set with Kafka's bytes, where Kafka makes it, and reads it to the same again; None elsewhere."""
    oracle = environment.oracles[cell.release]
    bodies: dict[int, bytes] = {}
    for parts in (False, True):
        able = [
            index
            for index, case in enumerate(cases)
            if case.foreign is None
            and (case.parts if parts else case.builder)
            and case.since <= release_line(cell.release)
        ]
        replies = oracle.write_records(
            [to_canonical(cases[index].records, written=True) for index in able], parts=parts
        )
        for index, reply in zip(able, replies, strict=True):
            if isinstance(reply, OracleValue):
                bodies.setdefault(index, reply.written + cases[index].records.tail)
    reread = dict(zip(bodies, oracle.read_records(list(bodies.values())), strict=True))
    for index, case in enumerate(cases):
        again = reread.get(index)
        same = isinstance(again, OracleValue) and again.value == to_canonical(case.records)
        yield case, bodies[index] if same else None
