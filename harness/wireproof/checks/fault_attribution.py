"""Judgement of whose fault a failure is: the codec's, its adapter's, Kafka's or our own.

The divergence alone is judged first, then what others answer for the same value: Kafka's class, both
implementations of our codec, and the codec under test, asked in ways that leave its adapter's values out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from wireproof.checks.check_table import Check
from wireproof.checks.difference_kinds import INVALID, is_of_state
from wireproof.model import (
    NO_VALUE,
    NOT_ALONE,
    Divergence,
    Encoded,
    FaultAttribution,
    FaultOwner,
    Reencoded,
    Reply,
)
from wireproof.model.divergence import TAGS_TYPE

__all__ = ["FaultEvidence", "judge_fault"]

_READING: Final = frozenset({Check.DECODE, Check.ROUND_TRIP, Check.FRAME_DECODE})
"""Checks of what a codec says that it read."""
_WRITING: Final = frozenset({Check.ENCODE, Check.BYTES, Check.ORACLE_READS})
"""Checks of what it wrote."""
_ADAPTERS_OWN: Final = ("AdapterError", "was not claimed")
"""The words by which the kits report a mistake of the adapter."""

_IN_ORDER: Final = (
    "it writes unknown tagged fields in the order in which they are given, and has to sort them (KIP-482)"
)
_OWN_DEFAULT: Final = "it writes Kafka's bytes where every field is given: a default of its own differs"
_NOT_AGAIN: Final = "asked again, it writes Kafka's bytes: its answer depends on what it was asked before"
_RIGHT_ALONE: Final = (
    "alone, as the first of a fresh process, it is right: its answer depends on what it was asked before"
)


@dataclass(frozen=True, slots=True)
class FaultEvidence:
    """The answers for one value.

    Attributes:
        kafka: the bytes that Kafka's class writes for it; None where it refuses, or was not asked.
        own: those that our own codec writes, interpreted and compiled; None for one that refuses.
        again: the codec's answer when it was to read Kafka's bytes and write them again; None where it was
            not asked.
        whole: its answer for the value with every field given; None where it was not asked.
        through: its answer for the value that it decoded of Kafka's bytes itself; None where it decoded none.
        once_more: its answer for the value, asked again with unknown tagged fields in ascending order; None
            where it was not asked.
        sparse: its answer for the value without the fields that are at their default; None where it was not
            asked.
        after: the cases that have to be asked before it.
    """

    __test__ = False  # pytest takes the name for a class of tests

    kafka: bytes | None = None
    own: Sequence[bytes | None] = ()
    again: Reply | None = None
    whole: Reply | None = None
    through: Reply | None = None
    once_more: Reply | None = None
    sparse: Reply | None = None
    after: Sequence[str] = field(default=(), kw_only=True)


def judge_fault(divergence: Divergence, evidence: FaultEvidence, *, foreign: bool) -> FaultAttribution:
    """Return the owner of the fault of a divergence, with the evidence.

    Args:
        foreign: whether the codec under test is that of an adapter, and not our own.
    """
    return next(_verdicts(divergence, evidence, foreign=foreign))


def _verdicts(
    divergence: Divergence, evidence: FaultEvidence, *, foreign: bool
) -> Iterator[FaultAttribution]:
    """The verdicts that the evidence allows, the first of which holds."""
    if divergence.erratum:
        yield FaultAttribution(
            FaultOwner.ERRATUM, f"{divergence.erratum} is a known Kafka bug that explains it"
        )
    if divergence.subject == "layout":
        words = "wireproof reads Kafka's schema otherwise than Kafka's class does; no codec was asked"
        yield FaultAttribution(FaultOwner.HARNESS, words)
    if divergence.subject == "oracle":
        yield FaultAttribution(
            FaultOwner.ORACLE, "Kafka's classes contradict themselves, and no known Kafka bug explains it"
        )
    if foreign:
        yield from _adapters(divergence)
    if is_of_state(divergence.kind):
        yield FaultAttribution(FaultOwner.CODEC, _of_state(evidence.after))
    yield from _ours(evidence, foreign=foreign)
    yield from _oracles(divergence)
    if foreign:
        yield from _mapping(divergence, evidence)
        yield FaultAttribution(FaultOwner.CODEC, _alone(divergence, evidence))
    yield FaultAttribution(FaultOwner.CODEC, _own_words(evidence))


def _adapters(divergence: Divergence) -> Iterator[FaultAttribution]:
    """Yield the faults that only an adapter can have."""
    kind, check = divergence.kind, divergence.check
    if kind == "crashed:protocol":
        yield FaultAttribution(FaultOwner.ADAPTER, "its answer breaks the testee protocol")
    if kind in (f"crashed:{NO_VALUE}", INVALID):
        words = "the value that it decoded is not one of the message: a name or a type is mapped wrongly"
        yield FaultAttribution(FaultOwner.ADAPTER, words)
    if any(word in divergence.codec for word in _ADAPTERS_OWN) or "AdapterError" in kind:
        yield FaultAttribution(FaultOwner.ADAPTER, "its kit says so")
    if check == Check.CLAIM:
        yield FaultAttribution(FaultOwner.ADAPTER, "its hello claims what no case bore out")


def _of_state(after: Sequence[str]) -> str:
    """Return the text about malformed bytes that are answered rightly alone."""
    match after:
        case []:
            where = "; the mutations of the cell before it do not show that"
        case [only]:
            where = f", here {only}"
        case _:
            where = f", here {len(after)} cases from {after[0]} to {after[-1]}"
    return f"{_RIGHT_ALONE}{where}"


def _ours(evidence: FaultEvidence, *, foreign: bool) -> Iterator[FaultAttribution]:
    """Yield the harness's own fault: where our codec differs from Kafka, it is not a witness."""
    if not foreign or evidence.kafka is None or not evidence.own:
        return
    if len(set(evidence.own)) > 1:
        yield FaultAttribution(
            FaultOwner.HARNESS,
            "the two implementations of wireproof's own codec write different bytes for the value",
        )
    if evidence.own[0] != evidence.kafka:
        yield FaultAttribution(
            FaultOwner.HARNESS, "wireproof's own codec does not write Kafka's bytes for the value either"
        )


