"""The parts of traffic that a codec reads and writes: where a divergence is, before any field is named."""

from enum import StrEnum
from typing import Final

from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, RECORDS_MODULE

__all__ = ["FramePart", "part_of_module"]


class FramePart(StrEnum):
    """The kind of data that a divergence is in. Its text is stable: event files and ledgers hold it."""

    MESSAGE = "message"
    """The body of a message."""
    HEADER = "header"
    """The size and the header of a frame."""
    RECORD_SET = "record-set"
    """A record set: a cell of its own, or in a field of a message."""
    EMBEDDED = "embedded"
    """A message in the framing in which other data carry it."""
    PRIMITIVE = "primitive"
    """A single primitive."""


_OF_MODULES: Final = {
    RECORDS_MODULE: FramePart.RECORD_SET,
    EMBEDDED_MODULE: FramePart.EMBEDDED,
    PRIMITIVES_MODULE: FramePart.PRIMITIVE,
}


def part_of_module(module: str) -> FramePart:
    """The part that the cells of a module are about."""
    return _OF_MODULES.get(module, FramePart.MESSAGE)
