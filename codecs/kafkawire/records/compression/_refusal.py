"""The refusal that the compressions raise. The decoder adds path and offset to it."""

from kafkawire.errors import Fault


class CompressionRefusal(Exception):  # noqa: N818  # never leaves the package
    """Compressed bytes that are invalid, or decompress to more than the limit.

    Attributes:
        fault: COMPRESSION or BOMB.
    """

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
