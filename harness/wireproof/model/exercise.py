"""The claims of a codec that were tried with something that the oracle made."""

from dataclasses import dataclass, field

from wireproof.model.adapter import Reencoded, Unsupported
from wireproof.model.repertoire import CodecDirection

__all__ = ["ClaimExercise"]


@dataclass(slots=True)
class ClaimExercise:
    """The directions claimed for a cell that were tried with values or bytes that the oracle made.

    Attributes:
        open: those that were not, yet.
    """

    claimed: frozenset[CodecDirection]
    open: set[CodecDirection] = field(init=False)

    def __post_init__(self) -> None:
        self.open = set(self.claimed)

    def note(self, encoded: object, read: object) -> None:
        """Count the codec's answers to a value that the oracle wrote too, and to the bytes that it wrote.

        An answer counts, right or wrong; that it cannot be asked is none, nor that it was not asked any
        more.
        """
        if _is_answer(encoded):
            self.open.discard(CodecDirection.ENCODE)
        if isinstance(read, Reencoded):
            self.open.clear()
        elif _is_answer(read):
            self.open.discard(CodecDirection.DECODE)

    @property
    def met(self) -> tuple[CodecDirection, ...]:
        """The ways that were tried."""
        return tuple(way for way in CodecDirection if way in self.claimed and way not in self.open)


def _is_answer(reply: object) -> bool:
    return not (reply is None or isinstance(reply, Unsupported))
