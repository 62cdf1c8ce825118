"""What the compressions raise, which the decoder gives path and offset; and what an object counts."""

from typing import Final

from kafkawire.errors import Fault

__all__ = ["OBJECT_BYTES", "CompressionRefusal"]

OBJECT_BYTES: Final = 160
"""What a record, a header or a legacy message counts in a budget of bytes: about the memory that CPython
takes for one."""


class CompressionRefusal(Exception):  # noqa: N818  # never leaves the package
    """Compressed bytes that are wrong, or hold too much.

    Attributes:
        fault: COMPRESSION or BOMB.
    """

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
