"""One run of a program: what is to be varied in it, and what came of it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from kafkawire.errors import CodecError
from wireproof.traffic.capture.proxy.paced_relay_end import Piece
from wireproof.traffic.capture.variations.answer import BrokerAnswer, Variation
from wireproof.traffic.capture.varying.variation_choice import VariationChoice

__all__ = ["AnswerSite", "VariedRun"]

_KEPT_BYTES: Final = 1 << 16
"""Frames above this size are not kept for reports."""
_SAMPLES: Final = 30
"""Kept requests of each API and version."""


@dataclass(frozen=True, slots=True)
class AnswerSite:
    """One variation of one answer.

    Attributes:
        index: of the answer, among those of its message that the variation applies to.
        before, after: the frames; of a varied stream `pieces` has the sizes of the pieces.
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

    Attributes:
        sites: the varied answers, in order.
        requests: how many requests came, by api key and version.
        samples: some of these requests, as frames.
        offers: the versions that the broker offers, by api key, from its last answer.
        not_offered: api key and version of requests outside the versions that their connection was offered.
        connections: how many connections were opened.
        foreign: protocols other than Kafka's that the program spoke.
    """

    def __init__(self, selections: Sequence[VariationChoice] = (), seed: int = 0) -> None:
        self.selections = tuple(selections)
        self.seed = seed
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
        """Apply the selections to the way of an answer; return the pieces to send.

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
        small = max(len(before), len(after)) <= _KEPT_BYTES
        kept = (before, after) if small else (b"", b"")
        self.sites.append(AnswerSite(selection.variation, message, answer.version, index, *kept, pieces))
