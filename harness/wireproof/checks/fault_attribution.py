"""Judgement of whose fault a failure is: the codec's, its adapter's, Kafka's or our own.

What can be said of the divergence alone comes first; then what witnesses say to the same value: Kafka's
class, both twins of our codec, and the codec under test, asked in ways that leave its adapter's values out.
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
"""How the kits name a mistake of the adapter."""

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
    """What was said to one value.

    Attributes:
        kafka: the bytes that Kafka's class writes for it; None where it refuses, or was not asked.
        twins: those that our own codec writes, interpreted and compiled; None of a twin that refuses.
        again: the codec's answer when it was to read Kafka's bytes and write them again; None where it was
            not asked.
        whole: its answer for the value with every field given; None where it was not asked.
        through: its answer for the value that it told of Kafka's bytes itself; None where it told none.
        once_more: its answer for the value, asked again with unknown tagged fields in ascending order; None
            where it was not asked.
        sparse: its answer for the value without the fields that are at their default; None where it was not
            asked.
        after: the cases that have to be asked before it.
    """

    __test__ = False  # pytest takes the name for a class of tests

    kafka: bytes | None = None
    twins: Sequence[bytes | None] = ()
    again: Reply | None = None
    whole: Reply | None = None
    through: Reply | None = None
    once_more: Reply | None = None
    sparse: Reply | None = None
    after: Sequence[str] = field(default=(), kw_only=True)


def judge_fault(divergence: Divergence, told: FaultEvidence, *, foreign: bool) -> FaultAttribution:
    """Whose fault a divergence is.

    Args:
        foreign: whether the codec under test is behind an adapter, and not our own.
    """
    return next(_verdicts(divergence, told, foreign=foreign))


def _verdicts(divergence: Divergence, told: FaultEvidence, *, foreign: bool) -> Iterator[FaultAttribution]:
    """The verdicts that the evidence allows, the first of which holds."""
    if divergence.erratum:
        yield FaultAttribution(
            FaultOwner.ERRATUM, f"{divergence.erratum} in the table of Kafka's errata explains it"
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
        yield FaultAttribution(FaultOwner.CODEC, _of_state(told.after))
    yield from _ours(told, foreign=foreign)
    yield from _oracles(divergence)
    if foreign:
        yield from _mapping(divergence, told)
        yield FaultAttribution(FaultOwner.CODEC, _alone(divergence, told))
    yield FaultAttribution(FaultOwner.CODEC, _twins_words(told))


def _adapters(divergence: Divergence) -> Iterator[FaultAttribution]:
    """What only an adapter can have done."""
    kind, check = divergence.kind, divergence.check
    if kind == "crashed:protocol":
        yield FaultAttribution(FaultOwner.ADAPTER, "its answer breaks the testee protocol")
    if kind in (f"crashed:{NO_VALUE}", INVALID):
        words = "what it says that it decoded is no value of the message: a name or a type is mapped wrongly"
        yield FaultAttribution(FaultOwner.ADAPTER, words)
    if any(word in divergence.codec for word in _ADAPTERS_OWN) or "AdapterError" in kind:
        yield FaultAttribution(FaultOwner.ADAPTER, "its kit says so")
    if check == Check.CLAIM:
        yield FaultAttribution(FaultOwner.ADAPTER, "its hello claims what no case bore out")


def _of_state(after: Sequence[str]) -> str:
    """Words about malformed bytes that are answered rightly alone."""
    match after:
        case []:
            where = "; the mutations of the cell before it do not show that"
        case [only]:
            where = f", here {only}"
        case _:
            where = f", here {len(after)} cases from {after[0]} to {after[-1]}"
    return f"{_RIGHT_ALONE}{where}"


def _ours(told: FaultEvidence, *, foreign: bool) -> Iterator[FaultAttribution]:
    """Where our own codec does not stand behind Kafka, we are no witness against anybody."""
    if not foreign or told.kafka is None or not told.twins:
        return
    if len(set(told.twins)) > 1:
        yield FaultAttribution(
            FaultOwner.HARNESS, "the twins of wireproof's own codec write different bytes for the value"
        )
    if told.twins[0] != told.kafka:
        yield FaultAttribution(
            FaultOwner.HARNESS, "wireproof's own codec does not write Kafka's bytes for the value either"
        )


def _oracles(divergence: Divergence) -> Iterator[FaultAttribution]:
    """Where all third parties stand behind the codec, Kafka's class is alone."""
    parties = [each.rpartition(": ")[2] for each in divergence.opinions.split("; ") if each]
    if len(parties) > 1 and set(parties) == {"the codec"}:
        words = f"{divergence.opinions}: Kafka's class is alone, and no known Kafka bug explains it"
        yield FaultAttribution(FaultOwner.ORACLE, words)


def _mapping(divergence: Divergence, told: FaultEvidence) -> Iterator[FaultAttribution]:
    """Where the codec reads and writes Kafka's bytes itself, a value goes wrong on its way there or back."""
    if told.kafka is None or told.again != Reencoded(told.kafka):
        return
    if divergence.check in _WRITING and told.once_more == Encoded(told.kafka):
        if isinstance(told.sparse, Encoded) and told.sparse.data != told.kafka:
            yield FaultAttribution(FaultOwner.CODEC, _OWN_DEFAULT)
        yield FaultAttribution(
            FaultOwner.CODEC, _IN_ORDER if divergence.field_type == TAGS_TYPE else _NOT_AGAIN
        )
    as_they_were = "it reads Kafka's bytes and writes them again as they were"
    if divergence.check in _READING:
        yield FaultAttribution(
            FaultOwner.ADAPTER, f"{as_they_were}, so it holds the value; what is told of it differs"
        )
    elif divergence.check not in _WRITING:
        return
    elif isinstance(told.through, Encoded) and told.through.data != told.kafka:
        yield FaultAttribution(
            FaultOwner.ADAPTER, f"{as_they_were}, but not by way of the value that its adapter tells"
        )
    elif isinstance(told.whole, Encoded) and told.whole.data == told.kafka:
        yield FaultAttribution(FaultOwner.CODEC, _OWN_DEFAULT)


def _alone(divergence: Divergence, told: FaultEvidence) -> str:
    """Words about a testee that nobody stands behind."""
    if divergence.kind in ("crashed:process", "crashed:hang"):
        if NOT_ALONE in divergence.codec:
            return "no question ends it alone: what it was asked before has a part in it"
        return "the question ends it also alone, as the first of a fresh process"
    if told.kafka is None or not told.twins:
        return "Kafka's class was asked the same, and answers otherwise"
    words = "Kafka's bytes and those of wireproof's own codec agree; it alone differs"
    if told.again is not None and told.again != Reencoded(told.kafka):
        words += ", also where it only reads and writes bytes again"
    return words


def _twins_words(told: FaultEvidence) -> str:
    """Words about our own codec under test."""
    if told.kafka is None or not told.twins:
        return "Kafka's class was asked the same, and answers otherwise"
    agree = sum(each == told.kafka for each in told.twins)
    if agree == len(told.twins):
        return "both twins write Kafka's bytes for the value; what else was asked differs"
    return "its twin agrees with Kafka" if agree else "both twins differ from Kafka"
