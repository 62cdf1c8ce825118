"""The catalogue of all variations, its rows by name, and the variations of the stream."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from wireproof.traffic.capture.proxy.relay import Piece
from wireproof.traffic.capture.variations.answer import Family, Variation
from wireproof.traffic.capture.variations.error_variations import ERROR_VARIATIONS
from wireproof.traffic.capture.variations.record_variations import RECORD_VARIATIONS
from wireproof.traffic.capture.variations.tag_variations import TAG_VARIATIONS
from wireproof.traffic.capture.variations.value_variations import VALUE_VARIATIONS
from wireproof.traffic.capture.variations.version_variations import VERSION_VARIATIONS

_TCP: Final = "RFC 9293: TCP is a stream of bytes; protocol guide: a frame begins with its size"
_PAUSE_S: Final = 0.002
_SLOW_S: Final = 0.05
_JOIN_S: Final = 0.01
_SINGLE_BYTES: Final = 24
_ONE_IN: Final = 6
"""A connection closes after one in this many answers."""


def _cut(frame: bytes, places: Sequence[int], wait_s: float) -> Iterator[Piece]:
    ends = sorted({place for place in places if 0 < place < len(frame)})
    for number, (begin, end) in enumerate(zip([0, *ends], [*ends, len(frame)], strict=True)):
        yield Piece(wait_s if number else 0.0, frame[begin:end])


def _split(frame: bytes, random: Random, idle: bool) -> list[Piece]:
    places = [random.randrange(1, len(frame)) for _ in range(3)]
    return list(_cut(frame, places, _PAUSE_S))


def _in_size(frame: bytes, random: Random, idle: bool) -> list[Piece]:
    return list(_cut(frame, [1 + random.randrange(3), 4, 6], _PAUSE_S))


def _single(frame: bytes, random: Random, idle: bool) -> list[Piece]:
    places = [*range(1, _SINGLE_BYTES), len(frame) - 1]
    return list(_cut(frame, places, _PAUSE_S / 2))


def _last_byte(frame: bytes, random: Random, idle: bool) -> list[Piece]:
    return list(_cut(frame, [len(frame) - 1], _PAUSE_S))


def _joined(frame: bytes, random: Random, idle: bool) -> list[Piece]:
    return [Piece(_JOIN_S, frame, joined=True)]


def _with_next(frame: bytes, random: Random, idle: bool) -> list[Piece]:
    place = random.randrange(1, len(frame))
    return [Piece(0.0, frame[:place]), Piece(_JOIN_S, frame[place:], joined=True)]


def _slow(frame: bytes, random: Random, idle: bool) -> list[Piece]:
    return [Piece(_SLOW_S, frame)]


def _closed(frame: bytes, random: Random, idle: bool) -> list[Piece] | None:
    if not idle or random.randrange(_ONE_IN):
        return None
    return [Piece(0.0, frame), Piece(0.0, b"", closed=True)]


STREAM_VARIATIONS: Final = tuple(
    Variation(name, Family.STREAM, sentence, source, pace=pace, slot="stream")
    for name, sentence, source, pace in (
        ("stream-split", "Each answer comes in four pieces, cut at any byte.", _TCP, _split),
        ("stream-size-split", "The size of each answer comes in two pieces.", _TCP, _in_size),
        ("stream-bytes", "The first 24 bytes of each answer, and its last one, come alone.", _TCP, _single),
        ("stream-last-byte", "The last byte of each answer comes alone.", _TCP, _last_byte),
        ("stream-joined", "Answers that are near each other come in one segment.", _TCP, _joined),
        ("stream-overlap", "A segment has the end of an answer and the begin of the next.", _TCP, _with_next),
        ("stream-slow", "Each answer comes 50 ms later.", "KIP-219: a broker may delay answers", _slow),
        (
            "stream-close",
            "The broker closes the connection after one answer in six, if no request waits.",
            "Kafka: connections.max.idle.ms, a restart of a broker",
            _closed,
        ),
    )
)


CATALOGUE: Final[tuple[Variation, ...]] = (
    *TAG_VARIATIONS,
    *VALUE_VARIATIONS,
    *RECORD_VARIATIONS,
    *STREAM_VARIATIONS,
    *VERSION_VARIATIONS,
    *ERROR_VARIATIONS,
)
"""All variations except the offers of one version, which depend on the client and on the broker."""


def find_variation(name: str) -> Variation | None:
    """Return the variation with this id; None if there is none."""
    return next((each for each in CATALOGUE if each.id == name), None)
