"""Generation of corpus entries: few values, written by Kafka's classes, that cover all classes of values."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from kafkawire.canonical import Canonical, canonical
from kafkawire.errors import CodecError
from kafkawire.records import to_canonical, to_value
from kafkawire.schema.layout import MessageLayout
from wireproof.model.case_source import RecordCase
from wireproof.model.cell import RECORDS_MODULE, Case, Cell
from wireproof.model.coverage.layout_model import coverage_model, frame_coverage_model
from wireproof.model.coverage.record_set_model import record_coverage_model
from wireproof.model.divergence import without_indices
from wireproof.model.oracle import OracleFrame, OracleReply, OracleValue, Refusal
from wireproof.proof.checks.known_defects.kafka_bugs import refusal_bug
from wireproof.proof.checks.malformed.mutated_bytes import MalformedSubject, leniencies_used
from wireproof.proof.checks.values.record_set import is_plain
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.prepared_cases import (
    CellTarget,
    MutatedCase,
    PreparedCase,
    first_made,
    header_cases,
    made_by_kafka,
    prepare,
)
from wireproof.proof.run.malformed.mutated_bases import make_mutations
from wireproof.traffic.corpus.candidates import covering
from wireproof.traffic.corpus.corpus_entry import (
    AcceptedReading,
    Change,
    GoldenEntry,
    MalformedEntry,
    Provenance,
)
from wireproof.traffic.corpus.formatting import classes_of_malformed

OTHER_WRITERS: Final = "Kafka's builders do not make such a set, or not of this release"


def make_record_sets(
    environment: WorkerEnvironment, cell: Cell, largest_bytes: int
) -> tuple[tuple[GoldenEntry, ...], dict[str, tuple[str, ...]]]:
    """The entries of a cell of record sets, and the classes of values that no entry covers, by the reason.

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
    reasons = {f"larger than {largest_bytes} bytes": large & ~met, OTHER_WRITERS: other & ~large & ~met}
    return tuple(entries), {reason: eyes.names(bits) for reason, bits in reasons.items() if bits}


def _written(
    environment: WorkerEnvironment, cell: Cell, cases: list[RecordCase]
) -> Iterator[tuple[RecordCase, bytes | None]]:
    """Each set with Kafka's bytes; None in their place if Kafka does not write it and read it back equal."""
    oracle = environment.oracles[cell.release]
    made = zip(cases, made_by_kafka(oracle, cell.release, cases), strict=True)
    every = (first_made(replies, case.records) for case, replies in made)
    bodies = {index: body for index, body in enumerate(every) if body is not None}
    reread = dict(zip(bodies, oracle.read_records(list(bodies.values())), strict=True))
    for index, case in enumerate(cases):
        again = reread.get(index)
        same = isinstance(again, OracleValue) and again.value == to_canonical(case.records)
        yield case, bodies[index] if same else None


NOT_WRITTEN: Final = "Kafka does not write such a value, by a defect of its own"
_CLIENTS: Final = "clients"
"""The module of the headers."""
_MOST_ASKED: Final = 64
"""A canonical binary more than this many times as long as the largest body is not tried."""


class UnsoundError(Exception):
    """Kafka's classes contradict themselves about an entry, and no known bug explains it."""


@dataclass(frozen=True, slots=True)
class Made:
    """The entries of one cell.

    Attributes:
        uncovered: ``PATH/CLASS`` of each class that a value covers but no entry does, by the reason.
    """

    golden: tuple[GoldenEntry, ...]
    malformed: tuple[MalformedEntry, ...]
    uncovered: Mapping[str, tuple[str, ...]]


def make_entries(environment: WorkerEnvironment, cell: Cell, largest_bytes: int) -> Made:
    """The entries of a cell; two calls give equal entries.

    Args:
        environment: its oracle and its source of cases are used; no codec is asked.
        largest_bytes: the largest size of a body.

    Raises:
        UnsoundError: Kafka's classes contradict themselves.
    """
    if cell.module == RECORDS_MODULE:
        sets, uncovered = make_record_sets(environment, cell, largest_bytes)
        return Made(sets, (), uncovered)
    subject = CellTarget(cell, environment.layouts.of(cell), (), environment.oracles[cell.release])
    values = _Values(environment, subject, largest_bytes)
    golden = values.entries()
    return Made(golden, tuple(_malformed(environment, subject, largest_bytes)), values.uncovered())


@dataclass(frozen=True, slots=True)
class _Sound:
    """A case that Kafka writes and reads back equal."""

    item: PreparedCase
    body: bytes
    bits: int


