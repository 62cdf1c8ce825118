"""The repertoire of a codec: what it has, what it claims, and why it does not claim the rest."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeAlias


class CodecDirection(StrEnum):
    """A direction of a codec."""

    ENCODE = "encode"
    DECODE = "decode"


BOTH_DIRECTIONS: Final = frozenset(CodecDirection)

MessageVersion: TypeAlias = tuple[str, int]
"""(message, version)."""


@dataclass(frozen=True, slots=True)
class Repertoire:
    """The messages of a codec's own index, its claims, and the reasons for what it does not claim.

    Attributes:
        has: the directions that the index lists for a message version; empty if it lists none there, which
            means at least one of them.
        complete: whether the codec has an index, not only a registry of APIs. Then it cannot claim anything
            that the index lacks.
        claimed: the ways that are claimed.
        reasons: why a way is not claimed, in words.
    """

    has: Mapping[MessageVersion, frozenset[CodecDirection]] = field(default_factory=dict)
    complete: bool = False
    claimed: Mapping[MessageVersion, frozenset[CodecDirection]] = field(default_factory=dict)
    reasons: Mapping[MessageVersion, Mapping[CodecDirection, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClaimProblem:
    """A problem of a codec's claims, or a claim that it could make.

    Attributes:
        fault: in a word: ``unclaimed``, ``not-in-index``, ``no-such-cell``, ``contradiction``, ``works``.
        versions: the versions, in ranges.
        ways: the directions, in words: ``encode``, ``decode`` or ``encode and decode``.
        summary: one sentence.
        advice: what to do, or to add to the hello.
        fails: False for what is good to know.
    """

    subject: str
    message: str
    versions: str
    ways: str
    fault: str
    summary: str
    advice: str
    fails: bool = True

    @property
    def line(self) -> str:
        """``FetchRequest 0-11, decode: SUMMARY``."""
        return f"{self.message} {self.versions}, {self.ways}: {self.summary}"
