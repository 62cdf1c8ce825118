"""Words for evidence: values, bytes, replies and fields, short enough for a report."""

from typing import Final, assert_never

from kafkawire.schema.layout import Empty, FieldLayout, MessageLayout
from wireproof.model.adapter import (
    Crashed,
    Decoded,
    DecodedFrame,
    Encoded,
    Equality,
    FedFrame,
    Reencoded,
    Refused,
    Reply,
    Sized,
    Unsupported,
)
from wireproof.model.divergence import without_indices
from wireproof.model.layout_parts import field_in
from wireproof.model.oracle import OracleReply, OracleValue, Refusal

REFUSED_WHILE: Final = "refused while it would"
"""The first words of a refusal of Kafka."""

_WIDTH = 100
"""Most characters for one side of a divergence."""
_CONTEXT_BYTES = 8
"""Bytes shown on each side of the first differing one."""


def value_words(value: object) -> str:
    """A value as Python writes it; the middle of a long text is left out."""
    if isinstance(value, Empty):
        return "empty"
    text = repr(value)
    if len(text) <= _WIDTH:
        return text
    size = f" ({len(value)} long)" if isinstance(value, (str, bytes, list, dict)) else ""
    return f"{text[: _WIDTH // 2]} ... {text[-_WIDTH // 4 :]}{size}"


def around(data: bytes, offset: int) -> str:
    """The bytes about an offset in hex, the byte at it in brackets: ``00 01 [ff] 02``."""
    start = max(0, offset - _CONTEXT_BYTES)
    before = data[start:offset].hex(" ")
    here = f"[{data[offset : offset + 1].hex() or 'end'}]"
    after = data[offset + 1 : offset + 1 + _CONTEXT_BYTES].hex(" ")
    head = "... " if start else ""
    tail = " ..." if len(data) > offset + 1 + _CONTEXT_BYTES else ""
    return head + " ".join(part for part in (before, here, after) if part) + tail


def field_words(field: FieldLayout) -> str:
    """Type, nullability, tag, default and versions: ``string, nullable, versions 2+, default null``."""
    words = [str(field.type)]
    if field.encoding is not None:
        words.append(str(field.encoding))
    if field.nullable:
        words.append("nullable")
    if field.tag is not None:
        words.append(f"tag {field.tag}")
    words.append(f"versions {field.versions}")
    default = "null" if field.default is None else value_words(field.default)
    return ", ".join([*words, f"default {default}"])


def reply_words(reply: Reply) -> str:
    """Return the reply of a codec in words."""
    match reply:
        case Encoded(data) | Reencoded(data):
            return f"{len(data)} bytes: {around(data, 0)}"
        case Equality(equal, hashes):
            words = {None: "", True: ", with the same hash", False: ", with another hash"}[hashes]
            return ("equal" if equal else "not equal") + words
        case Sized(size):
            return f"size {size}"
        case Decoded(value):
            return value_words(value)
        case DecodedFrame(header, value):
            return f"header {value_words(header)}, body {value_words(value)}"
        case FedFrame(value, consumed, parts):
            return f"{value_words(value)} after {parts} parts, of {consumed} bytes"
        case Refused(_, message, read=read) if read is not None:
            return f"stopped early: {message}: {reply_words(read)}"
        case Refused(_, message):
            return f"refused: {message}"
        case Crashed(error, message, stderr):
            said = f"; its standard error: {stderr}" if stderr else ""
            return f"crashed: {error}: {message}{said}"
        case Unsupported(reason, message):
            return f"unsupported ({reason}): {message}"
        case _:
            assert_never(reply)


def refusal_words(refusal: Refusal) -> str:
    """Return the refusal of Kafka in words."""
    return f"{REFUSED_WHILE} {refusal.stage}: {refusal.error}: {refusal.message}"


def oracle_words(reply: OracleReply) -> str:
    """Return the oracle's reply in words: the bytes that it wrote, or its refusal."""
    if isinstance(reply, OracleValue):
        return f"{len(reply.written)} bytes: {around(reply.written, 0)}"
    return refusal_words(reply)


def field_at(layout: MessageLayout, path: str) -> str:
    """Return the text of the field at a path with indices; empty if the layout has none there."""
    found = field_in(layout, without_indices(path).removesuffix("[]"))
    return "" if found is None else field_words(found)
