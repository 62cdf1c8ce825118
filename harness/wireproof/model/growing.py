"""What a version can hold any number of, and processor time as a codec's clock shows it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

__all__ = ["Collection", "CollectionKind", "CpuTime"]


class CollectionKind(StrEnum):
    """What there are many of."""

    STRUCTS = "structs"
    SCALARS = "scalars"
    TEXT = "characters"
    DATA = "blocks of 64 bytes"
    TAGS = "unknown tagged fields"


@dataclass(frozen=True, slots=True)
class Collection:
    """A place of a layout that can hold any number of elements.

    Attributes:
        path: of the field; of unknown tagged fields that of their section.
        element: the type of an element. Codecs read all elements of one kind and type by the same code.
        make: a whole value with this many elements, which all differ.
        most: the largest number of elements that it can hold, or that is worth trying.
    """

    path: str
    kind: CollectionKind
    element: str
    make: Callable[[int], dict[str, Any]]
    most: int


@dataclass(frozen=True, slots=True)
class CpuTime:
    """Processor time that a codec spent so far.

    Attributes:
        process: which of its processes spent it: a number that each start raises. Times of two processes
            cannot be compared.
    """

    process: int
    seconds: float
