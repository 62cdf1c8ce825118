"""Where Kafka reads what is wrong: what its generated classes let pass, by release, with a witness for each.

A codec that refuses such bytes is stricter than Kafka, not wrong. `tests/oracle/test_laxities.py` shows each
entry to be true on the jars of its first and its last release.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from kafkawire.schema.layout import MessageLayout
from wireproof.checks.lax_reading import LaxReading, Slip, read_laxly, read_laxly_framed

__all__ = ["LAXITIES", "Laxity", "Witness", "lax_reading_of"]


@dataclass(frozen=True, slots=True)
class Witness:
    """Bytes that show a laxity and nothing else: a cell of releases that have it, a body in hexadecimal."""

    message: str
    version: int
    body: str


@dataclass(frozen=True, slots=True)
class Laxity:
    """Something that Kafka lets pass.

    Attributes:
        id: stable: event files hold it.
        summary: what is let pass, one sentence.
        first: the oldest release looked at that has it.
        first_witness: where that release has the message of `witness` in another form.
        ended: the releases that have it no more: the first of each line that had it mended, in order; the
            last one and all behind it. Empty where the newest still has it.
    """

    id: str
    summary: str
    witness: Witness
    first: str = "2.8.2"
    first_witness: Witness | None = None
    ended: tuple[str, ...] = ()

    def holds(self, release: str) -> bool:
        """Whether the release has it."""
        number = _number(release)
        mended = any(number >= _number(end) and number[:2] == _number(end)[:2] for end in self.ended)
        gone = bool(self.ended) and number >= _number(self.ended[-1])
        return number >= _number(self.first) and not mended and not gone


def lax_reading_of(
    release: str, layout: MessageLayout, header: MessageLayout | None, data: bytes
) -> LaxReading | None:
    """What Kafka makes of the bytes by the release's laxities; None where it refuses them all the same.

    Args:
        header: the layout of the header where the bytes are a frame; None for a body.
    """
    known = _known(release)
    if header is None:
        return read_laxly(layout, data, known)
    return read_laxly_framed(header, layout, data, known)


@cache
def _known(release: str) -> frozenset[str]:
    return frozenset(laxity.id for laxity in LAXITIES if laxity.holds(release))


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


_VERSIONS = "ApiVersionsRequest"
"""Version 3: two compact strings, a tag section."""

LAXITIES: Final[tuple[Laxity, ...]] = (
    Laxity(Slip.TRAILING, "bytes behind the message are left unread", Witness(_VERSIONS, 3, "01010000")),
    Laxity(Slip.PADDED, "varints may be longer than need be", Witness(_VERSIONS, 3, "81000100")),
    Laxity(
        Slip.HIGH_BITS,
        "bits of a varint above the 32nd are dropped",
        Witness(_VERSIONS, 3, "81808080100100"),
    ),
    Laxity(
        Slip.LENGTH,
        "every negative length or count is null, not -1 alone",
        Witness("MetadataRequest", 1, "fffffffe"),
    ),
    Laxity(
        Slip.TEXT,
        "bytes that are no UTF-8 are read as U+FFFD",
        Witness(_VERSIONS, 3, "02ff0100"),
    ),
    Laxity(Slip.BOOL, "a bool may be any byte", Witness("MetadataRequest", 4, "ffffffff02")),
    Laxity(
        Slip.MARKER,
        "a nullable struct is null by any negative marker, there by any other",
        Witness("ConsumerGroupHeartbeatResponse", 0, "00000000000000000000000000000000fe00"),
        first="3.5.2",
        first_witness=Witness("ConsumerGroupHeartbeatResponse", 0, "0000000000000000000000000000000000fe00"),
    ),
    Laxity(
        Slip.TAG_ORDER,
        "tagged fields may stand in any order, and more than once: the last of a known tag holds",
        Witness(_VERSIONS, 3, "0101020900080100"),
    ),
    Laxity(
        Slip.TAG_SIZE,
        "the size of a known tagged field is not looked at",
        Witness("ApiVersionsResponse", 3, "0000010000000001010700000000000000ff"),
    ),
    Laxity(
        Slip.TAG_COUNT,
        "a tag section of a negative count is empty",
        Witness(_VERSIONS, 3, "0101ffffffff0f"),
        ended=("4.2.2", "4.4.0"),
    ),
    Laxity(
        Slip.TAG_NUMBER,
        "unknown tags are read that it would not write: 2^31-1, and negative ones",
        Witness(_VERSIONS, 3, "010101ffffffff0f00"),
    ),
)
"""Each entry is met by a run over mutations and shown by a test; one that is neither has no place here."""
