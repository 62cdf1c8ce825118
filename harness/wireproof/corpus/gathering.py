"""A capture -> what its frames have to show: for each cell a few redacted frames, one for each fingerprint.

Segment files are read one after the other; memory is that of the frames that are kept. The same files, key
and order give the same.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, assert_never

from kafkawire.errors import CodecError
from kafkawire.schema import MessageLayout
from wireproof.corpus.entry import Provenance
from wireproof.corpus.reach import Reach, ReachCount
from wireproof.frames import (
    CLIENT_NAMES,
    Conversation,
    Damage,
    Direction,
    Entry,
    EntryKind,
    Exchange,
    Fingerprint,
    FrameRedaction,
    Logs,
    Lone,
    LoneReason,
    Lost,
    Named,
    Naming,
    Quarantined,
    RedactedInner,
    Redactor,
    Settled,
    Token,
    Unnamed,
    holds_messages,
    read_segment,
)

__all__ = ["OWN_CLIENT", "Candidate", "GatheredCell", "Gathering"]

OWN_CLIENT: Final = "wireproof"
"""The client id under which our own requests are sent: they are made, and not captured."""

_API_VERSIONS: Final = "ApiVersionsRequest"
_SMALL_BYTES: Final = 512
"""A frame above it gives way to one of the same fingerprint that has half of its size."""
_KEY_VERSION_ID: Final = 8


@dataclass(frozen=True, slots=True)
class Candidate:
    """A redacted message that may become an entry.

    Attributes:
        data: size, header and body; of a message out of a log the body alone.
        head_bytes: how many of them stand before the body.
        replaced: values that were, by the path of their field.
        bits: its fingerprint.
        client: the program that sent it or got it, as it called itself; ``""`` where it did not.
        time_ns: when its exchange was whole.
    """

    layout: MessageLayout
    provenance: Provenance
    data: bytes
    head_bytes: int
    header: Mapping[str, Any]
    body: Mapping[str, Any]
    replaced: Mapping[str, int]
    bits: int
    listener: str
    client: str
    time_ns: int


@dataclass(slots=True)
class _Talk:
    """One connection.

    Attributes:
        ours: whether its client is our own sweep.
    """

    conversation: Conversation
    listener: str
    client: str = ""
    ours: bool = False


@dataclass(slots=True)
class GatheredCell:
    """What one cell has of one provenance.

    Attributes:
        header: the layout of the header before the message; None where it has none.
        seen: fingerprints before redaction, of what need not be looked at again.
        kept: by fingerprint after redaction.
    """

    module: str
    layout: MessageLayout
    header: MessageLayout | None
    provenance: Provenance
    fingerprint: Fingerprint
    seen: set[int] = field(default_factory=set)
    kept: dict[int, Candidate] = field(default_factory=dict)

    @property
    def candidates(self) -> list[Candidate]:
        """What was kept, in the order of the capture."""
        return list(self.kept.values())

    def better(self, bits: int, data: bytes) -> bool:
        """Whether a message shall stand in the place of another that shows the same, which is large."""
        held = self.kept.get(bits)
        return held is not None and len(held.data) > max(_SMALL_BYTES, 2 * len(data))


class Gathering:
    """Gathers the frames of a capture of one release.

    Args:
        naming, logs: of the release.
        redactor: with the key of the capture.
        largest_bytes: no larger frame is taken.

    Attributes:
        frames: how many were seen.
        quarantined, left_out: how many were not taken, by the reason.
        damage: of the files, as sentences.
    """

    def __init__(self, naming: Naming, logs: Logs, redactor: Redactor, largest_bytes: int) -> None:
        self.frames = 0
        self.quarantined: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self.damage: list[str] = []
        self._count = ReachCount(naming)
        self._naming = naming
        self._redaction = FrameRedaction(naming, logs, redactor)
        self._largest = largest_bytes
        self._cells: dict[tuple[str, MessageLayout, Provenance], GatheredCell] = {}

    @property
    def reach(self) -> Reach:
        """Which pairs the listeners advertise, and which were answered."""
        return self._count.reach

    def read(self, file: BinaryIO, name: str) -> None:
        """All frames of a segment file.

        Args:
            name: of the file, for what is damaged.

        Raises:
            NoSegmentError: it is none.
        """
        listener, latest_ns = "", 0
        talks: dict[int, _Talk] = {}
        for part in read_segment(file):
            latest_ns = part.time_ns if isinstance(part, Entry) else latest_ns
            match part:
                case Damage():
                    self.damage.append(f"{name}: {part}")
                case Entry(kind=EntryKind.FACTS):
                    listener = str(part.facts.get("listener", ""))
                case Entry(kind=EntryKind.OPEN):
                    known = bool(part.facts.get("knownStart", True))
                    talks[part.connection] = _Talk(Conversation(known_start=known), listener)
                case Entry() if part.connection in talks:
                    self._feed(talks[part.connection], part)
                    if part.kind is EntryKind.CLOSE:
                        self._close(talks.pop(part.connection), part.time_ns)
                case Entry():
                    self.left_out["data of a connection whose beginning is damaged"] += 1
        for talk in talks.values():
            self._close(talk, latest_ns)

    def cells(self) -> Iterator[GatheredCell]:
        """What was gathered, by cell and provenance."""
        yield from self._cells.values()

    def _feed(self, talk: _Talk, entry: Entry) -> None:
        for settled in talk.conversation.feed(entry):
            self._settle(talk, settled, entry.time_ns)

    def _close(self, talk: _Talk, time_ns: int) -> None:
        for settled in talk.conversation.close():
            self._settle(talk, settled, time_ns)

    def _settle(self, talk: _Talk, settled: Settled, time_ns: int) -> None:
        match settled:
            case Exchange():
                self._exchange(talk, settled, time_ns)
            case Lone(api_key=int() as api_key, version=int() as version, reason=LoneReason.NO_ANSWER):
                self.frames += 1
                self._unanswered(talk, settled, self._naming.request(api_key, version), time_ns)
            case Lone():
                self.frames += 1
                self.left_out[f"{_who(settled.direction)} without its partner: {settled.reason}"] += 1
            case Token():
                self.frames += 1
                self.left_out["tokens of SASL without a header"] += 1
            case Lost():
                what = f": {settled.detail}" if settled.detail else ""
                self.left_out[f"bytes to the {_goal(settled.direction)}, {settled.reason}{what}"] += (
                    settled.count
                )
            case _:
                assert_never(settled)

    def _exchange(self, talk: _Talk, exchange: Exchange, time_ns: int) -> None:
        self.frames += 2
        names = self._naming.exchange(exchange)
        self._count.answered(talk.listener, exchange.api_key, exchange.version)
        talk.ours = _client_id(exchange.request.data) == OWN_CLIENT
        if talk.ours:
            talk.client = OWN_CLIENT
        elif not talk.client and _client_id(exchange.request.data) in CLIENT_NAMES:
            talk.client = _client_id(exchange.request.data)
        if isinstance(names.request, Named):
            self._note_client(talk, names.request, exchange.request.data)
        requested = Provenance.BROKER_ACCEPTED if talk.ours else Provenance.CAPTURED
        self._take(talk, names.request, requested, exchange.request.data, time_ns)
        found = self._take(talk, names.response, Provenance.CAPTURED, exchange.response.data, time_ns)
        if found is not None and isinstance(names.response, Named):
            self._count.told(talk.listener, names.response, found)

    def _unanswered(self, talk: _Talk, lone: Lone, named: Named | Unnamed, time_ns: int) -> None:
        """A request that gets no answer is one all the same, such as a Produce that wants none."""
        if _client_id(lone.frame.data) == OWN_CLIENT:
            self.left_out["requests of our own that no broker took"] += 1
        else:
            self._take(talk, named, Provenance.CAPTURED, lone.frame.data, time_ns)

    def _note_client(self, talk: _Talk, named: Named, data: bytes) -> None:
        """What the client calls itself, which it says at the beginning, from version 3 of ApiVersions on."""
        if named.message != _API_VERSIONS or talk.ours:
            return
        try:
            body = self._naming.codec(named).decode(data)[1]
        except CodecError:
            return
        words = body.get("clientSoftwareName", ""), body.get("clientSoftwareVersion", "")
        talk.client = " ".join(filter(None, words)) or talk.client

    def _take(
        self, talk: _Talk, named: Named | Unnamed, provenance: Provenance, data: bytes, time_ns: int
    ) -> Mapping[str, Any] | None:
        """Keep a frame, if it shows what none before it did; its body before redaction, None where nobody
        can read it."""
        if isinstance(named, Unnamed):
            self.left_out[f"frames that the release does not know: {named}"] += 1
            return None
        codec = self._naming.codec(named)
        try:
            header, body = codec.decode(data)
        except CodecError as error:
            self.quarantined[f"{named.message} {named.version}: {error.fault}, {error.path}"] += 1
            return None
        cell = self._cell(named.module, named.layout, codec.header.layout, provenance)
        bits = cell.fingerprint.look(header, body)
        holding = provenance is Provenance.CAPTURED and holds_messages(named.layout, body)
        if bits in cell.seen and not holding and not cell.better(bits, data):
            return body
        found = self._redaction.redact(named, data)
        if isinstance(found, Quarantined):
            self.quarantined[f"{named.message} {named.version}: {found.reason}"] += 1
            return body
        if provenance is Provenance.CAPTURED:
            for inner in found.inner:
                self._keep_inner(talk, inner, time_ns)
        if len(found.data) > self._largest:
            self.left_out[f"frames above {self._largest} bytes"] += 1
            return body
        cell.seen.add(bits)
        head_bytes = len(found.data) - len(codec.body.encode(dict(found.body)))
        self._keep(cell, talk, found.data, head_bytes, found.header, found.body, found.replaced, time_ns)
        return body

    def _keep_inner(self, talk: _Talk, inner: RedactedInner, time_ns: int) -> None:
        """A message inside another, of a broker's log or a real consumer."""
        if len(inner.data) <= self._largest:
            cell = self._cell(inner.module, inner.layout, None, Provenance.CAPTURED)
            self._keep(cell, talk, inner.data, 0, {}, inner.body, inner.replaced, time_ns)

    def _keep(
        self,
        cell: GatheredCell,
        talk: _Talk,
        data: bytes,
        head_bytes: int,
        header: Mapping[str, Any],
        body: Mapping[str, Any],
        replaced: Mapping[str, int],
        time_ns: int,
    ) -> None:
        bits = cell.fingerprint.look(header, body)
        if bits in cell.kept and not cell.better(bits, data):
            return
        cell.seen.add(bits)
        cell.kept[bits] = Candidate(
            cell.layout,
            cell.provenance,
            data,
            head_bytes,
            header,
            body,
            replaced,
            bits,
            talk.listener,
            talk.client,
            time_ns,
        )

    def _cell(
        self, module: str, layout: MessageLayout, header: MessageLayout | None, provenance: Provenance
    ) -> GatheredCell:
        key = module, layout, provenance
        if key not in self._cells:
            made = Fingerprint(header, layout)
            self._cells[key] = GatheredCell(module, layout, header, provenance, made)
        return self._cells[key]


def _client_id(request: bytes) -> str:
    """The client id, which stands at the same place in all headers of requests; ``""`` for null."""
    start = 4 + _KEY_VERSION_ID
    length = int.from_bytes(request[start : start + 2], "big", signed=True)
    return request[start + 2 : start + 2 + max(0, length)].decode("utf-8", "replace")


def _who(direction: Direction) -> str:
    return "requests" if direction is Direction.TO_BROKER else "responses"


def _goal(direction: Direction) -> str:
    return "broker" if direction is Direction.TO_BROKER else "client"
