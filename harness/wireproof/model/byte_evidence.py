"""The bytes of a divergence, with the names of their fields, for those who show them."""

from dataclasses import dataclass

__all__ = ["ByteEvidence", "NamedBytes"]


@dataclass(frozen=True, slots=True)
class NamedBytes:
    """A part of an encoding, around the place of interest.

    Attributes:
        hex: the bytes of the part, two digits each.
        start: the offset of the first of them in the encoding.
        length: the number of bytes of the whole encoding.
        fields: the fields of the part in the order of their bytes, as (start, end, name); the offsets count
            from the start of the encoding. ``topics count`` names the count of an array. Bytes that cannot
            be read have no field.
    """

    hex: str
    start: int
    length: int
    fields: tuple[tuple[int, int, str], ...] = ()

    @property
    def data(self) -> bytes:
        """The bytes of the part."""
        return bytes.fromhex(self.hex)


@dataclass(frozen=True, slots=True)
class ByteEvidence:
    """The bytes of both sides of a divergence.

    Attributes:
        codec: the bytes that the codec wrote; None where it wrote none, or where they say nothing.
        oracle: the bytes that Kafka wrote of the same value.
        given: the bytes that both sides were given to read.
    """

    codec: NamedBytes | None = None
    oracle: NamedBytes | None = None
    given: NamedBytes | None = None
