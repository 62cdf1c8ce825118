"""Cases of malformed bytes."""

from dataclasses import dataclass

from wireproof.model import Mutation


@dataclass(frozen=True, slots=True)
class MutatedCase:
    """A mutation of a named base, and its bytes.

    Attributes:
        framed: whether they are a whole frame.
        entry: the line of the corpus that it comes from; empty where it was made here.
    """

    name: str
    mutation: Mutation
    data: bytes
    framed: bool = False
    entry: str = ""
