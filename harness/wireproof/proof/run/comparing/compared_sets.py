"""Record sets of several codecs side by side: what each writes, and what each reads in what Kafka writes.

Compressed data have many right forms, so what is written there is what Kafka reads in it.
"""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from wireproof.model.adapter import Decoded, Encoded, Reencoded, Reply
from wireproof.model.agreement import ORACLE_NAME, CodecTask
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import OracleReply, OracleValue
from wireproof.proof.checks.values.record_set import RecordEvidence, is_plain
from wireproof.proof.run.comparing.answer_comparison import (
    READING,
    WRITING,
    ComparableAnswer,
    Comparison,
    first_place,
    unanswered,
)

PACKS: Final = "compresses"
"""The answer of a codec that writes compressed data: its result is the view of Kafka's readers."""

JudgedSet: TypeAlias = tuple[RecordEvidence, tuple[Divergence, ...]]
"""The answers of one codec about a set, and their judgement."""


def compare_sets(
    comparison: Comparison, case_id: str, seen: Sequence[JudgedSet], made: Sequence[OracleReply]
) -> None:
    """Note who agrees with whom about one set.

    Args:
        seen: of each codec that may be asked for it.
        made: what Kafka made of it; empty where it cannot, or where foreign bytes are to be read.
    """
    if not seen:
        return
    first, _ = seen[0]
    theirs = next((each for each in made if isinstance(each, OracleValue)), None)
    if theirs is not None:
        data = theirs.written + first.records.tail
        plain = is_plain(first.records)
        right: ComparableAnswer = ("writes", data) if plain else (PACKS, theirs.value)
        said = {each.subject: _written(each, plain=plain) for each, _ in seen}
        _record(comparison, CodecTask.ENCODE, first.expected, right, said, seen, case_id)
    elif first.encoded is None and first.data is not None and isinstance(first.reread, OracleValue):
        data = first.data
    else:
        return  # only the codecs have written it
    said = {each.subject: _read(each, _reply_to(each, data), data) for each, _ in seen}
    _record(comparison, CodecTask.DECODE, data, ("reads", first.expected), said, seen, case_id)


def _record(
    comparison: Comparison,
    question: CodecTask,
    asked: bytes,
    right: ComparableAnswer,
    said: Mapping[str, ComparableAnswer | None],
    seen: Sequence[JudgedSet],
    case_id: str,
) -> None:
    checks = WRITING if question is CodecTask.ENCODE else READING
    about = first_place((found for each, found in seen if said[each.subject] not in (None, right)), checks)
    comparison.reported(question, asked, {ORACLE_NAME: right, **said}, about, case_id)


def _written(e: RecordEvidence, *, plain: bool) -> ComparableAnswer | None:
    if not isinstance(e.encoded, Encoded):
        return unanswered(e.encoded)
    if plain:
        return "writes", e.encoded.data
    if isinstance(e.reread, OracleValue):
        return PACKS, e.reread.value
    return "writes what Kafka does not read", e.encoded.data


def _reply_to(e: RecordEvidence, data: bytes) -> Reply | None:
    """The codec's answer for these bytes."""
    if e.data == data:
        return e.decoded
    for made, reply in e.made:
        if isinstance(made, OracleValue) and made.written + e.records.tail == data:
            return reply
    return None


def _read(e: RecordEvidence, reply: Reply | None, data: bytes) -> ComparableAnswer | None:
    match reply:
        case Decoded(value):
            try:
                return "reads", canonical(e.layout).to_binary(value)
            except CodecError:
                return "reads no value", None
        case Reencoded(again):
            return ("reads", e.expected) if again == data else ("reads, and writes otherwise", again)
        case _:
            return unanswered(reply)
