"""Frames that may become entries: fingerprint each, rank those with equal fingerprints, and redact them.

Nothing here depends on the order of the frames, so several machines that share a capture write the same
corpus as one machine.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from kafkawire.caching import BoundedCache
from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.corpus.corpus_entry import Provenance
from wireproof.fingerprint import Fingerprint, Fingerprinter
from wireproof.redaction import FrameRedactor, Pseudonymizer, QuarantinedData, RedactedInnerMessage
from wireproof.wire import (
    FrameIdentifier,
    FrameType,
    IdentifiedFrame,
    InnerMessageReader,
    StreamDirection,
    can_have_inner_messages,
    has_inner_messages,
)

__all__ = [
    "SMALL_BYTES",
    "Candidate",
    "CellReader",
    "FrameReading",
    "FrameReader",
    "FrameLocation",
    "Rank",
    "FrameOrigin",
    "provenance_of",
    "rank_of",
]

SMALL_BYTES: Final = 512
"""Frames up to it count as equally small."""


@dataclass(frozen=True, slots=True, order=True)
class FrameLocation:
    """The location of a frame in a capture, which is unique.

    Attributes:
        file: the segment file's name.
        offset: of the frame's size in the stream of its direction.
        inner: which message in the frame, counted from 1; 0 for the frame itself.
    """

    file: str
    connection: int
    direction: int
    offset: int
    inner: int = 0


Rank: TypeAlias = tuple[int, FrameLocation]
"""Of frames that show the same the one of the least rank stands for all: by size, roughly, then by place."""


def rank_of(place: FrameLocation, size_bytes: int) -> Rank:
    """Sizes count in powers of two from 512 bytes on: an example is better small, and else the first."""
    return max(size_bytes - 1, SMALL_BYTES - 1).bit_length(), place


@dataclass(frozen=True, slots=True)
class FrameOrigin:
    """Where a frame comes from.

    Attributes:
        client: the program that sent it or got it, as it called itself; ``""`` where it did not.
        time_ns: when its exchange was whole.
    """

    provenance: Provenance
    place: FrameLocation
    listener: str
    client: str
    time_ns: int


def provenance_of(seen: IdentifiedFrame) -> Provenance:
    """Our own requests are made, and taken by a broker; all else was captured."""
    made = seen.from_wireproof and seen.direction is StreamDirection.TO_BROKER
    return Provenance.BROKER_ACCEPTED if made else Provenance.CAPTURED


class FrameReading(NamedTuple):
    """A frame that our codec reads, and writes again as it was.

    Attributes:
        head_bytes: how many bytes stand before the body.
        has_inner_messages: it contains messages that may become entries.
    """

    header: StructValue
    body: StructValue
    head_bytes: int
    fingerprint: Fingerprint
    has_inner_messages: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A redacted message that may become an entry.

    Attributes:
        header: the layout of the header before the message; None where it has none.
        data: size, header and body; of a message out of a log the body alone.
        head_bytes: how many of them stand before the body.
        replaced: values that were, by the path of their field.
    """

    module: str
    layout: MessageLayout
    header: MessageLayout | None
    whence: FrameOrigin
    data: bytes = field(repr=False)
    head_bytes: int
    replaced: Mapping[str, int]
    fingerprint: Fingerprint

    @property
    def rank(self) -> Rank:
        return rank_of(self.whence.place, len(self.data))


class CellReader:
    """Reads the frames of one message at one version.

    Attributes:
        fingerprinter: of frames of the cell.
    """

    __slots__ = ("_body", "_codec", "_head", "_may_have_inner", "fingerprinter")

    def __init__(self, codec: FrameCodec) -> None:
        header, body = codec.header.layout, codec.body.layout
        self._codec = codec
        self.fingerprinter = Fingerprinter(header, body)
        self._may_have_inner = can_have_inner_messages(body)
        self._head, self._body = canonical(header), canonical(body)

    def read(self, data: bytes) -> FrameReading | QuarantinedData:
        """Decode and fingerprint a frame, its size included; or give the reason to quarantine it."""
        codec = self._codec
        try:
            header, body = codec.decode(data)
            head, rest = codec.header.encode(header), codec.body.encode(body)
        except CodecError as error:
            return QuarantinedData(f"{error.fault}, {error.path}")
        head_bytes = PREFIX_BYTES + len(head)
        if data[PREFIX_BYTES:head_bytes] != head or data[head_bytes:] != rest:
            return QuarantinedData("our codec writes it otherwise")
        fingerprint = self.fingerprinter.fingerprint(header, body, len(rest))
        inner = self._may_have_inner and has_inner_messages(codec.body.layout, body)
        return FrameReading(header, body, head_bytes, fingerprint, inner)

    def value(self, reading: FrameReading) -> bytes:
        """The canonical binary of a frame's header, and behind it that of its body."""
        return self._head.to_binary(reading.header) + self._body.to_binary(reading.body)


class FrameReader:
    """Reads the frames of one capture, and redacts those that may become entries.

    Args:
        naming, logs: of the release of the brokers.
        redactor: with the key of the capture.
    """

    def __init__(self, naming: FrameIdentifier, logs: InnerMessageReader, redactor: Pseudonymizer) -> None:
        self._naming = naming
        self._redaction = FrameRedactor(naming, logs, redactor)
        self._cells: BoundedCache[MessageLayout, CellReader] = BoundedCache(
            lambda layout: CellReader(naming.codec_of(layout))
        )
        self._inner: BoundedCache[MessageLayout, Fingerprinter] = BoundedCache(
            lambda layout: Fingerprinter(None, layout)
        )

    def cell(self, named: FrameType) -> CellReader:
        """The reader of the frames of one message type."""
        return self._cells(named.layout)

    def redacted(
        self, named: FrameType, data: bytes, whence: FrameOrigin
    ) -> list[Candidate] | QuarantinedData:
        """The redacted frame, and then the redacted messages inside it."""
        found = self._redaction.redact(named, data)
        if isinstance(found, QuarantinedData):
            return found
        codec = self._naming.codec(named)
        rest = len(codec.body.encode(dict(found.body)))
        frame = Candidate(
            named.module,
            named.layout,
            codec.header.layout,
            whence,
            found.data,
            len(found.data) - rest,
            found.replaced,
            self.cell(named).fingerprinter.fingerprint(found.header, found.body, rest),
        )
        if whence.provenance is not Provenance.CAPTURED:
            return [frame]
        return [frame, *(self._within(each, whence, n) for n, each in enumerate(found.inner, 1))]

    def redacted_batch(
        self, topic: str, data: bytes, whence: FrameOrigin
    ) -> tuple[bytes, list[Candidate]] | QuarantinedData:
        """A redacted batch of a topic's log, and the redacted messages inside it."""
        found = self._redaction.redact_log(topic, data)
        if isinstance(found, QuarantinedData):
            return found
        return found.data, [self._within(each, whence, n) for n, each in enumerate(found.inner, 1)]

    def _within(self, inner: RedactedInnerMessage, whence: FrameOrigin, number: int) -> Candidate:
        """A message inside another, of a broker's log or a real consumer."""
        at = whence.place
        place = FrameLocation(at.file, at.connection, at.direction, at.offset, number)
        fingerprint = self._inner(inner.layout).fingerprint({}, inner.body, len(inner.data))
        return Candidate(
            inner.module,
            inner.layout,
            None,
            FrameOrigin(whence.provenance, place, whence.listener, whence.client, whence.time_ns),
            inner.data,
            0,
            inner.replaced,
            fingerprint,
        )
