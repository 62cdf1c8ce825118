"""What the compressions raise; the decoder gives it path and offset."""

from kafkawire.errors import Fault

__all__ = ["CompressionRefusal"]


class CompressionRefusal(Exception):  # noqa: N818  # never leaves the package
    """Compressed bytes that are wrong, or hold too much.

    Attributes:
        fault: COMPRESSION or BOMB.
    """

    def __init__(self, fault: Fault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail
