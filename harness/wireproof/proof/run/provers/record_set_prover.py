"""Cells of the module ``records`` against Kafka's readers and builders."""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

from kafkawire.records import Batch, Compression, Message, RecordBatch, to_value
from wireproof.model.adapter import Adapter, Encode, Encoded
from wireproof.model.case_source import RecordCase
from wireproof.model.cell import Case, Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.state.call_scripts import checksum_script, record_script
from wireproof.proof.checks.values.record_set import RecordEvidence
from wireproof.proof.run.comparing.compared_messages import JudgedSet, compare_sets
from wireproof.proof.run.context.cell_context import CellContext, batch_sizes, in_batches
from wireproof.proof.run.core.prepared_cases import PreparedCase, first_made, made_by_kafka
from wireproof.proof.run.malformed.mutation_judgement import prove_record_mutations
from wireproof.proof.run.phases.corpus_phase import prove_corpus
from wireproof.proof.run.phases.random_phase import RandomSearch, search_at_random
from wireproof.proof.run.properties.call_states import ScriptedCodec, try_fresh
from wireproof.proof.run.provers.message_prover import CellProver, Phases
from wireproof.proof.run.provers.record_set_judgement import (
    PreparedSet,
    judge_and_isolate_sets,
    prepare_set,
    record_case,
)


class BatchKind(NamedTuple):
    """Magic, compression, and the attributes of a batch of magic 2; these are false for older batches."""

    magic: int
    compression: Compression
    control: bool = False
    transactional: bool = False
    idempotent: bool = False
    log_append_time: bool = False
    delete_horizon: bool = False


def batch_kind(batch: Batch) -> BatchKind:
    """The kind of a batch."""
    if isinstance(batch, RecordBatch):
        return BatchKind(
            2,
            batch.compression,
            batch.control,
            batch.transactional,
            batch.producer_id >= 0,
            batch.log_append_time,
            batch.delete_horizon,
        )
    if isinstance(batch, Message):
        return BatchKind(batch.magic, Compression.NONE)
    return BatchKind(batch.magic, batch.compression)


_BATCH_CASES = 128
_STATE_BYTES = 600
"""Sets up to this size go through the script of states, which asks for each of their bytes."""
_STATE_NAMES = ("/plain", "/several", "/headers-repeated", "set/two-batches", "set/mixed-magics")


class RecordSetProver(CellProver):
    """The prover of record sets, which have no class in Kafka but readers and builders."""

    @property
    def phases(self) -> Phases:
        return {
            Phase.ENUMERATED: prove_record_cases,
            Phase.RANDOM: prove_random_records,
            Phase.MUTATIONS: prove_record_mutations,
            Phase.CORPUS: prove_corpus,
        }

    def try_value(
        self, phase: Phase, name: str, value: dict[str, Any], header: dict[str, Any] | None
    ) -> None:
        """Try one set with every check; a named set is made again by its name, which says more about it."""
        if phase is not Phase.ENUMERATED or not self.try_named(name):
            _try_batch(self._context, phase, [prepare_set(self._context, record_case(name, value))])

    def try_named(self, name: str) -> bool:
        """Try the named set; return False if there is none."""
        found = [case for case in _cases(self._context) if case.name == name]
        _try_batch(self._context, Phase.ENUMERATED, [prepare_set(self._context, case) for case in found])
        return bool(found)


def prove_record_cases(context: CellContext) -> None:
    """Try every named set; ask for small sets again in situations that must not change the answer."""
    cell, skip = context.cell, context.skip
    cases = (each for each in _cases(context) if cell.case_id(Phase.ENUMERATED, each.name) not in skip)
    make_mutations: set[tuple[str, BatchKind]] = set()
    sizes = repeat(1) if context.careful else batch_sizes(context.options.first_batch, _BATCH_CASES)
    for batch in in_batches(cases, sizes):
        _try_batch(context, Phase.ENUMERATED, [prepare_set(context, case) for case in batch], make_mutations)


def _cases(context: CellContext) -> Iterator[RecordCase]:
    """Yield the named sets that the codec may be asked for. The classes of the others are excused."""
    domain = context.target.record_domain
    for case in context.record_source.cases(context.cell):
        if domain.holds(case.records):
            yield case
        else:
            context.coverage.excused(to_value(case.records))


def prove_random_records(context: CellContext) -> None:
    """Judge as many record sets as the options say, drawn by Hypothesis."""

    def prepared(value: dict[str, Any]) -> PreparedSet:
        return prepare_set(context, record_case("", value))

    draw = partial(context.record_source.search, context.cell, context.target.record_domain)

    def met(item: PreparedSet) -> None:
        context.coverage.met(item.value)

    search_at_random(context, RandomSearch(draw, prepared, partial(judge_and_isolate_sets, context), met=met))


