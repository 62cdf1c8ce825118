"""The exit codes of every command: number, rank and meaning of each, in one table.

The help, the documentation and the order of precedence are derived from it.
"""

from collections.abc import Collection
from enum import IntEnum
from typing import Self


class ExitCode(IntEnum):
    """An exit code. The members are in order of precedence: where several apply, the first one is taken.

    Attributes:
        sentence: the code in a few words.
        meaning: the same in whole sentences.
    """

    sentence: str
    meaning: str

    def __new__(cls, number: int, sentence: str = "", meaning: str = "") -> Self:
        member = int.__new__(cls, number)
        member._value_ = number
        member.sentence = sentence
        member.meaning = meaning
        return member

    INTERRUPTED = (
        130,
        "interrupted",
        "Ctrl-C, SIGTERM or SIGHUP ended the command. The report has the finished part.",
    )
    USAGE = 2, "usage", "The command line, or a file that it names, has a mistake."
    MISSING = (
        4,
        "something needed is missing",
        "Something that the command needs is missing: a jar, a Java runtime, a package, a testee.",
    )
    BROKEN = (
        5,
        "the harness or Kafka's classes failed",
        "wireproof itself or Kafka's classes failed. The result says nothing about the codec.",
    )
    NOTHING_RAN = 3, "nothing ran", "No cell, case or request matched, so nothing was judged."
    DIVERGENCE = 1, "divergence", "The codec and Kafka differ, and no entry of the ledger explains it."
    LEDGER = (
        6,
        "the ledger is wrong",
        "An entry of the ledger passes, is stale, has expired or covers too much, or a count is above its "
        "bound. The report prints the command that repairs an entry.",
    )
    BELOW_FLOOR = (
        7,
        "incomplete",
        "All that was judged agrees, but something is left: cells, classes of values, claims or "
        "skipped requests.",
    )
    PROVEN = 0, "proven", "Every selected case agrees with Kafka, or the ledger explains it."

    @property
    def rank(self) -> int:
        """The place in the order of precedence, from 1."""
        return list(ExitCode).index(self) + 1


def worst(codes: Collection[int]) -> int:
    """Return the exit code that takes precedence; 0 for none."""
    return int(next((code for code in ExitCode if code in codes), ExitCode.PROVEN))