def _oracles(divergence: Divergence) -> Iterator[FaultAttribution]:
    """Yield Kafka's fault: all second opinions agree with the codec."""
    parties = [each.rpartition(": ")[2] for each in divergence.opinions.split("; ") if each]
    if len(parties) > 1 and set(parties) == {"the codec"}:
        words = f"{divergence.opinions}: Kafka's class is alone, and no known Kafka bug explains it"
        yield FaultAttribution(FaultOwner.ORACLE, words)


def _mapping(divergence: Divergence, evidence: FaultEvidence) -> Iterator[FaultAttribution]:
    """Yield the fault of a value's way: the codec itself reads and writes Kafka's bytes."""
    if evidence.kafka is None or evidence.again != Reencoded(evidence.kafka):
        return
    if divergence.check in _WRITING and evidence.once_more == Encoded(evidence.kafka):
        if isinstance(evidence.sparse, Encoded) and evidence.sparse.data != evidence.kafka:
            yield FaultAttribution(FaultOwner.CODEC, _OWN_DEFAULT)
        yield FaultAttribution(
            FaultOwner.CODEC, _IN_ORDER if divergence.field_type == TAGS_TYPE else _NOT_AGAIN
        )
    as_they_were = "it reads Kafka's bytes and writes them again as they were"
    if divergence.check in _READING:
        yield FaultAttribution(
            FaultOwner.ADAPTER, f"{as_they_were}, so it holds the value; what it reports of it differs"
        )
    elif divergence.check not in _WRITING:
        return
    elif isinstance(evidence.through, Encoded) and evidence.through.data != evidence.kafka:
        yield FaultAttribution(
            FaultOwner.ADAPTER, f"{as_they_were}, but not by way of the value of its adapter"
        )
    elif isinstance(evidence.whole, Encoded) and evidence.whole.data == evidence.kafka:
        yield FaultAttribution(FaultOwner.CODEC, _OWN_DEFAULT)


def _alone(divergence: Divergence, evidence: FaultEvidence) -> str:
    """Return the text about an answer that no other evidence supports."""
    if divergence.kind in ("crashed:process", "crashed:hang"):
        if NOT_ALONE in divergence.codec:
            return "no question ends it alone: what it was asked before has a part in it"
        return "the question ends it also alone, as the first of a fresh process"
    if evidence.kafka is None or not evidence.own:
        return "Kafka's class was asked the same, and answers otherwise"
    words = "Kafka's bytes and those of wireproof's own codec agree; it alone differs"
    if evidence.again is not None and evidence.again != Reencoded(evidence.kafka):
        words += ", also where it only reads and writes bytes again"
    return words


def _own_words(evidence: FaultEvidence) -> str:
    """Return the text about our own codec under test."""
    if evidence.kafka is None or not evidence.own:
        return "Kafka's class was asked the same, and answers otherwise"
    agree = sum(each == evidence.kafka for each in evidence.own)
    if agree == len(evidence.own):
        return "both implementations write Kafka's bytes for the value; the other answers differ"
    return "its other implementation agrees with Kafka" if agree else "both implementations differ from Kafka"