class _Values:
    """The sound values of a cell, and the classes of values that are too large or that Kafka cannot write."""

    def __init__(self, environment: WorkerEnvironment, target: CellTarget, largest_bytes: int) -> None:
        self._environment, self._subject, self._largest = environment, target, largest_bytes
        self._coverage_model = coverage_model(target.layout)
        self._large = self._unwritten = 0
        self._sound = list(self._ask())

    def uncovered(self) -> dict[str, tuple[str, ...]]:
        """The classes that no entry meets, by the reason."""
        met = 0
        for each in self._sound:
            met |= each.bits
        unwritten = self._unwritten & ~met
        reasons = {f"larger than {self._largest} bytes": self._large & ~met & ~unwritten}
        reasons[NOT_WRITTEN] = unwritten
        return {reason: self._coverage_model.names(bits) for reason, bits in reasons.items() if bits}

    def entries(self) -> tuple[GoldenEntry, ...]:
        """The fewest entries that cover the classes of all sound values; frames if there is a header."""
        chosen = _fewest(self._sound)
        header = self._environment.layouts.header(self._subject.cell)
        form = canonical(self._subject.layout)
        if header is None:
            return tuple(self._entry(each, _tree(form, each.item.case.value)) for each in chosen)
        heads = self._heads(header)
        # Each value is paired with a header, and each header with a value: the shorter list is repeated.
        pairs = [(each, heads[index % len(heads)], each.item.case.name) for index, each in enumerate(chosen)]
        pairs += [(chosen[0], head, head.item.case.name) for head in heads[len(chosen) :]]
        return tuple(self._framed(header, pairs))

    def _ask(self) -> Iterator[_Sound]:
        cell, layout, oracle = self._subject.cell, self._subject.layout, self._subject.oracle
        items = []
        for case in self._environment.source.enumerated(cell, layout):
            item = prepare(layout, case)
            if len(item.expected) <= _MOST_ASKED * self._largest:
                items.append(item)
            else:
                self._large |= self._look(case)
        written = oracle.write(cell, layout, [item.expected for item in items])
        small: list[tuple[PreparedCase, OracleValue]] = []
        for item, reply in zip(items, written, strict=True):
            if isinstance(reply, Refusal):
                self._refused(item, reply)
            elif len(reply.written) > self._largest:
                self._large |= self._look(item.case)
            else:
                small.append((item, reply))
        reread = oracle.reread(cell, layout, [reply.written for _, reply in small])
        for (item, reply), again in zip(small, reread, strict=True):
            if reply.value != item.expected or again != reply:
                raise UnsoundError(f"{item.case.id}: Kafka reads {again} in what it wrote as {reply}")
            yield _Sound(item, reply.written, self._look(item.case))

    def _refused(self, item: PreparedCase, reply: Refusal) -> None:
        bug = refusal_bug(self._subject.cell.release, self._subject.layout, item.case.value, reply)
        if bug is None:
            raise UnsoundError(f"{item.case.id}: Kafka does not write it: {reply}")
        self._unwritten |= self._look(item.case)

    def _look(self, case: Case) -> int:
        return (
            self._coverage_model.look(case.value)
            & self._coverage_model.reachable
            & ~self._coverage_model.absent
        )

    def _heads(self, header: MessageLayout) -> list[_Sound]:
        """The fewest headers that cover the classes of all small headers, as Kafka writes them."""
        cell, layout = self._subject.cell, self._subject.layout
        eyes = frame_coverage_model(header, layout.api_key, cell.version)
        own = Cell(cell.release, _CLIENTS, header.name, header.version)
        items = [
            prepare(header, Case(own, case.phase, case.name, case.header or {}))
            for case in header_cases(self._environment.source, cell, layout, header)
        ]
        written = self._subject.oracle.write(own, header, [item.expected for item in items])
        sound = [
            _Sound(item, reply.written, eyes.look(item.case.value) & eyes.reachable)
            for item, reply in zip(items, written, strict=True)
            if isinstance(reply, OracleValue) and reply.value == item.expected
        ]
        return _fewest(sound)

    def _framed(
        self, header: MessageLayout, pairs: Sequence[tuple[_Sound, _Sound, str]]
    ) -> Iterator[GoldenEntry]:
        """Entries of header and body, each a frame that Kafka reads and writes back equal."""
        cell, layout = self._subject.cell, self._subject.layout
        heads = [(len(head.body) + len(each.body)).to_bytes(4) + head.body for each, head, _ in pairs]
        frames = [front + each.body for front, (each, _, _) in zip(heads, pairs, strict=True)]
        replies = self._subject.oracle.reframe(cell, layout, self._environment.layouts.headers(cell), frames)
        forms = canonical(layout), canonical(header)
        for (each, head, name), front, frame, reply in zip(pairs, heads, frames, replies, strict=True):
            right = OracleFrame(header.version, frame, head.item.expected, each.item.expected, len(frame))
            if reply != right:
                raise UnsoundError(
                    f"{cell.id}: Kafka does not read the frame of {name} as it was written: {reply}"
                )
            value, head_value = _tree(forms[0], each.item.case.value), _tree(forms[1], head.item.case.value)
            yield self._entry(each, value, name, front, head_value)

    def _entry(
        self, sound: _Sound, value: Any, name: str = "", head: bytes = b"", header: Any = None
    ) -> GoldenEntry:
        name = name or sound.item.case.name
        return GoldenEntry(
            self._subject.cell.id, Provenance.ORACLE_MADE, name, sound.body, value, head, header
        )


