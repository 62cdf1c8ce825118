"""The embedded phase of one cell: the message in the framing in which other data carry it.

The codec's blob must have Kafka's bytes. Kafka reads the codec's blob, and the codec reads Kafka's. A blob
with an unknown label must be refused or read, as Kafka does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat

from kafkawire.canonical import canonical
from kafkawire.embedded.label import Label
from wireproof.model.cell import Case, Phase
from wireproof.model.divergence import Divergence
from wireproof.model.embedding import (
    UNLABELLED,
    BlobAdapter,
    BlobReply,
    EmbeddedBlob,
    EncodedBlob,
    Framing,
    LabelFamily,
    OracleBlob,
    class_form,
    framing_of,
    kafka_forms,
)
from wireproof.model.oracle import Refusal
from wireproof.proof.checks.known_defects.kafka_bugs import refusal_bug
from wireproof.proof.checks.values.embedded_message import (
    BlobEvidence,
    ClassBlob,
    StrangeLabelEvidence,
    judge_blob,
    judge_strange,
)
from wireproof.proof.checks.values.lossy_forms import LossyMeaning, meaning_of
from wireproof.proof.checks.values.strange_labels import StrangeBlob, strange_blobs
from wireproof.proof.run.comparing.compared_messages import JudgedBlob, compare_blobs
from wireproof.proof.run.context.cell_context import CellContext, in_batches
from wireproof.proof.run.core.environment import family_of, key_of, label_of
from wireproof.proof.run.core.prepared_cases import PreparedCase, prepare

_BATCH_CASES = 128
_MOST_BYTES = 2048
"""Boundary cases up to this size are framed: the body of every size is proven without its framing."""

_DEFAULT = "message/default"


def try_embedded(context: CellContext) -> None:
    """Try the messages of the cell in their framing."""
    framing = framing_of(context.cell, context.layout)
    if framing is None:
        return
    framed = _Framed(context, framing)
    for batch in _batches(context):
        context.announce(Phase.EMBEDDED, [item.case.name for item in batch])
        framed.try_values(batch)
    framed.try_strange()


def _batches(context: CellContext) -> Iterator[list[PreparedCase]]:
    source, layout = context.environment.source, context.layout
    named = (case for case in source.enumerated(context.cell, layout) if context.wants(case.name))
    items = (prepare(layout, case) for case in named)
    framed = (item for item in items if item.problem is None and len(item.expected) <= _MOST_BYTES)
    return in_batches(framed, repeat(1 if context.careful else _BATCH_CASES))


@dataclass
class _Framed:
    """One cell in its framing."""

    context: CellContext
    framing: Framing

    @cached_property
    def family(self) -> LabelFamily:
        return family_of(self.context.environment.layouts, self.context.cell, self.framing)

    @property
    def label(self) -> Label:
        return label_of(self.context.cell.release, self.framing, self.context.layout)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        return kafka_forms(self.framing, self.context.cell)

    @cached_property
    def key(self) -> bytes | None:
        """The key of the record in which Kafka looks for a coordinator's value."""
        if self.framing is not Framing.COORDINATOR_VALUE or self.framing not in self.forms:
            return None
        layouts = self.context.environment.layouts
        cell = key_of(layouts, self.context.cell)
        if cell is None:
            return None
        layout = layouts.of(cell)
        oracle, default = self.context.target.oracle, canonical(layout).to_binary({})
        form = kafka_forms(Framing.COORDINATOR_KEY, cell)[0]
        (reply,) = oracle.write_blobs(cell, layout, form, [default])
        return reply.blob.data if isinstance(reply, OracleBlob) else None

    def try_values(self, items: Sequence[PreparedCase]) -> None:
        """Judge and record values in their framing."""
        context = self.context
        cell, layout, oracle = context.cell, context.layout, context.target.oracle
        written = oracle.write_blobs(cell, layout, self.forms[0], [item.expected for item in items])
        of_class = self._of_class(written)
        found: list[list[Divergence]] = [[] for _ in items]
        seen: list[list[JudgedBlob]] = [[] for _ in items]
        for adapter in context.environment.blobs:
            for index, evidence in enumerate(self._ask(adapter, items, written, of_class)):
                divergences = judge_blob(evidence)
                found[index].extend(divergences)
                seen[index].append((evidence, divergences))
        for item, reported, answers in zip(items, found, seen, strict=True):
            if context.comparison is not None:
                case_id = cell.case_id(Phase.EMBEDDED, item.case.name)
                compare_blobs(context.comparison, case_id, answers)
            self._record(item.case, tuple(reported), len(item.expected))

    def _ask(
        self,
        adapter: BlobAdapter,
        items: Sequence[PreparedCase],
        written: Sequence[OracleBlob | Refusal],
        of_class: Sequence[ClassBlob | None],
    ) -> Iterator[BlobEvidence]:
        values, release = [item.case.value for item in items], self.context.cell.release
        encoded = adapter.encode(self.family, self.label, values)
        sized = adapter.size(self.family, self.label, values)
        ours = [reply.blob if isinstance(reply, EncodedBlob) else None for reply in encoded]
        theirs = [reply.blob if isinstance(reply, OracleBlob) else None for reply in written]
        foreign = [
            blob if blob is not None and (own is None or own.data != blob.data) else None
            for own, blob in zip(ours, theirs, strict=True)
        ]
        decoded = self._decode(adapter, ours)
        decoded_oracle = self._decode(adapter, foreign)
        reread = self._reread(ours, self.forms)
        for index, item in enumerate(items):
            yield BlobEvidence(
                layout=self.context.layout,
                framing=self.framing,
                subject=adapter.name,
                label=self.label,
                expected=item.expected,
                known_bug=refusal_bug(release, self.context.layout, item.case.value, written[index]),
                encoded=encoded[index],
                sized=sized[index],
                decoded=decoded[index],
                written=written[index],
                decoded_oracle=decoded_oracle[index],
                reread=reread[index],
                of_class=of_class[index],
            )

    def _of_class(self, written: Sequence[OracleBlob | Refusal]) -> list[ClassBlob | None]:
        """Return what Kafka's own class writes of each blob of the schema, where that differs."""
        form = class_form(self.framing, self.context.cell)
        if form is None:
            return [None] * len(written)
        blobs = [reply.blob if isinstance(reply, OracleBlob) else None for reply in written]
        reread = self._reread(blobs, [form])
        return [
            ClassBlob.of(self.context.cell.release, self.framing, blob, read[0][0]) if blob else None
            for blob, read in zip(blobs, reread, strict=True)
        ]

    def _decode(self, adapter: BlobAdapter, blobs: Sequence[EmbeddedBlob | None]) -> list[BlobReply | None]:
        """The codec's answer to each blob; None in place of a missing blob."""
        replies = iter(adapter.decode(self.family, self.label, [blob for blob in blobs if blob is not None]))
        return [None if blob is None else next(replies) for blob in blobs]

    def _reread(
        self, blobs: Sequence[EmbeddedBlob | None], forms: Sequence[str]
    ) -> list[tuple[tuple[OracleBlob | Refusal, LossyMeaning | None], ...]]:
        """The answers of each of Kafka's readers to the blobs."""
        context = self.context
        found: list[list[tuple[OracleBlob | Refusal, LossyMeaning | None]]] = [[] for _ in blobs]
        there = [index for index, blob in enumerate(blobs) if blob is not None]
        asked = [
            blob if self.key is None else replace(blob, key=self.key) for blob in blobs if blob is not None
        ]
        for form in forms:
            replies = context.target.oracle.read_blobs(context.cell, context.layout, form, asked)
            for index, reply in zip(there, replies, strict=True):
                found[index].append((reply, meaning_of(form)))
        return [tuple(each) for each in found]

    def try_strange(self) -> None:
        """Try the default message with unknown labels."""
        context = self.context
        item = prepare(context.layout, Case(context.cell, Phase.EMBEDDED, _DEFAULT, {}))
        if item.problem is not None:
            return
        (made,) = context.target.oracle.write_blobs(
            context.cell, context.layout, self.forms[0], [item.expected]
        )
        if isinstance(made, Refusal):
            return  # reported with the default message
        for adapter in context.environment.blobs:
            # A codec of a later release knows labels that are strange to this one.
            labels = [*self.family.layouts, *adapter.labels(self.family)]
            strange = strange_blobs(context.cell.release, self.framing, self.label, labels, made.blob)
            chosen = [each for each in strange if context.wants(each.name)]
            self._try_strange(adapter, item, chosen)

    def _try_strange(self, adapter: BlobAdapter, item: PreparedCase, strange: Sequence[StrangeBlob]) -> None:
        self.context.announce(Phase.EMBEDDED, [each.name for each in strange])
        blobs = [each.blob for each in strange]
        decoded = adapter.decode(self.family, self.label, blobs)
        reread = self._reread(blobs, [form for form in self.forms if form not in UNLABELLED])
        for each, reply, answers in zip(strange, decoded, reread, strict=True):
            evidence = StrangeLabelEvidence(
                layout=self.context.layout,
                subject=adapter.name,
                label=self.label,
                expected=item.expected,
                strange=each,
                decoded=reply,
                reread=answers,
            )
            case = Case(self.context.cell, Phase.EMBEDDED, each.name, {})
            self._record(case, judge_strange(evidence), len(each.blob), each.blob)

    def _record(
        self, case: Case, divergences: tuple[Divergence, ...], size: int, blob: EmbeddedBlob | None = None
    ) -> None:
        value, data = (case.value, None) if blob is None else (None, blob.data)
        self.context.recorder.record(Phase.EMBEDDED, case.name, divergences, value, data, size=size)
