"""One run of a program: its selected variations, the filter that applies them, and the varied answers."""

import re
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from kafkawire.errors import CodecError
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.proxy.relay import ByteFilter, Piece
from wireproof.traffic.capture.variations.answer import API_VERSIONS, BrokerAnswer, Family, Variation
from wireproof.traffic.capture.variations.variation_table import find_variation
from wireproof.traffic.capture.variations.version_variations import pinned_version
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.request_matcher import Exchange, Frame, FrameSplitter, RequestResponseMatcher
from wireproof.traffic.wire.segment_format import StreamDirection

_TEXT: Final = re.compile(
    r"(?P<id>[a-z0-9-]+)(:(?P<api>\w+):(?P<version>\d+))?(@(?P<message>\w+)(#(?P<first>\d+)(-(?P<last>\d+))?)?)?"
)
_WAYS: Final = (
    "Write ID, ID@MESSAGE, ID@MESSAGE#3 or ID@MESSAGE#3-7; `wireproof judge --vary --list` has the ids."
)


@dataclass(frozen=True, slots=True)
class VariationChoice:
    """A variation, and the answers that it is made on.

    Attributes:
        message: the name of the responses, such as ``FetchResponse``; ``""`` for all.
        first, last: the first and last index of the varied answers, by message, from 0; None for no end.
    """

    variation: Variation
    message: str = ""
    first: int = 0
    last: int | None = None

    def __str__(self) -> str:
        text = self.variation.id
        if self.message:
            text += f"@{self.message}"
        if self.message and (self.first or self.last is not None):
            text += f"#{self.first}"
            if self.last != self.first:
                text += f"-{(1 << 31) - 1 if self.last is None else self.last}"
        return text

    def has(self, index: int) -> bool:
        """Return True if the answer with this index is to be varied."""
        return self.first <= index and (self.last is None or index <= self.last)

    def on(self, message: str, first: int = 0, last: int | None = None) -> "VariationChoice":
        """Return the same variation on other answers."""
        return replace(self, message=message, first=first, last=last)


def choice_of(variation: Variation) -> VariationChoice:
    """Return the variation on all answers; an error only on the first of each message: a retry succeeds."""
    return VariationChoice(variation, last=0 if variation.family is Family.ERRORS else None)


def is_offer(selection: VariationChoice) -> bool:
    """Return True if the selection offers one version alone."""
    return selection.variation.id.startswith("version:")


def parse_selection(text: str, key_of: Callable[[str], int | None]) -> VariationChoice:
    """Parse the text of a selection.

    Args:
        key_of: the key of a request by its name; None if the release has no such request.

    Raises:
        CaptureError: the catalogue has no such variation.
    """
    found = _TEXT.fullmatch(text)
    variation = None
    if found is not None and found["api"] and found["id"] == "version":
        key = key_of(found["api"])
        variation = None if key is None else pinned_version(found["api"], key, int(found["version"]))
    elif found is not None and not found["api"]:
        variation = find_variation(found["id"])
    if found is None or variation is None:
        raise CaptureError(f"{text!r} is not a variation", _WAYS)
    if not found["first"]:
        return replace(choice_of(variation), message=found["message"] or "")
    first = int(found["first"])
    last = int(found["last"] or first)
    if last < first:
        raise CaptureError(f"{text!r} has no answer: {last} comes before {first}", _WAYS)
    return VariationChoice(variation, found["message"], first, last)


_KEPT_BYTES: Final = 1 << 16
"""Frames above this size are not kept for reports."""
_SAMPLES: Final = 30
"""Kept requests of each API and version."""


@dataclass(frozen=True, slots=True)
class AnswerSite:
    """One variation of one answer.

    Attributes:
        index: the index of the answer among the answers of its message that the variation applies to.
        before, after: the frames; if the stream was varied, `pieces` has the sizes of the sent pieces.
    """

    variation: Variation
    message: str
    version: int
    index: int
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)
    pieces: tuple[int, ...] = ()


