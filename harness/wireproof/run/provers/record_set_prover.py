"""Cells of the module ``records``: sets by name and at random, against Kafka's readers and builders."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import RecordBatch, RecordSet, encode_records, from_value, to_canonical, to_value
from wireproof.checks import (
    Check,
    RecordEvidence,
    checksum_script,
    judge_records,
    record_script,
)
from wireproof.model import (
    Adapter,
    Case,
    Decode,
    Divergence,
    Encode,
    Encoded,
    OracleReply,
    OracleValue,
    Phase,
    RecordCase,
    Reply,
    Size,
    release_line,
)
from wireproof.run.attribution.record_isolation import blame_record_fields
from wireproof.run.comparing.compared_sets import SetSeen, compare_sets
from wireproof.run.context.cell_context import Trial
from wireproof.run.core.prepared_cases import Prepared
from wireproof.run.malformed.mutated_record_sets import prove_record_mutations
from wireproof.run.phases.corpus_phase import prove_corpus
from wireproof.run.phases.random_phase import RandomSearch, search_at_random
from wireproof.run.properties.call_states import ask_script, try_fresh, try_script, try_threads
from wireproof.run.provers.batch_kinds import BatchKind, batch_kind
from wireproof.run.provers.message_prover import CellProver

__all__ = ["RecordsProver"]

_BATCH_CASES = 128
_STATE_BYTES = 600
"""Sets up to this size go through the script of states, which asks for each of their bytes."""
_STATE_NAMES = ("/plain", "/several", "/headers-repeated", "set/two-batches", "set/mixed-magics")


@dataclass(frozen=True, slots=True)
class PreparedSet:
    """A set with its two forms, or the reason why it has none."""

    case: RecordCase
    value: dict[str, Any]
    expected: bytes
    view: bytes
    problem: Divergence | None = None


class RecordsProver(CellProver):
    """The prover of record sets, which have no class in Kafka but readers and builders."""

    def phases(self) -> Mapping[Phase, Callable[[Trial], object]]:
        return {
            Phase.ENUMERATED: prove_record_cases,
            Phase.RANDOM: prove_random_records,
            Phase.MUTATIONS: prove_record_mutations,
            Phase.CORPUS: prove_corpus,
        }

    def try_value(
        self, phase: Phase, name: str, value: dict[str, Any], header: dict[str, Any] | None
    ) -> None:
        """One set through every check; a named one by its name, which knows more of it."""
        if phase is not Phase.ENUMERATED or not self.try_named(name):
            _try_batch(self._trial, phase, [_prepared(self._trial, _case_of(name, value))])

    def try_named(self, name: str) -> bool:
        """The named set; False where there is none."""
        found = [case for case in _cases(self._trial) if case.name == name]
        _try_batch(self._trial, Phase.ENUMERATED, [_prepared(self._trial, case) for case in found])
        return bool(found)

    def try_mutation(self, name: str, after: Sequence[str] = ()) -> bool:
        """The mutation of this name, asked after others; False where there is none."""
        prove_record_mutations(self._trial, name, after)
        return self._trial.recorder.cases(Phase.MUTATIONS) > 0


def prove_record_cases(trial: Trial) -> None:
    """Every named set; small ones in circumstances that must not matter, too."""
    cases = (case for case in _cases(trial) if _id(trial, case) not in trial.skip)
    spoiled: set[tuple[str, BatchKind]] = set()
    for batch in _batches(cases, 1 if trial.careful else _BATCH_CASES):
        _try_batch(trial, Phase.ENUMERATED, [_prepared(trial, case) for case in batch], spoiled)


def _cases(trial: Trial) -> Iterator[RecordCase]:
    """The named sets that the codec may be asked for."""
    domain = trial.record_domain
    return (case for case in trial.record_source.cases(trial.cell) if domain.holds(case.records))


def prove_random_records(trial: Trial) -> None:
    """As many sets as the options say, drawn by Hypothesis."""

    def prepared(value: dict[str, Any]) -> PreparedSet:
        return _prepared(trial, _case_of("", value))

    draw = partial(trial.record_source.search, trial.cell, trial.record_domain)

    def met(item: PreparedSet) -> None:
        trial.met(item.value)

    search_at_random(trial, RandomSearch(draw, prepared, partial(placed_sets, trial), met=met))


def _id(trial: Trial, case: RecordCase) -> str:
    return f"{trial.cell.id}/{Phase.ENUMERATED}/{case.name}"


def _batches(cases: Iterable[RecordCase], most: int) -> Iterator[list[RecordCase]]:
    batch: list[RecordCase] = []
    for case in cases:
        batch.append(case)
        if len(batch) >= most:
            yield batch
            batch = []
    if batch:
        yield batch


def _case_of(name: str, value: dict[str, Any]) -> RecordCase:
    """A set of which only the value is known: Kafka writes it of its parts, where these can."""
    records = from_value(value)
    return RecordCase(name, records, builder=False, parts=all(_has_parts(batch) for batch in records.batches))


def _has_parts(batch: object) -> bool:
    """Whether Kafka's writers of single headers and records make the batch: they write no unused bits."""
    return not isinstance(batch, RecordBatch) or (
        batch.reserved == 0
        and batch.base_timestamp >= -1
        and all(record.attributes == 0 for record in batch.records)
    )


