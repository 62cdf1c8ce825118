"""The exit codes of every command: number, rank and meaning of each, in one table.

The help, the documentation and the order of precedence are derived from it.
"""

from collections.abc import Collection
from enum import IntEnum
from typing import Self

__all__ = ["ExitCode", "worst"]


class ExitCode(IntEnum):
    """An exit code. The members are in order of precedence: where several apply, the first one is taken.

    Attributes:
        sentence: what the code says, in a few words.
    """

    sentence: str

    def __new__(cls, number: int, sentence: str = "") -> Self:
        member = int.__new__(cls, number)
        member._value_ = number
        member.sentence = sentence
        return member

    INTERRUPTED = 130, "interrupted"
    USAGE = 2, "usage"
    MISSING = 4, "something needed is missing"
    BROKEN = 5, "the harness or Kafka's classes failed"
    NOTHING_RAN = 3, "nothing ran"
    DIVERGENCE = 1, "divergence"
    LEDGER = 6, "the ledger is wrong"
    BELOW_FLOOR = 7, "incomplete"
    PROVEN = 0, "proven"


def worst(codes: Collection[int]) -> int:
    """Of several exit codes the one that takes precedence; 0 for none."""
    return int(next((code for code in ExitCode if code in codes), ExitCode.PROVEN))