class VariedRun:
    """The selections of a run, and the log of its connections. The proxy's thread alone changes it.

    Args:
        seed: the same seed and the same answers give the same bytes.
        keeps: false to keep no bytes of answers.

    Attributes:
        sites: the varied answers, in order.
        requests: the number of requests by api key and version.
        samples: some of these requests, as frames.
        offers: the versions that the broker offers, by api key, from its last answer.
        not_offered: api key and version of requests outside the versions that their connection was offered.
        connections: the number of opened connections.
        foreign: protocols other than Kafka's that the program spoke.
    """

    def __init__(
        self, selections: Sequence[VariationChoice] = (), seed: int = 0, *, keeps: bool = True
    ) -> None:
        self.selections = tuple(selections)
        self.seed = seed
        self._kept_bytes = _KEPT_BYTES if keeps else 0
        self.sites: list[AnswerSite] = []
        self.requests: Counter[tuple[int, int]] = Counter()
        self.samples: dict[tuple[int, int], list[bytes]] = {}
        self.offers: dict[int, tuple[int, int]] = {}
        self.not_offered: set[tuple[int, int]] = set()
        self.connections = 0
        self.foreign: set[str] = set()
        self._met: Counter[tuple[str, str]] = Counter()

    def note_request(self, api_key: int, version: int, frame: bytes) -> None:
        """Count a request; keep it if there are few like it."""
        self.requests[api_key, version] += 1
        kept = self.samples.setdefault((api_key, version), [])
        if len(kept) < _SAMPLES and len(frame) <= _KEPT_BYTES:
            kept.append(frame)

    def varied(self, answer: BrokerAnswer, frame: bytes) -> tuple[BrokerAnswer, bytes]:
        """Apply the selections to the values of an answer; return it with its frame.

        Args:
            frame: the answer as the broker sent it.
        """
        for selection in self.selections:
            change = selection.variation.change
            if change is not None and self._concerns(selection, answer):
                answer, frame = self._changed(selection, answer, frame)
        return answer, frame

    def paced(self, answer: BrokerAnswer, frame: bytes, *, idle: bool) -> Sequence[Piece]:
        """Apply the selections to the transmission of an answer; return the pieces to send.

        Args:
            idle: true if no other request of the connection waits for an answer.
        """
        pieces: Sequence[Piece] = (Piece(0.0, frame),)
        for selection in self.selections:
            pace = selection.variation.pace
            if pace is None or not self._concerns(selection, answer):
                continue
            cut = pace(frame, self._random(selection, answer), idle)
            if cut is not None and self._is_wanted(selection, answer):
                pieces = cut
                self._note(selection, answer, frame, frame, tuple(len(each.data) for each in cut))
        return pieces

    def _changed(
        self, selection: VariationChoice, answer: BrokerAnswer, frame: bytes
    ) -> tuple[BrokerAnswer, bytes]:
        change = selection.variation.change
        assert change is not None
        changed = change(answer, self._random(selection, answer))
        if changed is None:
            return answer, frame
        try:
            data = changed.encode()
        except CodecError as error:
            raise AssertionError(f"{selection}: {error}") from error
        if data == frame or not self._is_wanted(selection, answer):
            return answer, frame
        self._note(selection, answer, frame, data)
        return changed, data

    def _concerns(self, selection: VariationChoice, answer: BrokerAnswer) -> bool:
        return selection.message in ("", answer.layout.name)

    def _random(self, selection: VariationChoice, answer: BrokerAnswer) -> Random:
        met = self._met[selection.variation.id, answer.layout.name]
        return Random(f"{self.seed}/{selection.variation.id}/{answer.layout.name}/{met}")

    def _is_wanted(self, selection: VariationChoice, answer: BrokerAnswer) -> bool:
        """Count an answer to which the variation applies; return True if its index is selected."""
        key = selection.variation.id, answer.layout.name
        self._met[key] += 1
        return selection.has(self._met[key] - 1)

    def _note(
        self,
        selection: VariationChoice,
        answer: BrokerAnswer,
        before: bytes,
        after: bytes,
        pieces: tuple[int, ...] = (),
    ) -> None:
        message = answer.layout.name
        index = self._met[selection.variation.id, message] - 1
        small = max(len(before), len(after)) <= self._kept_bytes
        kept = (before, after) if small else (b"", b"")
        self.sites.append(AnswerSite(selection.variation, message, answer.version, index, *kept, pieces))


_REQUEST: Final = struct.Struct(">hhi")
_ANSWER_LIMIT: Final = 1 << 30