def _prepared(trial: Trial, case: RecordCase) -> PreparedSet:
    value = to_value(case.records)
    try:
        expected = canonical(trial.layout).to_binary(value)
        return PreparedSet(case, value, expected, to_canonical(case.records))
    except CodecError as error:
        problem = Divergence(
            Check.CANONICAL,
            "layout",
            "a valid record set has no canonical form",
            error.path,
            codec=str(error),
        )
        return PreparedSet(case, value, b"", b"", problem)


def _try_batch(
    trial: Trial,
    phase: Phase,
    items: Sequence[PreparedSet],
    spoiled: set[tuple[str, BatchKind]] | None = None,
) -> None:
    """Judge sets and record them; those that are proven and small may be asked more.

    Args:
        spoiled: codecs with the kinds of batches whose checksum was spoiled before.
    """
    spoiled = set() if spoiled is None else spoiled
    trial.announce(phase, [item.case.name for item in items])
    fresh: list[tuple[Prepared, bytes]] = []
    for item, found in zip(items, _judged(trial, phase, items), strict=True):
        divergences = trial.recorder.excused(found)
        if divergences:
            trial.recorder.failed(phase, item.case.name, divergences, item.value)
        elif not found:
            trial.met(item.value)
        elif trial.coverage is not None:
            trial.coverage.excused(item.value)
        if (
            (not found or trial.comparison is not None)
            and phase is Phase.ENUMERATED
            and not item.case.foreign
        ):
            deviants = {each.subject for each in found}
            if item.case.name.endswith(_STATE_NAMES):
                fresh += _try_states(trial, item, deviants)
            _try_checksums(trial, item, deviants, spoiled)
        trial.recorder.count(phase, 1, len(item.expected), 1 if divergences else 0)
    try_fresh(trial, fresh)


def _judged(trial: Trial, phase: Phase, items: Sequence[PreparedSet]) -> list[tuple[Divergence, ...]]:
    """The divergences of each; where codecs are compared, their answers are."""
    if trial.comparison is None:
        return placed_sets(trial, items)
    seen: list[list[SetSeen]] = [[] for _ in items]

    def notice(index: int, evidence: RecordEvidence, divergences: tuple[Divergence, ...]) -> None:
        seen[index].append((evidence, divergences))

    found = judge_sets(trial, items, notice)
    for item, answers in zip(items, seen, strict=True):
        made = [reply for reply, _ in answers[0][0].made] if answers else []
        compare_sets(trial.comparison, f"{trial.cell.id}/{phase}/{item.case.name}", answers, made)
    return found


