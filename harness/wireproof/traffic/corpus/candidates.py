"""Frames that may become entries: fingerprint each, rank those with equal fingerprints, and redact them.

Nothing here depends on the order of the frames, so several machines that share a capture write the same
corpus as one machine.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple, TypeAlias

from kafkawire.caching import BoundedCache
from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.cell import CellId
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, Provenance, Tree
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint, Fingerprinter
from wireproof.traffic.redaction.frame_redactor import FrameRedactor, QuarantinedData, RedactedInnerMessage
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer
from wireproof.traffic.wire.connection_decoder import IdentifiedFrame
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.inner_messages import (
    InnerMessageReader,
    can_have_inner_messages,
    has_inner_messages,
)
from wireproof.traffic.wire.segment_format import StreamDirection

SMALL_BYTES: Final = 512
"""Frames up to this size count as equally small."""


@dataclass(frozen=True, slots=True, order=True)
class FrameLocation:
    """The unique location of a frame in a capture.

    Attributes:
        file: the segment file's name.
        offset: the offset of the frame's size in the stream of its direction.
        inner: the number of a message inside the frame, from 1; 0 for the frame itself.
    """

    file: str
    connection: int
    direction: int
    offset: int
    inner: int = 0


Rank: TypeAlias = tuple[int, FrameLocation]
"""The order of frames with equal fingerprints: by rough size, then by location; the first is kept."""


def rank_of(place: FrameLocation, size_bytes: int) -> Rank:
    """Return the rank of a frame; sizes above 512 bytes count in powers of two: a small example is better."""
    return max(size_bytes - 1, SMALL_BYTES - 1).bit_length(), place


@dataclass(frozen=True, slots=True)
class FrameOrigin:
    """The client id of a frame's sender or receiver, or ``""``, and when its exchange was complete."""

    provenance: Provenance
    place: FrameLocation
    listener: str
    client: str
    time_ns: int


def provenance_of(seen: IdentifiedFrame) -> Provenance:
    """Return `BROKER_ACCEPTED` for wireproof's own requests, and `CAPTURED` for all other frames."""
    made = seen.from_wireproof and seen.direction is StreamDirection.TO_BROKER
    return Provenance.BROKER_ACCEPTED if made else Provenance.CAPTURED


class FrameReading(NamedTuple):
    """A frame that our codec reads and writes with the same bytes, and whether it holds messages."""

    header: StructValue
    body: StructValue
    head_bytes: int
    fingerprint: Fingerprint
    has_inner_messages: bool


@dataclass(frozen=True, slots=True)
class Candidate:
    """A redacted message that may become an entry.

    Attributes:
        header: the layout of the header before the message; None if it has none.
        data: size, header and body; only the body for a message from a log.
        head_bytes: the number of bytes before the body.
        replaced: the number of replaced values by the path of their field.
    """

    module: str
    layout: MessageLayout
    header: MessageLayout | None
    origin: FrameOrigin
    data: bytes = field(repr=False)
    head_bytes: int
    replaced: Mapping[str, int]
    fingerprint: Fingerprint

    @property
    def rank(self) -> Rank:
        return rank_of(self.origin.place, len(self.data))


class CellReader:
    """A reader of the frames of one message at one version, with their fingerprinter."""

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
        """Return the canonical binary of a frame's header, followed by that of its body."""
        return self._head.to_binary(reading.header) + self._body.to_binary(reading.body)


class FrameReader:
    """A reader of the frames of one capture; it redacts those that may become entries.

    `naming` and `logs` are those of the brokers' release; the redactor has the key of the capture.
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
        return self._cells(named.layout)

    def prints(self, candidate: Candidate) -> Fingerprinter:
        """Return the fingerprinter of a candidate's cell."""
        layout = candidate.layout
        return self._inner(layout) if candidate.header is None else self._cells(layout).fingerprinter

    def redacted(
        self, named: FrameType, data: bytes, origin: FrameOrigin
    ) -> list[Candidate] | QuarantinedData:
        """Redact a frame; return it, followed by the redacted messages inside it."""
        found = self._redaction.redact(named, data)
        if isinstance(found, QuarantinedData):
            return found
        codec = self._naming.codec(named)
        rest = len(codec.body.encode(dict(found.body)))
        frame = Candidate(
            named.module,
            named.layout,
            codec.header.layout,
            origin,
            found.data,
            len(found.data) - rest,
            found.replaced,
            self.cell(named).fingerprinter.fingerprint(found.header, found.body, rest),
        )
        if origin.provenance is not Provenance.CAPTURED:
            return [frame]
        return [frame, *(self._within(each, origin, n) for n, each in enumerate(found.inner, 1))]

    def redacted_batch(
        self, topic: str, data: bytes, origin: FrameOrigin
    ) -> tuple[bytes, list[Candidate]] | QuarantinedData:
        """Redact a batch of a topic's log; return it with the redacted messages inside it."""
        found = self._redaction.redact_log(topic, data)
        if isinstance(found, QuarantinedData):
            return found
        redacted, inner = found
        return redacted, [self._within(each, origin, n) for n, each in enumerate(inner, 1)]

    def _within(self, inner: RedactedInnerMessage, origin: FrameOrigin, number: int) -> Candidate:
        """Return the candidate of a message inside another, such as a consumer's assignment."""
        origin = replace(origin, place=replace(origin.place, inner=number))
        fingerprint = self._inner(inner.layout).fingerprint({}, inner.body, len(inner.data))
        return Candidate(inner.module, inner.layout, None, origin, inner.data, 0, inner.replaced, fingerprint)


