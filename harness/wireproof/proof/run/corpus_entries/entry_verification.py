"""Verification of corpus entries: Kafka's classes have to answer as the entries record."""

from collections.abc import Iterator, Sequence

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import from_value, to_canonical
from wireproof.model.cell import RECORDS_MODULE
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleFrame, OracleReply, OracleValue, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import differing_bytes, value_difference
from wireproof.proof.checks.evidence_text import refusal_words
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.prepared_cases import CellTarget, MutatedCase
from wireproof.proof.run.corpus_entries.entry_generation import verdicts
from wireproof.traffic.corpus.corpus_entry import AcceptedReading, Entry, GoldenEntry, MalformedEntry

_SUBJECT = "corpus"


def judge_entries(
    environment: WorkerEnvironment, target: CellTarget, entries: Sequence[tuple[str, Entry]]
) -> dict[str, tuple[Divergence, ...]]:
    """The divergences of wrong entries, by their ids."""
    golden = [(name, each) for name, each in entries if isinstance(each, GoldenEntry)]
    if target.cell.module == RECORDS_MODULE:
        found = dict(_record_sets(target, golden))
    else:
        malformed = [(name, each) for name, each in entries if isinstance(each, MalformedEntry)]
        found = {**dict(_bodies(target, golden)), **dict(_malformed(environment, target, malformed))}
        found |= dict(_frames(environment, target, [pair for pair in golden if pair[0] not in found]))
    return {name: (divergence,) for name, divergence in found.items()}


def _bodies(
    target: CellTarget, entries: Sequence[tuple[str, GoldenEntry]]
) -> Iterator[tuple[str, Divergence]]:
    """Yield the divergences of entries whose bytes Kafka does not write, or reads differently."""
    cell, layout, form = target.cell, target.layout, canonical(target.layout)
    known: list[tuple[str, GoldenEntry, bytes]] = []
    for name, entry in entries:
        try:
            known.append((name, entry, form.to_binary(form.from_tree(entry.value))))
        except CodecError as error:
            summary = "the entry's value is none of its message"
            yield name, Divergence(Check.ENTRY, _SUBJECT, summary, error.path, codec=str(error))
    written = target.oracle.write(cell, layout, [binary for _, _, binary in known])
    reread = target.oracle.reread(cell, layout, [entry.body for _, entry, _ in known])
    for (name, entry, binary), wrote, read in zip(known, written, reread, strict=True):
        wrong = _wrong_body(target, entry, binary, wrote, read)
        if wrong is not None:
            yield name, wrong


def _record_sets(
    target: CellTarget, entries: Sequence[tuple[str, GoldenEntry]]
) -> Iterator[tuple[str, Divergence]]:
    """Yield the divergences of entries that Kafka does not read, or reads to another set."""
    form = canonical(target.layout)
    replies = target.oracle.read_records([entry.body for _, entry in entries])
    for (name, entry), reply in zip(entries, replies, strict=True):
        try:
            wanted = to_canonical(from_value(form.from_tree(entry.value)))
        except CodecError as error:
            wanted, reply = b"", Refusal("value", str(error.fault), str(error), 0)
        if not isinstance(reply, OracleValue) or reply.value != wanted:
            words = refusal_words(reply) if isinstance(reply, Refusal) else "another set"
            summary = "Kafka does not read the entry's value in its bytes"
            yield name, Divergence(Check.ENTRY, _SUBJECT, summary, oracle=words)


def _wrong_body(
    target: CellTarget, entry: GoldenEntry, binary: bytes, wrote: OracleReply, read: OracleReply
) -> Divergence | None:
    layout = target.layout
    for reply, what in ((wrote, "Kafka does not write the entry's value"), (read, "Kafka does not read it")):
        if isinstance(reply, Refusal):
            return Divergence(Check.ENTRY, _SUBJECT, what, oracle=refusal_words(reply))
    assert isinstance(wrote, OracleValue)
    assert isinstance(read, OracleValue)
    if wrote.written != entry.body:
        summary = "Kafka writes other bytes than the entry has"
        return differing_bytes(layout, Check.ENTRY, _SUBJECT, summary, entry.body, wrote.written)
    if read.value != binary or read.consumed_bytes != len(entry.body):
        summary = "Kafka reads another value than the entry has"
        return value_difference(layout, Check.ENTRY, _SUBJECT, summary, binary, read.value)
    return None


def _frames(
    environment: WorkerEnvironment, target: CellTarget, entries: Sequence[tuple[str, GoldenEntry]]
) -> Iterator[tuple[str, Divergence]]:
    """Yield the divergences of entries whose frames Kafka reads differently."""
    header = environment.layouts.header(target.cell)
    framed = [(name, entry) for name, entry in entries if entry.header is not None]
    if header is None or not framed:
        return
    cell, layout = target.cell, target.layout
    frames = [entry.frame for _, entry in framed]
    replies = target.oracle.reframe(cell, layout, environment.layouts.headers(cell), frames)
    before, body = canonical(header), canonical(layout)
    for (name, entry), reply in zip(framed, replies, strict=True):
        right = OracleFrame(
            header.version,
            entry.frame,
            before.to_binary(before.from_tree(entry.header)),
            body.to_binary(body.from_tree(entry.value)),
            len(entry.frame),
        )
        if reply != right:
            words = refusal_words(reply) if isinstance(reply, Refusal) else reply.written.hex()
            summary = "Kafka does not read the entry's frame to its header and value"
            yield name, Divergence(Check.ENTRY, _SUBJECT, summary, oracle=words)


def _malformed(
    environment: WorkerEnvironment, target: CellTarget, entries: Sequence[tuple[str, MalformedEntry]]
) -> Iterator[tuple[str, Divergence]]:
    """Yield the divergences of entries on which Kafka's verdict has changed."""
    for framed in (False, True):
        some = [(name, each) for name, each in entries if each.framed == framed]
        asked = [MutatedCase(name, each.change.mutation, each.data, framed) for name, each in some]
        said = {each.name: verdict for each, verdict in verdicts(environment, target, asked, framed)}
        for name, entry in some:
            if said.get(name) != entry.verdict:
                summary = "Kafka makes something else of the wrong bytes than the entry says"
                codec, oracle = _words(entry.verdict), _words(said.get(name))
                yield name, Divergence(Check.ENTRY, _SUBJECT, summary, codec=codec, oracle=oracle)


def _words(verdict: AcceptedReading | Refusal | None) -> str:
    match verdict:
        case Refusal():
            return refusal_words(verdict)
        case AcceptedReading(consumed, value):
            return f"reads {consumed} bytes as {value}"
        case None:
            return "reads what has no JSON"
