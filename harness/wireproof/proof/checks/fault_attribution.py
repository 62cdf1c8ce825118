"""Judgement of whose fault a failure is: the codec's, its adapter's, Kafka's or our own.

The divergence alone is judged first. Then come the answers of others for the same value: of Kafka's class, of
both implementations of our codec, and of the codec under test, asked in ways that bypass its adapter's
values. The codec or its adapter is named only if the evidence excludes the other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from wireproof.model.adapter import NO_VALUE, Encoded, Reencoded, Reply
from wireproof.model.cell import FramePart
from wireproof.model.codec_ends import NOT_ALONE
from wireproof.model.divergence import TAGS_TYPE, Divergence, FaultAttribution, FaultOwner
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.difference_kinds import ACCEPTED, INVALID, is_of_state
from wireproof.proof.checks.evidence_text import REFUSED_WHILE

OF_RELEASE: Final = "its definition makes the codec's bytes:"
"""Words in the opinions of a divergence, before the option that selects the release."""

_READING: Final = frozenset({Check.DECODE, Check.ROUND_TRIP, Check.FRAME_DECODE})
"""Checks of the value that a codec read."""
_WRITING: Final = frozenset({Check.ENCODE, Check.BYTES, Check.ORACLE_READS})
"""Checks of the bytes that a codec wrote."""
_BARE_BYTES: Final = frozenset({Check.DECODE, Check.MALFORMED})
"""Checks of bytes that reach the codec unchanged."""
_KITS_ERROR: Final = "AdapterError"
"""The class with which the kits report an error that the adapter raised, and not the codec."""
_KITS_WORDS: Final = (_KITS_ERROR, "was not claimed")
"""The words by which the kits report a mistake of the adapter."""
_CODECS_RESULT: Final = ("returned ", " is a ")
"""The words of a kit about the type of a result: the codec may have made it."""

_IN_ORDER: Final = (
    "it writes unknown tagged fields in the order in which they are given, and has to sort them (KIP-482)"
)
_LAXER: Final = "it accepts bytes that Kafka refuses; no adapter makes bytes valid"
_REFUSES: Final = "it refuses the bytes with an error of its own, before its adapter has a value"
_OWN_DEFAULT: Final = (
    "it writes Kafka's bytes where every field is given: a default differs from Kafka's; look for it in "
    "the codec, then in the adapter"
)
_NOT_AGAIN: Final = "asked again, it writes Kafka's bytes: its answer depends on what it was asked before"
_RIGHT_ALONE: Final = (
    "alone, as the first of a fresh process, it is right: its answer depends on what it was asked before"
)
_NO_VALUE_WORDS: Final = "the value that it decoded is not one of the message"
_AS_THEY_WERE: Final = "it reads Kafka's bytes and writes them again as they were"
_LOOK_READ: Final = (
    "look at the codec's own object for the bytes: if that is wrong, the codec is at fault, else the adapter"
)
_LOOK_WRITTEN: Final = (
    "look at the codec's own object for the value: if that is right, the codec is at fault, else the adapter"
)
_LOOK_RAISED: Final = "its stack trace names the side that raised the error"


@dataclass(frozen=True, slots=True)
class FaultEvidence:
    """The answers for one value.

    Attributes:
        kafka: the bytes that Kafka's class writes; None if it refuses the value, or was not asked.
        own: the bytes of our interpreted and of our compiled codec; None for a codec that refuses.
        again: the codec's answer to the request to read Kafka's bytes and write them again; None if it was
            not asked.
        read_right: whether the codec reads Kafka's bytes as the value.
        whole: its answer for the value with every field given and the tags in ascending order; None if it
            was not asked.
        sparse: its answer for the value without the fields that have their defaults; None if it was not
            asked.
        after: the cases that must be asked first to show the failure.
    """

    __test__ = False  # pytest would take the class for tests by its name

    kafka: bytes | None = None
    own: Sequence[bytes | None] = ()
    again: Reply | None = None
    read_right: bool = False
    whole: Reply | None = None
    sparse: Reply | None = None
    after: Sequence[str] = field(default=(), kw_only=True)


def is_adapter_error(error: str) -> bool:
    """Return whether the adapter raised an error; the cause may be a wrong value from the codec."""
    return error.endswith(_KITS_ERROR)


def is_word_of_kit(said: str) -> bool:
    """Return whether a kit reports an error as a mistake of the adapter."""
    return any(word in said for word in _KITS_WORDS) and not is_codecs_result(said)


def is_codecs_result(said: str) -> bool:
    """Return whether a kit's error is about an object that the codec may have made."""
    return any(word in said for word in _CODECS_RESULT)


def judge_fault(divergence: Divergence, evidence: FaultEvidence, *, foreign: bool) -> FaultAttribution:
    """Return the owner of the fault of a divergence, with the evidence.

    Args:
        foreign: whether the codec under test has an adapter, and is not our own.
    """
    return next(_verdicts(divergence, evidence, foreign=foreign))


def _verdicts(
    divergence: Divergence, evidence: FaultEvidence, *, foreign: bool
) -> Iterator[FaultAttribution]:
    """The verdicts that the evidence allows; the first one holds."""
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
        either = FaultOwner.CODEC_OR_ADAPTER if foreign else FaultOwner.CODEC
        yield FaultAttribution(either, _of_state(evidence.after))
    yield from _ours(evidence, foreign=foreign)
    yield from _oracles(divergence)
    if OF_RELEASE in divergence.opinions:
        either = FaultOwner.CODEC_OR_ADAPTER if foreign else FaultOwner.CODEC
        yield FaultAttribution(either, _of_release(divergence))
    if foreign:
        yield from _codecs(divergence, evidence)
        yield FaultAttribution(FaultOwner.CODEC_OR_ADAPTER, _either(divergence, evidence))
    yield FaultAttribution(FaultOwner.CODEC, _own_words(evidence))