def placed_sets(trial: Trial, items: Sequence[PreparedSet]) -> list[tuple[Divergence, ...]]:
    """The divergences of each set; those without an answer at the field that is at fault."""

    def judge(name: str, values: Sequence[dict[str, Any]]) -> list[tuple[Divergence, ...] | None]:
        adapter = next(each for each in trial.subject.adapters if each.name == name)
        sets = [_set_of(trial, adapter, value) for value in values]
        judged = iter(judge_sets(trial, [each for each in sets if each is not None]))
        return [None if each is None else next(judged) for each in sets]

    found = judge_sets(trial, items)
    pairs = zip(items, found, strict=True)
    return [blame_record_fields(trial.layout, each, item.value, judge) for item, each in pairs]


def _set_of(trial: Trial, adapter: Adapter, value: dict[str, Any]) -> PreparedSet | None:
    """The set of a value; None of one that is no set, or that the codec may not be asked for."""
    try:
        case = _case_of("", value)
        encode_records(case.records)
    except CodecError:
        return None
    item = _prepared(trial, case)
    return item if item.problem is None and trial.domain_of(adapter).holds(case.records) else None


def _try_states(
    trial: Trial, item: PreparedSet, deviants: Collection[str]
) -> Iterator[tuple[Prepared, bytes]]:
    """A set in circumstances that must not matter; the set again, with the codec's bytes of it.

    Args:
        deviants: the codecs that have not proven it.
    """
    for adapter in _holding(trial, item, deviants):
        data = _small_bytes(trial, adapter, item)
        if data is not None:
            prepared = _as_value(trial, item)
            script = list(record_script(trial.layout, item.value, data))
            try_script(trial, adapter, prepared, script, data)
            try_threads(trial, adapter, [(prepared, data)])
            yield prepared, data


def _try_checksums(
    trial: Trial, item: PreparedSet, deviants: Collection[str], spoiled: set[tuple[str, BatchKind]]
) -> None:
    """A spoiled checksum in each kind of batch, by the first small set that is proven and has the kind.

    Args:
        deviants: the codecs that have not proven it.
        spoiled: codecs with the kinds that were tried; those of this set are added.
    """
    kinds = {batch_kind(batch) for batch in item.case.records.batches}
    for adapter in _holding(trial, item, deviants):
        new = {(adapter.name, kind) for kind in kinds} - spoiled
        data = _small_bytes(trial, adapter, item) if new else None
        if data is not None:
            spoiled |= new
            script = list(checksum_script(item.expected, data))
            ask_script(trial, adapter, _as_value(trial, item), script)


def _holding(trial: Trial, item: PreparedSet, deviants: Collection[str]) -> Iterator[Adapter]:
    """The codecs that have proven a set and may be asked for it."""
    for adapter in trial.subject.adapters:
        if adapter.name not in deviants and trial.domain_of(adapter).holds(item.case.records):
            yield adapter


def _small_bytes(trial: Trial, adapter: Adapter, item: PreparedSet) -> bytes | None:
    """The codec's bytes of a set, Kafka's where it only decodes; None where there are none, or too many."""
    (reply,) = adapter.ask(trial.cell, trial.layout, [Encode(item.value)])
    data = reply.data if isinstance(reply, Encoded) else _kafkas(trial, item)
    return data if data is not None and len(data) <= _STATE_BYTES else None


def _as_value(trial: Trial, item: PreparedSet) -> Prepared:
    return Prepared(Case(trial.cell, Phase.ENUMERATED, item.case.name, item.value), item.expected)


def _kafkas(trial: Trial, item: PreparedSet) -> bytes | None:
    """The bytes of a set as Kafka writes it, where it does."""
    (made,) = _made_by_kafka(trial, [item])
    return next((data for each in made if (data := _with_tail(each, item.case.records)) is not None), None)


_Notice: TypeAlias = Callable[[int, RecordEvidence, tuple[Divergence, ...]], None]
"""Told of each codec: the index of the set, the evidence, the judgement."""