def _fewest(sound: Sequence[_Sound]) -> list[_Sound]:
    """Return the fewest entries that cover every reachable class; one entry if there are no classes."""
    return [sound[i] for i in covering([(each.bits, len(each.body)) for each in sound])] or list(sound[:1])


def _tree(form: Canonical, value: Any) -> Any:
    return json.loads(form.to_json(value))


def _malformed(
    environment: WorkerEnvironment, target: CellTarget, largest_bytes: int
) -> Iterator[MalformedEntry]:
    """The fewest malformed entries that cover each operator with each of Kafka's verdicts, and every field.

    If several serve equally, each cell takes another one, so that all cells together have every operator.
    """
    asked = _smallest(each for each in make_mutations(environment, target) if len(each.data) <= largest_bytes)
    judged = [pair for framed in (False, True) for pair in verdicts(environment, target, asked, framed)]
    order = sorted(range(len(judged)), key=lambda at: _shuffled(target.cell, judged[at][0]))
    candidates = (judged[at] for at in order)
    classes = classes_of_malformed((e.framed, e.mutation, verdict, e.data) for e, verdict in candidates)
    for at in sorted(order[index] for index in covering(classes)):
        each, verdict = judged[at]
        change = Change.of(each.mutation)
        yield MalformedEntry(
            target.cell.id, Provenance.ORACLE_MADE, each.name, each.data, each.framed, change, verdict
        )


def _shuffled(cell: Cell, each: MutatedCase) -> bytes:
    return sha256(f"{cell.message}/{cell.version}/{each.name}".encode()).digest()


def _smallest(mutated: Iterator[MutatedCase]) -> list[MutatedCase]:
    """Return the shortest mutated bytes for each operator and field."""
    found: dict[tuple[object, ...], MutatedCase] = {}
    for each in mutated:
        known = found.setdefault((each.framed, *_place(each)), each)
        if len(each.data) < len(known.data):
            found[each.framed, *_place(each)] = each
    return list(found.values())


def _place(each: MutatedCase) -> tuple[str, str]:
    return each.mutation.operator.partition("-at-")[0], without_indices(each.mutation.path)


def verdicts(
    environment: WorkerEnvironment, target: CellTarget, mutated: Sequence[MutatedCase], framed: bool
) -> Iterator[tuple[MutatedCase, AcceptedReading | Refusal]]:
    """Kafka's verdicts on bodies or frames; an input is left out if its value has no JSON form."""
    asked = [each for each in mutated if each.framed == framed]
    cell, layout, oracle = target.cell, target.layout, target.oracle
    data = [each.data for each in asked]
    header = environment.layouts.header(cell) if framed else None
    replies: Sequence[OracleReply | OracleFrame]
    if framed:
        replies = oracle.read_frames(cell, layout, environment.layouts.headers(cell), data) if data else []
    else:
        replies = oracle.read(cell, layout, data)
    judge = MalformedSubject("", cell.release, layout, header)
    for each, reply in zip(asked, replies, strict=True):
        verdict = _verdict(judge, each, reply)
        if verdict is not None:
            yield each, verdict


def _verdict(
    judge: MalformedSubject, each: MutatedCase, reply: OracleReply | OracleFrame
) -> AcceptedReading | Refusal | None:
    if isinstance(reply, Refusal):
        return Refusal(reply.stage, reply.error, "", reply.consumed_bytes)
    leniencies = leniencies_used(judge, each.data, reply)
    assert judge.layout is not None
    value = _tree_of(judge.layout, reply.value if isinstance(reply, OracleValue) else reply.body)
    if leniencies is None or value is None:
        return None
    names = tuple(sorted(leniencies))
    if isinstance(reply, OracleValue):
        return AcceptedReading(reply.consumed_bytes, value, None, names)
    header = None if judge.header is None else _tree_of(judge.header, reply.header)
    return None if header is None else AcceptedReading(reply.consumed_bytes, value, header, names)


def _tree_of(layout: MessageLayout, binary: bytes) -> Any | None:
    """The JSON tree of a canonical binary; None if JSON cannot hold the value: a tag occurs twice."""
    form = canonical(layout)
    try:
        tree = _tree(form, form.from_binary(binary))
        return tree if form.to_binary(form.from_tree(tree)) == binary else None
    except CodecError:
        return None