def _adapters(divergence: Divergence) -> Iterator[FaultAttribution]:
    """Yield the faults that only an adapter can have."""
    if divergence.kind == "crashed:protocol":
        yield FaultAttribution(FaultOwner.ADAPTER, "its answer breaks the testee protocol")
    said = f"{divergence.kind} {divergence.codec}"
    if is_word_of_kit(said):
        yield FaultAttribution(FaultOwner.ADAPTER, "its kit says so")


def _codecs(divergence: Divergence, evidence: FaultEvidence) -> Iterator[FaultAttribution]:
    """Yield the faults that only a codec can have: no value of its adapter takes part."""
    word = divergence.kind.partition(":")[0]
    lax = word == MalformedVerdict.LAXER and divergence.oracle.startswith(REFUSED_WHILE)
    if lax or (divergence.check in (Check.CUT, Check.TAG_VERSION) and word == ACCEPTED):
        yield FaultAttribution(FaultOwner.CODEC, _LAXER)
    if word == "refused" and divergence.check in _BARE_BYTES and divergence.part != FramePart.HEADER:
        yield FaultAttribution(FaultOwner.CODEC, _REFUSES)
    if _written_right(evidence) and divergence.check in _WRITING and divergence.field_type == TAGS_TYPE:
        yield FaultAttribution(FaultOwner.CODEC, _IN_ORDER)
    if _wrong_bytes_again(divergence, evidence):
        words = f"{_alone(evidence)}, also where it only reads and writes bytes again"
        yield FaultAttribution(FaultOwner.CODEC, words)


def _written_right(evidence: FaultEvidence) -> bool:
    return evidence.kafka is not None and evidence.whole == Encoded(evidence.kafka)


def _wrong_bytes_again(divergence: Divergence, evidence: FaultEvidence) -> bool:
    """Return whether the codec, given Kafka's bytes, writes other bytes because of the divergence's mistake.

    A wrong reader is proven if values are written right. A wrong writer is proven if values are read right,
    or are written with the same wrong bytes.
    """
    again = evidence.again
    if evidence.kafka is None or not isinstance(again, Reencoded) or again.data == evidence.kafka:
        return False
    if divergence.check in _WRITING:
        return evidence.read_right or evidence.whole == Encoded(again.data)
    return divergence.check in _READING and _written_right(evidence)


def _either(divergence: Divergence, evidence: FaultEvidence) -> str:
    """Return the text about a fault of the codec or its adapter, with the experiment that decides."""
    kind, check = divergence.kind, divergence.check
    if kind in ("crashed:process", "crashed:hang"):
        return _ended(divergence)
    if check == Check.CLAIM:
        return (
            "no case bore out what its hello claims: the claim is too wide, or the codec fails in each case"
        )
    if kind in (f"crashed:{NO_VALUE}", INVALID):
        return f"{_NO_VALUE_WORDS}; {_LOOK_READ}"
    if kind.startswith("crashed"):
        return f"{_alone(evidence)}; {_LOOK_RAISED}"
    as_they_were = evidence.kafka is not None and evidence.again == Reencoded(evidence.kafka)
    if check in _WRITING:
        if _written_right(evidence):
            return _NOT_AGAIN if evidence.sparse == evidence.whole else _OWN_DEFAULT
        words = f"{_AS_THEY_WERE}, and writes the value otherwise" if as_they_were else _alone(evidence)
        return f"{words}; {_LOOK_WRITTEN}"
    words = f"{_AS_THEY_WERE}, and reports another value" if as_they_were else _alone(evidence)
    return f"{words}; {_LOOK_READ}" if check in _READING else _alone(evidence)


def _of_state(after: Sequence[str]) -> str:
    """Return the text about malformed bytes that the codec answers rightly when asked alone."""
    match after:
        case []:
            where = "; the mutations of the cell before it do not show that"
        case [only]:
            where = f", here {only}"
        case _:
            where = f", here {len(after)} cases from {after[0]} to {after[-1]}"
    return f"{_RIGHT_ALONE}{where}"


def _ours(evidence: FaultEvidence, *, foreign: bool) -> Iterator[FaultAttribution]:
    """Yield the harness's own fault: our codec is no witness if it differs from Kafka."""
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


def _of_release(divergence: Divergence) -> str:
    """Return the text about bytes that another release defines."""
    release = divergence.opinions.rpartition(" ")[2]
    return (
        f"Kafka {release} defines the message otherwise, and so as the codec writes it: if the codec is of "
        f"that release, it is right; type --release {release}"
    )


def _ended(divergence: Divergence) -> str:
    """Return the text about the end of a process."""
    if NOT_ALONE in divergence.codec:
        return "no question ends it alone: what it was asked before has a part in it"
    return "the question ends it also alone, as the first of a fresh process"


def _alone(evidence: FaultEvidence) -> str:
    """Return the text about an answer that no other evidence supports."""
    if evidence.kafka is None or not evidence.own:
        return "Kafka's class was asked the same, and answers otherwise"
    return "Kafka's bytes and those of wireproof's own codec agree; it alone differs"


def _own_words(evidence: FaultEvidence) -> str:
    """Return the text about our own codec under test."""
    if evidence.kafka is None or not evidence.own:
        return "Kafka's class was asked the same, and answers otherwise"
    agree = sum(each == evidence.kafka for each in evidence.own)
    if agree == len(evidence.own):
        return "both implementations write Kafka's bytes for the value; the other answers differ"
    return "its other implementation agrees with Kafka" if agree else "both implementations differ from Kafka"
