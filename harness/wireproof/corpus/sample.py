"""A capture -> one that may be shown: the same connections and exchanges, every frame redacted.

What cannot be redacted is left out, an exchange as a whole. Addresses are those that documentation may use
(RFC 5737), so the sample is a capture like any other, but for the slices in which its bytes came.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from wireproof.frames import (
    Conversation,
    Damage,
    Direction,
    Entry,
    EntryKind,
    Exchange,
    FrameRedaction,
    Lone,
    LoneReason,
    Named,
    Naming,
    Redacted,
    SegmentWriter,
    Settled,
    Unnamed,
    read_segment,
)

__all__ = ["Sampling"]

_CLIENT: Final = "192.0.2.1"
_BROKER: Final = "192.0.2.2:9092"
_FIRST_PORT: Final = 10_000
_PORTS: Final = 50_000

_FACTS: Final = ("release", "node", "listener", "mode", "tool", "broker")
"""What a sample says of its capture."""


@dataclass(slots=True)
class _Talk:
    conversation: Conversation
    opened_ns: int
    written: bool = False


class Sampling:
    """Copies segment files.

    Args:
        most_bytes: of each file; what does not fit any more is left out.

    Attributes:
        exchanges: how many were copied.
        left_out: how many were not, by the reason.
    """

    def __init__(self, naming: Naming, redaction: FrameRedaction, most_bytes: int) -> None:
        self.exchanges = 0
        self.left_out: Counter[str] = Counter()
        self._naming = naming
        self._redaction = redaction
        self._most = most_bytes

    def copy(self, source: BinaryIO, target: BinaryIO, marker: bytes) -> None:
        """One file.

        Args:
            marker: of the new file.

        Raises:
            NoSegmentError: the source is no segment file.
            OSError: the target cannot be written.
        """
        writer: SegmentWriter | None = None
        talks: dict[int, _Talk] = {}
        for part in read_segment(source):
            if isinstance(part, Damage):
                self.left_out["damaged parts of a file"] += 1
            elif part.kind is EntryKind.FACTS:
                writer = SegmentWriter(target, marker, _facts(part.facts), part.time_ns)
            elif part.kind is EntryKind.OPEN:
                known = bool(part.facts.get("knownStart", True))
                talks[part.connection] = _Talk(Conversation(known_start=known), part.time_ns)
            elif writer is not None and part.connection in talks:
                self._feed(writer, talks, part)

    def _feed(self, writer: SegmentWriter, talks: dict[int, _Talk], entry: Entry) -> None:
        talk = talks[entry.connection]
        for settled in talk.conversation.feed(entry):
            self._settle(writer, talk, entry, settled)
        if entry.kind is not EntryKind.CLOSE:
            return
        for settled in talk.conversation.close():
            self._settle(writer, talk, entry, settled)
        if talk.written:
            for direction in Direction:
                writer.add(EntryKind.END, entry.time_ns, entry.connection, direction)
            writer.add(EntryKind.CLOSE, entry.time_ns, entry.connection)
        del talks[entry.connection]

    def _settle(self, writer: SegmentWriter, talk: _Talk, entry: Entry, settled: Settled) -> None:
        match settled:
            case Exchange():
                names = self._naming.exchange(settled)
                frames = [
                    (Direction.TO_BROKER, self._redacted(names.request, settled.request.data)),
                    (Direction.TO_CLIENT, self._redacted(names.response, settled.response.data)),
                ]
            case Lone(api_key=int() as api_key, version=int() as version, reason=LoneReason.NO_ANSWER):
                named = self._naming.request(api_key, version)
                frames = [(Direction.TO_BROKER, self._redacted(named, settled.frame.data))]
            case _:
                self.left_out["what is no exchange"] += 1
                return
        whole = [(direction, data) for direction, data in frames if data is not None]
        if len(whole) < len(frames):
            self.left_out["exchanges with a frame that cannot be redacted"] += 1
        elif writer.position + sum(len(data) for _, data in whole) > self._most:
            self.left_out["exchanges for which there is no more room"] += 1
        else:
            self._write(writer, talk, entry, whole)

    def _write(
        self, writer: SegmentWriter, talk: _Talk, entry: Entry, frames: list[tuple[Direction, bytes]]
    ) -> None:
        if not talk.written:
            talk.written = True
            port = _FIRST_PORT + entry.connection % _PORTS
            opened = {"client": f"{_CLIENT}:{port}", "broker": _BROKER, "knownStart": True}
            writer.open(entry.connection, talk.opened_ns, opened)
        for direction, data in frames:
            writer.add(EntryKind.DATA, entry.time_ns, entry.connection, direction, data)
        self.exchanges += 1

    def _redacted(self, named: Named | Unnamed, data: bytes) -> bytes | None:
        if isinstance(named, Unnamed):
            return None
        found = self._redaction.redact(named, data)
        return found.data if isinstance(found, Redacted) else None


def _facts(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: facts[name] for name in _FACTS if name in facts} | {"redacted": True}