def judge_sets(
    trial: Trial, items: Sequence[PreparedSet], notice: _Notice | None = None
) -> list[tuple[Divergence, ...]]:
    """The divergences of each set, over all codecs that may be asked for it; empty where it is proven."""
    found: list[list[Divergence]] = [[item.problem] if item.problem else [] for item in items]
    sound = [index for index, item in enumerate(items) if item.problem is None]
    held = [items[index] for index in sound]
    made = _made_by_kafka(trial, held)
    for adapter in trial.subject.adapters:
        domain = trial.domain_of(adapter)
        asked = [at for at, item in enumerate(held) if domain.holds(item.case.records)]
        answers = _ask(trial, adapter, [held[at] for at in asked], [made[at] for at in asked])
        for at, evidence in zip(asked, answers, strict=True):
            divergences = judge_records(evidence)
            found[sound[at]].extend(divergences)
            if notice is not None:
                notice(sound[at], evidence, divergences)
    return [tuple(divergences) for divergences in found]


def _made_by_kafka(trial: Trial, items: Sequence[PreparedSet]) -> list[list[OracleReply]]:
    """What Kafka writes for each set, with its builder and of its parts, where they can make it."""
    made: list[list[OracleReply]] = [[] for _ in items]
    for parts in (False, True):
        able = [
            index
            for index, item in enumerate(items)
            if item.case.foreign is None
            and (item.case.parts if parts else item.case.builder)
            and _knows(trial, item.case)
        ]
        forms = [to_canonical(items[index].case.records, written=True) for index in able]
        replies = trial.subject.oracle.write_records(forms, parts=parts)
        for index, reply in zip(able, replies, strict=True):
            made[index].append(reply)
    return made


def _knows(trial: Trial, case: RecordCase) -> bool:
    """Whether the release knows all that is in the set; if not, it reads it all the same."""
    return case.since <= release_line(trial.cell.release)


def _ask(
    trial: Trial, adapter: Adapter, items: Sequence[PreparedSet], made: Sequence[Sequence[OracleReply]]
) -> list[RecordEvidence]:
    asker = _Asker(trial, adapter)
    own = [item for item in items if item.case.foreign is None]
    encoded = iter(asker.ask([Encode(item.value) for item in own]))
    sized = iter(asker.ask([Size(item.value) for item in own]))
    answers = [(next(encoded), next(sized)) if not item.case.foreign else (None, None) for item in items]
    data = [
        reply.data if isinstance(reply, Encoded) else item.case.foreign
        for item, (reply, _) in zip(items, answers, strict=True)
    ]
    decoded = asker.decode(data)
    reread = iter(trial.subject.oracle.read_records([each for each in data if each is not None]))
    evidence = []
    for index, (item, (written, size)) in enumerate(zip(items, answers, strict=True)):
        theirs = [_with_tail(reply, item.case.records) for reply in made[index]]
        asked = asker.decode([each if each != data[index] else None for each in theirs])
        for each, read in zip(theirs, asked, strict=True):
            if each is not None:
                trial.subject.exercise.note(written, decoded[index] if each == data[index] else read)
        evidence.append(
            RecordEvidence(
                layout=trial.layout,
                subject=adapter.name,
                records=item.case.records,
                expected=item.expected,
                view=item.view if _knows(trial, item.case) else None,
                data=data[index],
                encoded=written,
                sized=size,
                decoded=decoded[index],
                reread=next(reread) if data[index] is not None else None,
                made=tuple(zip(made[index], asked, strict=True)),
            )
        )
    return evidence


def _with_tail(reply: OracleReply, records: RecordSet) -> bytes | None:
    return reply.written + records.tail if isinstance(reply, OracleValue) else None


@dataclass(frozen=True, slots=True)
class _Asker:
    trial: Trial
    adapter: Adapter

    def ask(self, requests: Sequence[Encode | Size | Decode]) -> list[Reply]:
        return self.adapter.ask(self.trial.cell, self.trial.layout, requests)

    def decode(self, data: Sequence[bytes | None]) -> list[Reply | None]:
        """The codec's answers for the bytes there are."""
        replies = iter(self.ask([Decode(each) for each in data if each is not None]))
        return [None if each is None else next(replies) for each in data]
