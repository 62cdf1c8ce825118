"""Leniencies: Kafka reads bytes that its protocol forbids. A codec that refuses them is stricter, not wrong.

Each entry has a witness: bytes of a message that Kafka's class reads all the same, which
`tests/oracle/test_leniencies.py` runs in every line.

That a refusal of a message is right is shown by the bytes alone: `lax_reading` reads them as Kafka does,
comes to Kafka's value, and names what had to be let pass. For record sets, which it does not read, the
codec's own word is taken: the kind of its refusal, together with what was done.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from wireproof.model import Answer, Mutation, release_line

__all__ = [
    "LENIENCIES",
    "Leniency",
    "LeniencyWitness",
    "fitting_leniency",
    "record_set_leniency",
    "known_leniencies",
]


@dataclass(frozen=True, slots=True)
class LeniencyWitness:
    """Malformed bytes that Kafka reads.

    Attributes:
        message, version: the class, in every release that is named; ``RecordBatch`` and a magic for a
            record set.
        data: hex.
    """

    message: str
    version: int
    data: str


@dataclass(frozen=True, slots=True)
class Leniency:
    """A kind of malformed bytes that Kafka takes.

    Attributes:
        name: stable; events and reports hold it.
        summary: what Kafka does with them, one sentence.
        first: the first line that was seen to do so.
        gone: the lines after it whose newest patch does not do so any more.
        explains: the refusals of a codec (for ours, `Fault`), each with the beginnings of the mutations
            that it explains; an empty one means all. None where our own codec does as Kafka does.
        early: by line, the witness for those that have not the message of the other one yet.
    """

    name: str
    summary: str
    witness: LeniencyWitness
    first: str
    explains: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    early: Mapping[str, LeniencyWitness] = field(default_factory=dict)

    @property
    def of_record_sets(self) -> bool:
        """Return whether it is one of record sets: messages have the others."""
        return self.witness.message == _RECORD_SETS

    def holds(self, release: str) -> bool:
        """Return whether a release of the table has it."""
        line = release_line(release)
        return line >= release_line(self.first) and line not in map(release_line, self.gone)


@cache
def known_leniencies(release: str) -> frozenset[str]:
    """The names of the leniencies that a release has."""
    return frozenset(leniency.name for leniency in LENIENCIES if leniency.holds(release))


def fitting_leniency(leniencies: Set[str], answer: Answer) -> Leniency:
    """Return the leniency, of those that the bytes need, that explains a codec's refusal.

    The one that fits the codec's own words, where it uses ours; else one that our codec does not share.
    """
    met = [leniency for leniency in LENIENCIES if leniency.name in leniencies]
    fitting = [leniency for leniency in met if answer.error in leniency.explains]
    return (fitting or [leniency for leniency in met if leniency.explains] or met)[0]


def record_set_leniency(release: str, mutation: Mutation, answer: Answer) -> Leniency | None:
    """Return the leniency by which Kafka reads a mutated record set that a codec refuses, if any."""
    return next(
        (
            leniency
            for leniency in LENIENCIES
            if leniency.of_record_sets
            and leniency.holds(release)
            and mutation.operator.startswith(leniency.explains.get(answer.error, ()))
        ),
        None,
    )


_RECORD_SETS: Final = "RecordBatch"
_ANY: Final = ("",)
_HEARTBEAT: Final = "ConsumerGroupHeartbeatResponse"

LENIENCIES: Final[tuple[Leniency, ...]] = (
    Leniency(
        "negative-tag-count",
        "a count of tags of 2^31 and more is negative in Java: no tag is read",
        LeniencyWitness("ApiVersionsRequest", 3, "026102618080808008"),
        "2.8",
        dict.fromkeys(("truncated", "varint-too-long", "tag-order", "tag-size"), _ANY),
        gone=("4.2", "4.4"),
    ),
    Leniency(
        "tag-number",
        "tags that it would not write are kept: 2^31 - 1, and those above, which are negative in Java",
        LeniencyWitness("ApiVersionsRequest", 3, "0261026101808080800800"),
        "2.8",
        {"varint-too-long": _ANY},
    ),
    Leniency(
        "trailing-bytes",
        "bytes after a whole message are left unread",
        LeniencyWitness("ApiVersionsRequest", 0, "00"),
        "2.8",
        {"trailing-bytes": _ANY},
    ),
    Leniency(
        "negative-length",
        "any negative length or count is taken for null where null may stand",
        LeniencyWitness("MetadataRequest", 1, "fffffffe"),
        "2.8",
        {"invalid-length": _ANY},
    ),
    Leniency(
        "invalid-utf8",
        "bytes that are not UTF-8 become U+FFFD",
        LeniencyWitness("ApiVersionsRequest", 3, "02ff026100"),
        "2.8",
        {"invalid-utf8": _ANY},
    ),
    Leniency(
        "tag-order",
        "tags may come in any order, and more than once",
        LeniencyWitness("ApiVersionsRequest", 3, "02610261020501000301ff"),
        "2.8",
        {"tag-order": _ANY},
    ),
    Leniency(
        "tag-size",
        "the size of a tagged field that is known is not looked at",
        LeniencyWitness("ApiVersionsResponse", 3, "00000100000000010109000000000000000a"),
        "2.8",
        {"tag-size": _ANY, "truncated": _ANY},
    ),
    Leniency(
        "marker",
        "the marker of a nullable struct is null below 0 and present from 0 on",
        LeniencyWitness("DescribeTopicPartitionsRequest", 0, "0100000001fe00"),
        "3.5",
        {"invalid-marker": _ANY},
        early={
            "3.5": LeniencyWitness(_HEARTBEAT, 0, "00" * 17 + "fe00"),
            "3.6": LeniencyWitness(_HEARTBEAT, 0, "00" * 17 + "fe00"),
            "3.7": LeniencyWitness(_HEARTBEAT, 0, "00" * 16 + "fe00"),
        },
    ),
    Leniency(
        "excess-bits",
        "bits of a varint's fifth byte that do not fit are dropped",
        LeniencyWitness("ApiVersionsRequest", 3, "026102618080808010"),
        "2.8",
        {"varint-too-long": _ANY},
    ),
    Leniency(
        "padded-varint",
        "varints may be longer than need be",
        LeniencyWitness("ApiVersionsRequest", 3, "81000100"),
        "2.8",
    ),
    Leniency(
        "bool-above-1",
        "a bool may be any byte, and is true but for 0",
        LeniencyWitness("MetadataRequest", 4, "ffffffff02"),
        "2.8",
    ),
    Leniency(
        "record-length",
        "any negative length of a legacy message's key or value is taken for null",
        LeniencyWitness(_RECORD_SETS, 0, "00000000000000000000000f9a83e9970000fffffffe0000000161"),
        "2.8",
        {"invalid-length": _ANY},
    ),
    Leniency(
        "record-utf8",
        "the key of a record's header that is not UTF-8 holds U+FFFD",
        LeniencyWitness(
            _RECORD_SETS,
            2,
            "000000000000000000000052ffffffff0236cf9f800000000000010000018bcfe568000000018bcfe56800ffffffffff"
            "ffffffffffffffffff0000000228000000026b02760602ff0231026802320261023116000002026b010202680231",
        ),
        "2.8",
        {"invalid-utf8": _ANY},
    ),
    Leniency(
        "record-tail",
        "bytes after the value of a legacy message are not read",
        LeniencyWitness(
            "RecordBatch",
            0,
            "000000000000000700000010760919fc00000000000161ffffffff31",
        ),
        "2.8",
        {"record-size": _ANY},
    ),
    Leniency(
        "count-0",
        "a batch that counts no records is not looked into",
        LeniencyWitness(
            "RecordBatch",
            2,
            "000000000000000000000038ffffffff028d14f8580000000000000000018bcfe568000000018bcfe56800ffffffffffffff"
            "ffffffffffffff000000000c000000010100",
        ),
        "2.8",
        {"count-mismatch": ("count=0",)},
    ),
    Leniency(
        "stream-tail",
        "garbage after the last gzip member is left unread",
        LeniencyWitness(
            "RecordBatch",
            2,
            "00000000000000000000005bffffffff02a2c3df5c0001000000010000018bcfe568000000018bcfe56800ffffffffffffff"
            "ffffffffffffff000000021f8b08000000000000031363606060ca662a6362ca6014013299b219414c000fadaec917000000"
            "010203",
        ),
        "2.8",
        {"invalid-compressed-data": ("stream-garbage-behind",)},
    ),
    Leniency(
        "inner-cut",
        "a message cut off inside a compressed legacy set ends the set",
        LeniencyWitness(
            "RecordBatch",
            0,
            "00000000000000080000004099d7a1a60001ffffffff000000321f8b080000000000000363600003762016083baf100fe631"
            "268208438814030748ce3388d91b2297040073eb7ec433000000",
        ),
        "2.8",
        {"truncated": ("stream-byte",)},
    ),
    Leniency(
        "lz4-header",
        "the checksum of an LZ4 frame's header is not looked at in magic 0",
        LeniencyWitness(
            "RecordBatch",
            0,
            "00000000000000080000004d481d7e490003ffffffff0000003f04224d1860401b300000001200010091070000001056cf20"
            "5f0f0071016100000001310c00300000081c00404952034b0d0080000162000000013200000000",
        ),
        "2.8",
        {"invalid-compressed-data": ("stream-byte",)},
    ),
)
