"""The tables of docs/explanations/kip-625.md, computed by the codec.

``python -m tests.wireproof.definitions.sizes.kip_625_tables`` prints them.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from kafkawire import bundled
from kafkawire.compiler import compile_layout
from kafkawire.schema import IntegerEncoding, MessageKind, MessageLayout, StructLayout
from tests.wireproof.definitions.sizes.length_ranges import length_ranges
from wireproof.definitions.sizes.size_table import choose_encodings, with_encodings
from wireproof.definitions.sizes.value_distribution import distributed_message

VERSION: Final = 9
"""Of MetadataResponse: the newest one when the KIP was written (June 2020, Kafka 2.5), a flexible one."""

_PARTITIONS: Final = 100
_TOP: Final = 134_217_728
"""The least number of 5 bytes as packed32; as upacked32 it has 4."""
_HIGH: Final = 268_435_456
"""The least number of 5 bytes as upacked32, and as packed32."""
_KIP: Final = {"fixed": 3216, "best": 1170, "worst": 4026}


def _table(heads: tuple[str, ...], rows: Iterator[tuple[object, ...]]) -> list[str]:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return [*lines, *(f"| {' | '.join(map(_cell, row))} |" for row in rows)]


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def histogram(encoding: IntegerEncoding) -> list[str]:
    """The ranges of numbers by their bytes."""
    heads = (f"as `{encoding}`", "from", "to")
    return _table(
        heads, ((_bytes(each.length_bytes), each.low, each.high) for each in length_ranges(encoding))
    )


def _bytes(count: int) -> str:
    return f"{count} byte{'s' * (count != 1)}"


def longest() -> list[str]:
    """The most bytes of each encoding."""

    def rows() -> Iterator[tuple[object, ...]]:
        for bits in (16, 32, 64):
            lengths = [
                {each.length_bytes for each in length_ranges(IntegerEncoding(f"{kind}{bits}"))}
                for kind in ("fixed", "packed", "upacked")
            ]
            yield (bits, *(_span(each) for each in lengths))

    return _table(("bits", "fixed", "packed", "upacked"), rows())


def _span(lengths: set[int]) -> str:
    low, high = min(lengths), max(lengths)
    return _bytes(low) if low == high else f"{low} to {_bytes(high)}"


@cache
def layout(kind: str, *, tags: bool = True) -> MessageLayout:
    """MetadataResponse with all integers in one encoding.

    Args:
        kind: ``fixed``, ``packed`` or ``upacked``.
        tags: whether flexible structs have their tag sections, as in Kafka. The KIP's formulas lack them.
    """
    found = bundled.layout("MetadataResponse", VERSION, release="2.8.2")
    found = with_encodings(found, choose_encodings(found, [f"*={kind}"]))
    return found if tags else replace(found, root=_without_tags(found.root))


def _without_tags(struct: StructLayout) -> StructLayout:
    """The struct without a tag section; lengths stay compact."""
    fields = tuple(
        replace(each, struct=None if each.struct is None else _without_tags(each.struct))
        for each in struct.fields
    )
    return replace(struct, flexible=False, fields=fields)


@cache
def _partition(kind: str, tags: bool) -> MessageLayout:
    """MetadataResponsePartition as a message of its own."""
    root = layout(kind, tags=tags).root
    (topics,) = (each for each in root.fields if each.name == "topics")
    assert topics.struct is not None
    (partitions,) = (each for each in topics.struct.fields if each.name == "partitions")
    assert partitions.struct is not None
    return MessageLayout("MetadataResponsePartition", MessageKind.DATA, None, VERSION, partitions.struct)


def partition_bytes(
    kind: str, replicas: int, isr: int, offline: int, *, number: int = 0, error: int = 0, tags: bool = False
) -> int:
    """The bytes of one partition.

    Args:
        number: the partition's index, the leader's id and epoch, and the id of every replica.
    """
    value = {
        "errorCode": error,
        "partitionIndex": number,
        "leaderId": number,
        "leaderEpoch": number,
        "replicaNodes": [number] * replicas,
        "isrNodes": [number] * isr,
        "offlineReplicas": [number] * offline,
    }
    return len(compile_layout(_partition(kind, tags)).encode(value))


def formulas() -> list[str]:
    """The KIP's formulas, as the bytes of a partition without replicas and of each replica."""

    def rows() -> Iterator[tuple[object, ...]]:
        for kind in ("fixed", "packed", "upacked"):
            for words, number, error in (
                ("all numbers 0", 0, 0),
                ("all numbers from 268,435,456 on, error code 0", _HIGH, 0),
                ("the same, error code 256", _HIGH, 256),
            ):
                if kind == "fixed" and number:
                    continue
                none = partition_bytes(kind, 0, 0, 0, number=number, error=error)
                each = partition_bytes(kind, 1, 0, 0, number=number, error=error) - none
                tagged = partition_bytes(kind, 0, 0, 0, number=number, error=error, tags=True)
                formula, real = (
                    f"{start} + {each if each > 1 else ''}(R + I + O)" for start in (none, tagged)
                )
                yield f"`{kind}`", "any numbers" if kind == "fixed" else words, formula, real

    return _table(("encoding", "values", "the KIP's formula", "with the tag section"), rows())


