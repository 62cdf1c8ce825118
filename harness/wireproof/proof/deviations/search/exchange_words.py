"""Requests and replies in a few words, for reports."""

import math
import struct
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import (
    NO_VALUE,
    READ_PAST_END,
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
    Equality,
    FedFrame,
    FeedFrame,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Size,
    Sized,
)
from wireproof.proof.deviations.prediction import CodecExchange

_WIDTH: Final = 160
_BEFORE: Final = 60
"""Most characters of a reply to show, and most of them before the first difference."""


REFUSES: Final = "refuses: "
"""The beginning of the words about a refusal."""
NO_BYTES: Final = "(no bytes)"


def request_words(exchange: CodecExchange) -> str:
    """Format a request: ``decode 0000ffff``."""
    match exchange.request:
        case Decode(data) | Reencode(data) | Copy(data) | DecodeFrame(data):
            return f"{type(exchange.request).__name__.lower()} {_cut(data.hex()) or NO_BYTES}"
        case FeedFrame(parts):
            return f"feed {_cut(b''.join(parts).hex())} in {len(parts)} parts"
        case Equal(data, other):
            return f"equal {_cut(data.hex())} {'itself' if data == other else _cut(other.hex())}"
        case Encode(value) | Size(value) | EncodeFrame(value=value):
            return f"{type(exchange.request).__name__.lower()} {_cut(_json(exchange.layout, value))}"


def reply_words(layout: MessageLayout, reply: Reply) -> str:
    """Format a reply: bytes in hexadecimal, a value as JSON, or the codec's action in words."""
    match reply:
        case Encoded(data) | Reencoded(data):
            return data.hex() or NO_BYTES
        case Decoded(value) | DecodedFrame(value=value) | FedFrame(value=value):
            return _json(layout, value)
        case Equality(equal, hashes):
            return f"{'equal' if equal else 'not equal'}{', with another hash' if hashes is False else ''}"
        case Refused(error, message, read=None):
            return f"{REFUSES}{error or message}"
        case Refused(message=message):
            return f"stops early: {message}"
        case Sized(size):
            return str(size)
        case Crashed("process", message):
            return f"its process {message}"
        case Crashed(error, message) if error in (NO_VALUE, READ_PAST_END) and message:
            return message
    return str(getattr(reply, "error", reply))


def differing_words(codec: str, kafka: str) -> tuple[str, str]:
    """Cut two long texts to the part around their first difference."""
    pairs = enumerate(zip(codec, kafka, strict=False))
    same = next((index for index, (one, other) in pairs if one != other), min(len(codec), len(kafka)))
    start = 0 if same < _BEFORE or max(len(codec), len(kafka)) <= _WIDTH else same - _BEFORE
    before = "..." if start else ""
    return _cut(f"{before}{codec[start:]}"), _cut(f"{before}{kafka[start:]}")


def exact_text(thing: Any) -> str:
    """Return the `repr` of a request, a reply or a tuple of these, with the bits of each NaN."""
    text = repr(thing)
    return f"{text} {' '.join(_nan_bits(thing))}" if "nan" in text else text


def _nan_bits(thing: Any) -> Iterator[str]:
    if isinstance(thing, float) and math.isnan(thing):
        yield struct.pack(">d", thing).hex()
    elif is_dataclass(thing):
        yield from _nan_bits([getattr(thing, each.name) for each in fields(thing)])
    elif isinstance(thing, dict | list | tuple):
        for each in thing.values() if isinstance(thing, dict) else thing:
            yield from _nan_bits(each)


def _json(layout: MessageLayout, value: Any) -> str:
    try:
        return canonical(layout).to_json(value)
    except CodecError:
        return repr(value)


def _cut(text: str, most: int = _WIDTH) -> str:
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"
