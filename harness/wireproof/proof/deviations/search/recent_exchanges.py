"""The last exchanges of a cell, found again by the request's value or bytes."""

from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator
from operator import eq
from typing import Any, Final

from wireproof.model.adapter import (
    Copy,
    Crashed,
    Decode,
    Decoded,
    DecodedFrame,
    DecodeFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Equal,
    FeedFrame,
    Reencode,
    Refused,
    Reply,
    Request,
    Size,
)
from wireproof.proof.deviations.field_values import same
from wireproof.proof.deviations.prediction import CodecExchange

_MOST: Final = 4_096
"""Most exchanges that are kept to find those of a failed case."""
_MOST_BYTES: Final = 4 << 20
"""Most encoded bytes of these exchanges; their values take up to thirty times the memory."""
LONGEST: Final = 256 << 10
"""Most encoded bytes of an exchange that is kept: a longer one would take the place of many short ones."""
_NOTHING: Final = object()


class RecentExchanges:
    """The exchanges of a cell, without the oldest beyond the bounds."""

    def __init__(self) -> None:
        self._all: deque[CodecExchange] = deque()
        self._bytes = 0
        self._by_data: dict[bytes, list[CodecExchange]] = {}
        self._by_value: dict[int, list[CodecExchange]] = {}
        self._last: dict[type[Request], Reply] = {}
        self._before: dict[int, Reply] = {}

    def __iter__(self) -> Iterator[CodecExchange]:
        return iter(self._all)

    def keep(self, exchange: CodecExchange) -> None:
        """Keep an exchange unless it is too long, and forget the oldest beyond the bounds."""
        if encoded_bytes(exchange) > LONGEST:
            self.hear(exchange)
            return
        self._all.append(exchange)
        kind = type(exchange.request)
        if kind in self._last:
            self._before[id(exchange)] = self._last[kind]
        self.hear(exchange)
        self._bytes += encoded_bytes(exchange)
        for data in _all_data(exchange):
            self._by_data.setdefault(data, []).append(exchange)
        if data_of(exchange) is None:
            self._by_value.setdefault(id(value_of(exchange)), []).append(exchange)
        while len(self._all) > _MOST or (self._bytes > _MOST_BYTES and len(self._all) > 1):
            self._forget(self._all.popleft())

    def hear(self, exchange: CodecExchange) -> None:
        """Note the answer as the latest to its kind of question; the exchange is not kept."""
        if not isinstance(exchange.reply, Refused | Crashed):
            self._last[type(exchange.request)] = exchange.reply

    def before(self, exchange: CodecExchange) -> Reply | None:
        """Return the answer to the question of the same kind before a kept exchange."""
        return self._before.get(id(exchange))

    def about_value(self, value: Any) -> list[CodecExchange]:
        """Return the exchanges about this value object; if there are none, those about an equal value."""
        if value is None:
            return []
        if held := self._by_value.get(id(value)):
            return list(held)
        equal = same if "nan" in repr(value) else eq
        return [each for each in self._all if equal(value_of(each), value)]

    def about_data(self, bodies: Collection[bytes]) -> list[CodecExchange]:
        """Return the exchanges in which the codec was asked to read one of the bodies."""
        return [each for body in sorted(bodies) for each in self._by_data.get(body, ())]

    def written_again(self, exchanges: Iterable[CodecExchange]) -> list[CodecExchange]:
        """Return the exchanges in which the codec was asked to write a value that it read in others."""
        read = (each.reply.value for each in exchanges if isinstance(each.reply, Decoded | DecodedFrame))
        return [each for value in read for each in self._by_value.get(id(value), ())]

    def _forget(self, exchange: CodecExchange) -> None:
        self._bytes -= encoded_bytes(exchange)
        self._before.pop(id(exchange), None)
        for data in _all_data(exchange):
            _drop_first(self._by_data, data)
        if data_of(exchange) is None:
            _drop_first(self._by_value, id(value_of(exchange)))


def _drop_first(index: dict[Any, list[CodecExchange]], key: Any) -> None:
    index[key].pop(0)
    if not index[key]:
        del index[key]


def _all_data(exchange: CodecExchange) -> set[bytes]:
    """Return all bytes that the codec was asked to read; for a comparison, those of both objects."""
    request, data = exchange.request, data_of(exchange)
    read = {data} if data is not None else set()
    return read | {request.other} if isinstance(request, Equal) else read


def encoded_bytes(exchange: CodecExchange) -> int:
    """Return the number of bytes that the codec was asked to read, or has written."""
    data = data_of(exchange)
    if data is not None:
        return len(data)
    return len(exchange.reply.data) if isinstance(exchange.reply, Encoded) else 0


def data_of(exchange: CodecExchange) -> bytes | None:
    """Return the bytes that the codec was asked to read (the first frame of a stream); None if it was asked
    to write a value."""
    request = exchange.request
    if isinstance(request, FeedFrame):
        return request.first_frame
    return request.data if isinstance(request, Decode | Reencode | Copy | Equal | DecodeFrame) else None


def value_of(exchange: CodecExchange) -> Any:
    """Return the value that the codec was asked to write; a unique object if it was asked to read bytes."""
    request = exchange.request
    return request.value if isinstance(request, Encode | Size | EncodeFrame) else _NOTHING


def is_in_sample(counts: Counter[tuple[type, bool]], kind: tuple[type, bool], most: int) -> bool:
    """Count an answer, and test if it is in the sample.

    One right value contradicts a deviation, so values are sampled until the end. Refusals contradict it only
    by their number.
    """
    counts[kind] += 1
    refused = kind[1]
    return counts[kind] <= most or (not refused and counts[kind] % (1 + counts[kind] // most) == 0)