_BASE: Final = (
    *("brokers=2", "host=9", "port=9092", "clusterId=22", "topics=1", "topics[].name=1"),
    *(f"partitions={_PARTITIONS}", "replicaNodes=2", "isrNodes=2"),
)
_BEST: Final = (
    *("throttleTimeMs=0", "nodeId=0..1", "controllerId=0", "partitionIndex=0..99", "leaderId=0..1"),
    *("leaderEpoch=0", "replicaNodes[]=0..1", "isrNodes[]=0..1"),
)
_KIP_WORST: Final = (
    *("throttleTimeMs=0", f"nodeId={_TOP}..{_TOP + 1}", f"controllerId={_TOP}", "errorCode=256"),
    *(f"partitionIndex={_TOP}..{_TOP + 99}", f"leaderId={_TOP}..{_TOP + 1}", "leaderEpoch=0"),
    *(f"replicaNodes[]={_TOP}..{_TOP + 1}", f"isrNodes[]={_TOP}..{_TOP + 1}"),
)
_WORST: Final = (
    *(f"throttleTimeMs={2**31 - 1}", f"nodeId={2**31 - 2}..{2**31 - 1}", f"controllerId={2**31 - 1}"),
    *(f"port={2**31 - 1}", "errorCode=32767", f"partitionIndex={2**31 - 100}..{2**31 - 1}"),
    *(f"leaderId={2**31 - 2}..{2**31 - 1}", f"leaderEpoch={2**31 - 1}"),
    *(f"replicaNodes[]={2**31 - 2}..{2**31 - 1}", f"isrNodes[]={2**31 - 2}..{2**31 - 1}"),
)
MESSAGES: Final = {
    "small numbers (best case)": _BEST,
    "small numbers, leader epoch not known (-1)": (*_BEST, "leaderEpoch=-1"),
    "brokers and partitions from 134,217,728 on, error code 256 (the KIP's worst case)": _KIP_WORST,
    "every number at its maximum": _WORST,
}


def message_bytes(kind: str, words: str, *, tags: bool = True) -> int:
    """The body of MetadataResponse with 1 topic, 100 partitions and 2 brokers.

    The KIP does not name hosts, cluster and topic. They have 9, 22 and 1 bytes here, so that the best case
    without tag sections has the KIP's size.
    """
    chosen = layout(kind, tags=tags)
    return len(compile_layout(chosen).encode(distributed_message(chosen, [*_BASE, *MESSAGES[words]])))


def sizes() -> list[str]:
    """The KIP's size table."""
    rows = ((words, *(message_bytes(kind, words) for kind in _KINDS)) for words in MESSAGES)
    return _table(("values", *(f"`{kind}`" for kind in _KINDS)), rows)


_KINDS: Final = ("fixed", "packed", "upacked")


def sizes_without_tags() -> list[str]:
    """The same with the KIP's formulas, which have no tag sections."""
    rows = ((words, *(message_bytes(kind, words, tags=False) for kind in _KINDS)) for words in MESSAGES)
    return _table(("values", *(f"`{kind}`" for kind in _KINDS)), rows)


def least_partitions() -> list[str]:
    """The bytes of 100 partitions alone, by the KIP's formulas, beside the whole bodies of its table."""

    def rows() -> Iterator[tuple[object, ...]]:
        for count in (2, 3, 4):
            fixed, best = (_PARTITIONS * partition_bytes(kind, count, 0, 0) for kind in ("fixed", "upacked"))
            worst = _PARTITIONS * partition_bytes("packed", count, 0, 0, number=_TOP, error=256)
            yield count, fixed, best, worst, fixed - best, worst - best
        kip = _KIP
        differences = (kip["fixed"] - kip["best"], kip["worst"] - kip["best"])
        yield ("the KIP's bodies", kip["fixed"], kip["best"], kip["worst"], *differences)

    heads = ("R + I + O", "fixed", "best", "worst", "fixed - best", "worst - best")
    return _table(heads, rows())


TABLES: Final[dict[str, Callable[[], list[str]]]] = {
    "packed32": lambda: histogram(IntegerEncoding.PACKED32),
    "upacked32": lambda: histogram(IntegerEncoding.UPACKED32),
    "packed16": lambda: histogram(IntegerEncoding.PACKED16),
    "upacked16": lambda: histogram(IntegerEncoding.UPACKED16),
    "packed64": lambda: histogram(IntegerEncoding.PACKED64),
    "upacked64": lambda: histogram(IntegerEncoding.UPACKED64),
    "longest": longest,
    "formulas": formulas,
    "sizes": sizes,
    "sizes-without-tags": sizes_without_tags,
    "least-partitions": least_partitions,
}
"""By the name that a page has in a comment before the table."""

if __name__ == "__main__":
    for name, make in TABLES.items():
        sys.stdout.write("\n".join([f"<!-- table: {name} -->", *make(), "", ""]))
