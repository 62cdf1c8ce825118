"""Judgement of the oracle: its two codecs are compared, and the equality of its classes is checked."""

from collections.abc import Iterator, Sequence

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import EqualityBreach, OracleReply, OracleValue, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import differing_bytes, value_difference
from wireproof.proof.checks.evidence_text import around, refusal_words
from wireproof.proof.checks.known_defects.kafka_bugs import breach_bug, schema_bug

_WORDS = {
    "copies-differ": "two copies of an instance are not equal",
    "hashes-differ": "equal instances have different hash codes",
    "change-unseen": "an instance with another value in this field is equal",
    "duplicate-differs": "a duplicate has another value",
    "nan-differs": "an instance with NaN here does not equal itself",
    "zeros-equal": "0.0 and -0.0 here make equal instances",
    "zeros-hash": "0.0 and -0.0 here make equal instances with different hash codes",
}


def judge_second(
    release: str, layout: MessageLayout, first: OracleValue, second: OracleReply
) -> Divergence | None:
    """Judge the answer of `SCHEMAS[v]` for bytes that the class wrote: the same value, bytes and size.

    Args:
        first: the class's own answer.
        second: the answer of the schemas for the bytes of `first`.
    """
    found = _difference(layout, first, second)
    known = None
    if found is not None:
        known = schema_bug(release, layout, canonical(layout).from_binary(first.value))
    if found is None or known is None:
        return found
    return Divergence(
        Check.SECOND, "oracle", known.summary, codec=found.codec, oracle=found.oracle, erratum=known.witness
    )


def _difference(layout: MessageLayout, first: OracleValue, second: OracleReply) -> Divergence | None:
    if isinstance(second, Refusal):
        return Divergence(
            Check.SECOND,
            "oracle",
            "Kafka's SCHEMAS refuse bytes that its class wrote",
            codec=around(first.written, second.consumed_bytes),
            oracle=refusal_words(second),
        )
    if second.value != first.value:
        summary = "Kafka's SCHEMAS read bytes that its class wrote to another value"
        return value_difference(layout, Check.SECOND, "oracle", summary, first.value, second.value)
    if second.written != first.written:
        summary = "Kafka's SCHEMAS write other bytes than its class"
        return differing_bytes(layout, Check.SECOND, "oracle", summary, first.written, second.written)
    if {second.predicted_bytes, second.consumed_bytes} != {len(first.written)}:
        counts = f"size {second.predicted_bytes}, reads {second.consumed_bytes}"
        summary = "Kafka's SCHEMAS reckon another size than its class"
        return Divergence(Check.SECOND, "oracle", summary, codec=f"{len(first.written)} bytes", oracle=counts)
    return None


def judge_equality(
    release: str, breaches: Sequence[EqualityBreach], *, unknown_tags: bool
) -> Iterator[Divergence]:
    """Yield the breaches of the law of equality that one instance shows.

    Args:
        unknown_tags: whether the instance has unknown tags: only then a known bug makes a duplicate differ.
    """
    for breach in breaches:
        known = breach_bug(release, breach)
        if breach.what == "duplicate-differs" and not unknown_tags:
            known = None
        yield Divergence(
            Check.EQUALITY,
            "oracle",
            _WORDS[breach.what],
            breach.path,
            oracle=breach.what,
            erratum=known.witness if known else "",
        )


def side_taken(
    codec: bytes | None, kafka: bytes | None, expected: bytes, others: Sequence[OracleReply]
) -> str:
    """The side that a third party agrees with: ``Kafka``, ``the codec``, ``both`` or ``neither``.

    Args:
        codec, kafka: the bytes of each side for one value; None if it wrote none.
        expected: the canonical binary of the value.
        others: the third party's answers for the codec's bytes, for Kafka's bytes and for the value, if they
            could be asked; it agrees with a side if it reads or writes that side's bytes for the value.
    """
    agreed = {reply.written for reply in others if isinstance(reply, OracleValue) and reply.value == expected}
    with_codec, with_kafka = codec in agreed, kafka in agreed
    if with_codec and with_kafka:
        return "both"
    return "the codec" if with_codec else "Kafka" if with_kafka else "neither"