@dataclass(slots=True)
class VaryingFilter:
    """Varies the answers of one connection; see `ByteFilter`. Frames that cannot be decoded pass unchanged.

    Args:
        run: the current run.
        send: sends pieces to the client.
        inner: a filter for the broker's bytes before they are varied; None for none.
    """

    naming: FrameIdentifier
    run: VariedRun
    send: Callable[[Sequence[Piece]], None]
    inner: ByteFilter | None = None
    _pairing: RequestResponseMatcher = field(default_factory=RequestResponseMatcher)
    _requests: FrameSplitter = field(default_factory=FrameSplitter)
    _answers: FrameSplitter = field(default_factory=lambda: FrameSplitter(_ANSWER_LIMIT))
    _offers: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The versions that the client was offered here, by api key."""
    _raw: bool = False
    """True once the broker's bytes are no frames: they pass unchanged."""

    def __post_init__(self) -> None:
        self.run.connections += 1

    def passed(self, direction: StreamDirection, data: bytes) -> bytes:
        """Return the bytes for the broker; send those for the client."""
        if self.inner is not None:
            data = self.inner.passed(direction, data)
        if direction is StreamDirection.TO_BROKER:
            return self._to_broker(data)
        if self._raw:
            self.send([Piece(0.0, data)])
            return b""
        for frame in self._answers.feed(data):
            self._answer(frame)
        if self._answers.foreign is not None:
            self._raw = True
            self.send([Piece(0.0, self._answers.unfinished)])
        return b""

    def rest(self, direction: StreamDirection) -> bytes:
        """Return the received bytes of an answer that ends too early."""
        rest = b"" if self.inner is None else self.inner.rest(direction)
        if direction is StreamDirection.TO_CLIENT and not self._raw:
            return self._answers.unfinished + rest
        return rest

    def _to_broker(self, data: bytes) -> bytes:
        for frame in self._requests.feed(data):
            self._pairing.feed(StreamDirection.TO_BROKER, frame)
            if len(frame.content) >= _REQUEST.size:
                key, version, _ = _REQUEST.unpack_from(frame.content)
                self.run.note_request(key, version, frame.data)
                oldest, newest = self._offers.get(key, (version, version))
                if not oldest <= version <= newest and key != API_VERSIONS:  # KIP-511: any version of that
                    self.run.not_offered.add((key, version))
        if self._requests.foreign is not None:
            self.run.foreign.add(self._requests.foreign.protocol or "something else")
        return data

    def _answer(self, frame: Frame) -> None:
        for event in self._pairing.feed(StreamDirection.TO_CLIENT, frame):
            if isinstance(event, Exchange):
                self.send(self._varied(event))
                return
        self.send([Piece(0.0, frame.data)])

    def _varied(self, exchange: Exchange) -> Sequence[Piece]:
        frame = exchange.response.data
        is_offer = exchange.api_key == API_VERSIONS
        answer = self._decoded(exchange) if self.run.selections or is_offer else None
        if answer is None:
            return [Piece(0.0, frame)]
        if is_offer:
            self.run.offers.update(_offered(answer))
        answer, frame = self.run.varied(answer, frame)
        if is_offer:
            self._offers = _offered(answer)
        return self.run.paced(answer, frame, idle=self._pairing.waiting == 0)

    def _decoded(self, exchange: Exchange) -> BrokerAnswer | None:
        names = self.naming.exchange(exchange)
        if not isinstance(names.response, FrameType) or not isinstance(names.request, FrameType):
            return None
        codec = self.naming.codec(names.response)
        try:
            header, body = codec.decode(exchange.response.data)
            if codec.encode(header, body) != exchange.response.data:
                return None  # what is not understood stays as it is
            request = self.naming.codec(names.request).decode(exchange.request.data)[1]
        except CodecError:
            return None
        return BrokerAnswer(
            self.naming, exchange.api_key, exchange.version, names.response.layout, header, body, request
        )


def _offered(answer: BrokerAnswer) -> dict[int, tuple[int, int]]:
    """Return the versions of an answer to ApiVersions, by api key; none if it has an error."""
    rows = () if answer.body["errorCode"] else answer.body["apiKeys"]
    return {row["apiKey"]: (row["minVersion"], row["maxVersion"]) for row in rows}
