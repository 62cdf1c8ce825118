"""Embedded messages of several codecs side by side: what each makes of a value, and reads in Kafka's."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from wireproof.model.agreement import ORACLE_NAME, CodecTask
from wireproof.model.divergence import Divergence
from wireproof.model.embedding import (
    BlobReply,
    DecodedBlob,
    EmbeddedBlob,
    EncodedBlob,
    OracleBlob,
    ReencodedBlob,
)
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.values.embedded_message import BlobEvidence
from wireproof.proof.run.comparing.answer_comparison import (
    READING,
    ComparableAnswer,
    Comparison,
    first_place,
    unanswered,
)

JudgedBlob: TypeAlias = tuple[BlobEvidence, tuple[Divergence, ...]]
"""The answers of one codec about a value in its framing, and their judgement."""

_WRITING: Final = frozenset({Check.ENCODE, Check.BYTES})


def compare_blobs(comparison: Comparison, case_id: str, seen: Sequence[JudgedBlob]) -> None:
    """Note who agrees with whom about one value in its framing; nothing where Kafka does not frame it."""
    if not seen or not isinstance(seen[0][0].written, OracleBlob):
        return
    first, theirs = seen[0][0], seen[0][0].written
    whole = theirs.blob.key is not None
    for question, right, asked in (
        (CodecTask.ENCODE, _writes(theirs.blob, with_key=whole), first.expected),
        (CodecTask.DECODE, ("reads", theirs.value), theirs.blob.data),
    ):
        said = {
            each.subject: _written(each.encoded, with_key=whole)
            if question is CodecTask.ENCODE
            else _read(each, theirs.blob)
            for each, _ in seen
        }
        checks = _WRITING if question is CodecTask.ENCODE else READING
        found = (found for each, found in seen if said[each.subject] not in (None, right))
        about = f"framed {first_place(found, checks)}".strip()
        comparison.reported(question, asked, {ORACLE_NAME: right, **said}, about, case_id)


def _writes(blob: EmbeddedBlob, *, with_key: bool) -> ComparableAnswer:
    """The bytes, after those of the record's key if Kafka writes one."""
    return "writes", (blob.key or b"" if with_key else b"") + blob.data


def _written(reply: BlobReply, *, with_key: bool) -> ComparableAnswer | None:
    return _writes(reply.blob, with_key=with_key) if isinstance(reply, EncodedBlob) else unanswered(reply)


def _read(e: BlobEvidence, theirs: EmbeddedBlob) -> ComparableAnswer | None:
    reply = e.decoded_oracle
    if reply is None and isinstance(e.encoded, EncodedBlob) and e.encoded.blob.data == theirs.data:
        reply = e.decoded
    match reply:
        case DecodedBlob(label, value):
            if label != e.label:
                return f"reads {label}", None
            try:
                return "reads", canonical(e.layout).to_binary(value)
            except CodecError:
                return "reads no value", None
        case ReencodedBlob(blob):
            same = blob.data == theirs.data
            return ("reads", e.expected) if same else ("reads, and writes otherwise", blob.data)
        case _:
            return unanswered(reply)