def covering(candidates: Sequence[tuple[int, int]]) -> list[int]:
    """Choose candidates that together cover all bits of all candidates.

    Each step takes the candidate that adds most bits, then the lightest, then the first.

    Args:
        candidates: the bits of each candidate, and its weight.

    Returns:
        The indices of the chosen candidates in ascending order.
    """
    return sorted(_cover(candidates))


def _cover(candidates: Sequence[tuple[int, int]]) -> list[int]:
    """Return the indices of `covering` in the order of the steps."""
    # The gain of a candidate only shrinks, so one whose gain is unchanged is the best.
    waiting = [(-bits.bit_count(), weight, index) for index, (bits, weight) in enumerate(candidates)]
    heapify(waiting)
    covered = 0
    chosen: list[int] = []
    while waiting:
        gain, weight, index = heappop(waiting)
        adds = (candidates[index][0] & ~covered).bit_count()
        if adds == -gain and adds:
            covered |= candidates[index][0]
            chosen.append(index)
        elif adds:
            heappush(waiting, (-adds, weight, index))
    return chosen


def choose(
    prints: Fingerprinter,
    offers: Sequence[tuple[Fingerprint, int]],
    existing: Sequence[Fingerprint] = (),
    names: Collection[str] = (),
) -> list[tuple[int, str]]:
    """Choose candidates that together cover every class which no existing entry covers.

    Args:
        offers: fingerprint and size in bytes of the candidates of one cell and provenance, in the order of
            their locations.
        existing, names: the fingerprints and names of the corpus's entries of that cell and provenance.

    Returns:
        Index and name of each choice, before those that add less. The name is the first class that it adds.
    """
    numbering = prints.fingerprint_bits([*(fingerprint for fingerprint, _ in offers), *existing])
    covered = 0
    for fingerprint in existing:
        covered |= numbering.bits(fingerprint)
    bits = [numbering.bits(fingerprint) for fingerprint, _ in offers]
    offered = [(each & ~covered, size) for each, (_, size) in zip(bits, offers, strict=True)]
    taken = set(names)
    choices = []
    for index in _cover(offered):
        name = unused_name(numbering.name(bits[index] & ~covered), taken)
        covered |= bits[index]
        taken.add(name)
        choices.append((index, name))
    return choices


def entry_fingerprint(
    entry: GoldenEntry, prints: Fingerprinter, layout: MessageLayout, header: MessageLayout | None
) -> Fingerprint:
    """Return the fingerprint of an existing entry. Raises CodecError if its values do not fit its message."""
    head = {} if header is None else _value(header, entry.header or {})
    return prints.fingerprint(head, _value(layout, entry.value))


def entry_from(candidate: Candidate, name: str, release: str) -> GoldenEntry:
    layout, header, origin = candidate.layout, candidate.header, candidate.origin
    head, body = candidate.data[: candidate.head_bytes], candidate.data[candidate.head_bytes :]
    return GoldenEntry(
        str(CellId(release, layout.name, layout.version)),
        origin.provenance,
        name,
        body,
        _tree(layout, fastest_codec(layout).decode(body)),
        head,
        None if header is None else _tree(header, fastest_codec(header).decode(head[PREFIX_BYTES:])),
        about={
            "listener": origin.listener,
            **({"client": origin.client} if origin.client else {}),
            "time": time_text(origin.time_ns),
            "redaction": dict(candidate.replaced),
        },
    )


def unused_name(name: str, names: Collection[str]) -> str:
    """Return the name, with a number if it is among `names`."""
    number = 2
    found = name
    while found in names:
        found = f"{name}#{number}"
        number += 1
    return found


def _tree(layout: MessageLayout, value: StructValue) -> Tree:
    tree: Tree = json.loads(canonical(layout).to_json(value))
    return tree


def _value(layout: MessageLayout, tree: Tree) -> StructValue:
    value: StructValue = canonical(layout).from_tree(tree)
    return value


def time_text(time_ns: int) -> str:
    """Return a time as entries hold it: UTC, to milliseconds."""
    moment = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{time_ns // 1_000_000 % 1000:03}Z"