def _try_batch(
    context: CellContext,
    phase: Phase,
    items: Sequence[PreparedSet],
    make_mutations: set[tuple[str, BatchKind]] | None = None,
) -> None:
    """Judge sets and record them; small proven sets get further questions.

    Args:
        make_mutations: the pairs of codec and kind of batch whose checksum was corrupted before.
    """
    make_mutations = set() if make_mutations is None else make_mutations
    context.announce(phase, [item.case.name for item in items])
    fresh: list[tuple[PreparedCase, bytes]] = []
    for item, found in zip(items, _judged(context, phase, items), strict=True):
        size, foreign = len(item.expected), item.case.foreign
        left = context.recorder.record(phase, item.case.name, found, item.value, size=size, asked=foreign)
        if not found:
            context.coverage.met(item.value)
        elif not left:
            context.coverage.excused(item.value)
        if (
            (not found or context.comparison is not None)
            and phase is Phase.ENUMERATED
            and not item.case.foreign
        ):
            deviants = {each.subject for each in found}
            if item.case.name.endswith(_STATE_NAMES):
                fresh += _try_states(context, item, deviants)
            _try_checksums(context, item, deviants, make_mutations)
    try_fresh(context, fresh)


def _judged(context: CellContext, phase: Phase, items: Sequence[PreparedSet]) -> list[tuple[Divergence, ...]]:
    """The divergences of each set; the codecs' answers are noted if codecs are compared."""
    if context.comparison is None:
        return judge_and_isolate_sets(context, items)
    seen: list[list[JudgedSet]] = [[] for _ in items]

    def notice(index: int, evidence: RecordEvidence, divergences: tuple[Divergence, ...]) -> None:
        seen[index].append((evidence, divergences))

    found = judge_and_isolate_sets(context, items, notice)
    for item, answers in zip(items, seen, strict=True):
        made = [reply for reply, _ in answers[0][0].made] if answers else []
        compare_sets(context.comparison, context.cell.case_id(phase, item.case.name), answers, made)
    return found


def _try_states(
    context: CellContext, item: PreparedSet, deviants: Collection[str]
) -> Iterator[tuple[PreparedCase, bytes]]:
    """Ask for a set again in situations that must not change the answer; yield it with each codec's bytes.

    Args:
        deviants: the codecs that have not proven the set.
    """
    for adapter in _holding(context, item, deviants):
        data = _small_bytes(context, adapter, item)
        if data is not None:
            prepared = _as_value(context, item)
            codec = ScriptedCodec(context, adapter)
            codec.try_script(prepared, list(record_script(context.layout, item.value, data)), data)
            codec.try_threads([(prepared, data)])
            yield prepared, data


def _try_checksums(
    context: CellContext,
    item: PreparedSet,
    deviants: Collection[str],
    make_mutations: set[tuple[str, BatchKind]],
) -> None:
    """Try a wrong checksum in each kind of batch, with the first small proven set that has the kind.

    Args:
        deviants: the codecs that have not proven the set.
        make_mutations: the pairs of codec and kind that were tried; the set's pairs are added.
    """
    kinds = {batch_kind(batch) for batch in item.case.records.batches}
    for adapter in _holding(context, item, deviants):
        new = {(adapter.name, kind) for kind in kinds} - make_mutations
        data = _small_bytes(context, adapter, item) if new else None
        if data is not None:
            make_mutations |= new
            script = list(checksum_script(item.expected, data))
            ScriptedCodec(context, adapter).ask_script(_as_value(context, item), script)


def _holding(context: CellContext, item: PreparedSet, deviants: Collection[str]) -> Iterator[Adapter]:
    """The codecs that have proven a set and may be asked for it."""
    for adapter in context.target.adapters:
        if adapter.name not in deviants and context.target.domain_of(adapter).holds(item.case.records):
            yield adapter


def _small_bytes(context: CellContext, adapter: Adapter, item: PreparedSet) -> bytes | None:
    """The codec's bytes of a set, or Kafka's if it only decodes; None if there are none, or too many."""
    (reply,) = adapter.ask(context.cell, context.layout, [Encode(item.value)])
    data = reply.data if isinstance(reply, Encoded) else _kafkas(context, item)
    return data if data is not None and len(data) <= _STATE_BYTES else None


def _as_value(context: CellContext, item: PreparedSet) -> PreparedCase:
    return PreparedCase(Case(context.cell, Phase.ENUMERATED, item.case.name, item.value), item.expected)


def _kafkas(context: CellContext, item: PreparedSet) -> bytes | None:
    """Kafka's bytes of a set; None if Kafka does not write it."""
    (made,) = made_by_kafka(context.target.oracle, context.cell.release, [item.case])
    return first_made(made, item.case.records)
