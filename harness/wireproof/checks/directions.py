"""Which way a check looks: at what a codec writes, at what it reads, at what it does with wrong bytes."""

from typing import Final

from wireproof.checks.check_table import Check
from wireproof.model import Question

__all__ = ["questions_of"]

_BOTH: Final = frozenset({Question.ENCODE, Question.DECODE})
_WRITES: Final = frozenset(
    {
        Check.ENCODE,
        Check.BYTES,
        Check.SIZE,
        Check.ORACLE_READS,
        Check.FRAMING,
        Check.REFUSAL,
        Check.REPEAT,
        Check.ABSENT,
        Check.FRAME_BYTES,
    }
)
_READS: Final = frozenset({Check.ROUND_TRIP, Check.DECODE, Check.BUFFER, Check.TAGS_KEPT, Check.FRAME_DECODE})
_WRONG: Final = frozenset(
    {
        Check.CUT,
        Check.TAIL,
        Check.RECOVER,
        Check.TAG_VERSION,
        Check.CHECKSUM,
        Check.CUT_OFF,
        Check.TOLERANCE,
        Check.MALFORMED,
    }
)
_READING_CLAIMS: Final = frozenset({"decode", "reencode", "unframe"})


def questions_of(check: str, path: str = "") -> frozenset[Question]:
    """The questions that a check is about: one way, or both.

    Args:
        path: of a divergence; that of a claim names the operation.
    """
    if check in _WRONG:
        return frozenset({Question.MALFORMED})
    if check in _READS or (check == Check.CLAIM and path in _READING_CLAIMS):
        return frozenset({Question.DECODE})
    if check in _WRITES or check == Check.CLAIM:
        return frozenset({Question.ENCODE})
    return _BOTH
