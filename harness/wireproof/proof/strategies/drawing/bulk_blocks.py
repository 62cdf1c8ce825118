"""Seeded instances in blocks: many instances without Hypothesis, drawn in the same way.

A block is a pure function of (message, version, seed, number): its instances are the same in any order and on
any machine. Its tapes are the output of SHAKE-128 (FIPS 202), which no version of Python changes.
"""

from functools import lru_cache
from hashlib import shake_128
from typing import Final

from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from wireproof.proof.strategies.drawing.instance_plan import InstancePlan
from wireproof.proof.strategies.values.sized_values import KIB_64, MIB

BLOCK_CASES: Final = 256
"""Instances of one block."""

_BLOCKS_A_MIB: Final = 8
"""One block in this many ends with an instance of 1 MiB: its judgement costs as much as a thousand others."""

_SPARSE_EVERY: Final = 4
"""One instance in this many leaves out fields at their defaults. The others give all fields: the message is
the same, and a codec is faster, because it need not fill in defaults."""


def bulk_block(layout: MessageLayout, seed: int, block: int) -> list[StructValue]:
    """The instances of one block, `BLOCK_CASES` of them; the first of block 0 is the empty one.

    It reaches every value that `from_layout` reaches: both read the same tapes. The last instance of a block
    has 64 KiB, that of each eighth block 1 MiB, if the message can hold that much. Instances share parts: do
    not change them.

    Raises:
        ValueError: a negative block.
    """
    if block < 0:
        raise ValueError(f"block {block} is negative")
    plan = _plan_of(layout)
    length = plan.tape_bytes
    name = f"wireproof bulk/{layout.name}/{layout.version}/{seed}/{block}"
    tapes = shake_128(name.encode()).digest(length * BLOCK_CASES)
    if block == 0:
        tapes = bytes(length) + tapes[length:]
    values = [
        plan.build(tapes[start : start + length], spelled_out=bool(number % _SPARSE_EVERY))
        for number, start in enumerate(range(0, len(tapes), length))
    ]
    values[-1] |= plan.filler(MIB if block % _BLOCKS_A_MIB == _BLOCKS_A_MIB - 1 else KIB_64)
    return values


@lru_cache(maxsize=16)
def _plan_of(layout: MessageLayout) -> InstancePlan:
    """Return the plan of a layout. Few plans are kept, because the tables of one take some 100 kB."""
    return InstancePlan(layout, large=False)
