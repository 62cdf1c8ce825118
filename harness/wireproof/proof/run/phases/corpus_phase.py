"""The corpus phase of one cell: the codecs are compared with recorded entries.

The entries are the oracle's recorded answers. If the run has an oracle, it verifies the entries, too
(`run/corpus_entries/entry_verification.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Claimant
from wireproof.model.cell import Case, Phase
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleFrame, OracleReply, OracleValue, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.claims.claim_coverage import judge_claims
from wireproof.proof.checks.malformed.mutated_bytes import MalformedSubject
from wireproof.proof.run.context.cell_context import CLAIM_CASES, CellContext
from wireproof.proof.run.core.prepared_cases import MutatedCase, PreparedCase
from wireproof.proof.run.corpus_entries.entry_verification import judge_entries
from wireproof.proof.run.corpus_entries.golden_judgement import GoldenCase, judge_golden
from wireproof.proof.run.malformed.mutated_bases import read_mutated
from wireproof.proof.run.malformed.mutation_judgement import MutationRecord, judge_mutations
from wireproof.proof.run.properties.equality_probe import OBJECTS
from wireproof.proof.run.properties.stream_feeding import STREAMS
from wireproof.traffic.corpus.corpus_entry import AcceptedReading, Entry, MalformedEntry, id_of, line_of

_BATCH_ENTRIES = 256


@dataclass(frozen=True, slots=True)
class _Wrong:
    """A malformed entry with Kafka's verdict, as Kafka's classes once gave it."""

    name: str
    entry: MalformedEntry
    kafka: OracleReply | OracleFrame


def prove_corpus(context: CellContext) -> None:
    """Try every wanted entry of the cell, by its id, with all codecs."""
    source = context.environment.corpus
    if source is None:
        raise LookupError("the environment has no corpus")
    named = [(id_of(entry), entry) for entry in source.of(context.cell.id)]
    named = [each for each in named if context.tries(Phase.CORPUS, each[0])]
    right: list[GoldenCase] = []
    most = 1 if context.careful else _BATCH_ENTRIES
    for start in range(0, len(named), most):
        batch = named[start : start + most]
        context.announce(Phase.CORPUS, [name for name, _ in batch])
        sound = list(_sound(context, batch))
        new = [each for each in sound if isinstance(each, GoldenCase)]
        _try_right(context, new)
        _try_wrong(context, [each for each in sound if isinstance(each, _Wrong)])
        context.recorder.progress()
        right += new
    if not context.only:
        _judge_claims(context, right)


def _sound(context: CellContext, batch: Sequence[tuple[str, Entry]]) -> Iterator[GoldenCase | _Wrong]:
    """The entries of a batch with their values read; a wrong entry is reported, and no codec gets it."""
    found: dict[str, tuple[Divergence, ...]] = {}
    if context.target.authority is not None:
        found = judge_entries(context.environment, context.target, batch)
    for name, entry in batch:
        if name not in found:
            try:
                yield _read(context, name, entry)
                continue
            except CodecError as error:
                summary = "the entry's value is none of its message"
                found[name] = (Divergence(Check.ENTRY, "corpus", summary, error.path, codec=str(error)),)
        context.recorder.failed(Phase.CORPUS, name, found[name], entry=line_of(entry))
        context.recorder.count(Phase.CORPUS, 1, 0, 1)


def _read(context: CellContext, name: str, entry: Entry) -> GoldenCase | _Wrong:
    header_layout = context.environment.layouts.header(context.cell)
    if isinstance(entry, MalformedEntry):
        return _Wrong(name, entry, _reply(context.layout, header_layout, entry))
    form = canonical(context.layout)
    value = form.from_tree(entry.value)
    head, header = None, b""
    if header_layout is not None and entry.header is not None:
        head = canonical(header_layout).from_tree(entry.header)
        header = canonical(header_layout).to_binary(head)
    case = Case(context.cell, Phase.CORPUS, name, value, head)
    return GoldenCase(entry, PreparedCase(case, form.to_binary(value)), header)


def _try_right(context: CellContext, held: Sequence[GoldenCase]) -> None:
    """Try values and frames with every codec. An entry is one case, whatever it holds."""
    for each, found in zip(held, judge_golden(context, held), strict=True):
        case, entry = each.item.case, line_of(each.entry)
        left = context.recorder.record(
            Phase.CORPUS, case.name, found, case.value, entry=entry, size=len(each.entry.frame)
        )
        if not found:
            context.coverage.met(case.value)
            context.coverage.met_header(case.header or {})
        elif not left:
            context.coverage.excused(case.value)
            context.coverage.excused_header(case.header or {})


def _try_wrong(context: CellContext, entries: Sequence[_Wrong]) -> None:
    """Let every codec read wrong bytes in a limited process; judge it by the verdicts of the entries."""
    for framed in (False, True):
        asked = [each for each in entries if each.entry.framed == framed]
        header = context.environment.layouts.header(context.cell) if framed else None
        if not asked or (framed and header is None):
            continue
        mutated = [
            MutatedCase(each.name, each.entry.change.mutation, each.entry.data, framed, line_of(each.entry))
            for each in asked
        ]
        limited = context.environment.limited
        answers = [read_mutated(each, context.layout, header, mutated, Phase.CORPUS) for each in limited]
        release = context.cell.release
        subjects = [MalformedSubject(each.name, release, context.layout, header) for each in limited]
        replies = [each.kafka for each in asked]
        judge_mutations(MutationRecord(context.recorder, Phase.CORPUS), subjects, mutated, answers, replies)


def _reply(
    layout: MessageLayout, header: MessageLayout | None, entry: MalformedEntry
) -> OracleReply | OracleFrame:
    match entry.verdict:
        case Refusal() as refusal:
            return refusal
        case AcceptedReading(consumed, value, head):
            form = canonical(layout)
            body = form.to_binary(form.from_tree(value))
            if header is None or head is None:
                return OracleValue(b"", 0, consumed, body)
            before = canonical(header)
            return OracleFrame(header.version, b"", before.to_binary(before.from_tree(head)), body, consumed)


def _judge_claims(context: CellContext, held: Sequence[GoldenCase]) -> None:
    """Judge the claims: every claimed operation has to be answered right once."""
    if not held:
        return
    framed = set() if any(each.item.case.header is not None for each in held) else {"frame", "unframe"}
    for adapter in context.target.adapters:
        if isinstance(adapter, Claimant):
            idle = adapter.idle(context.cell) - framed - OBJECTS - STREAMS
            record_claims(context, Phase.CORPUS, adapter.name, idle)


def record_claims(context: CellContext, phase: Phase, name: str, idle: frozenset[str]) -> None:
    """Judge and record the claimed operations of a codec that were never answered right."""
    for divergence in judge_claims(name, idle, context.recorder.unanswered(name)):
        context.recorder.record(phase, f"{CLAIM_CASES}{divergence.path}", (divergence,))
