"""Our own codecs, with which a testee's answers are taken apart and put together again."""

import json
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.primitives import PRIMITIVES, VALUE, codec_of
from kafkawire.records import decode_records, encode_records, from_value, record_set_spec, to_value
from kafkawire.schema import MessageLayout

_RECORD_SET = record_set_spec().name


def is_record_set(layout: MessageLayout) -> bool:
    """True if the message is a record set, whose bytes no layout describes."""
    return layout.name == _RECORD_SET


def is_primitive(layout: MessageLayout) -> bool:
    """True if the message is a single primitive, whose value is bare in questions and answers."""
    return layout.name in PRIMITIVES


def decoded(layout: MessageLayout, data: bytes) -> dict[str, Any] | None:
    """The complete value in some bytes; None where our codec refuses them."""
    try:
        if is_record_set(layout):
            return to_value(decode_records(data))
        return codec_of(layout).decode(data)
    except CodecError:
        return None


def encoded(layout: MessageLayout, value: dict[str, Any]) -> bytes | None:
    """The bytes of a value; None where our codec refuses it."""
    try:
        return encode_records(from_value(value)) if is_record_set(layout) else codec_of(layout).encode(value)
    except CodecError:
        return None


def decoded_frame(
    header: MessageLayout, layout: MessageLayout, data: bytes
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The header and the body of a frame; None where our codec refuses it."""
    try:
        return FrameCodec(codec_of(header), codec_of(layout)).decode(data)
    except CodecError:
        return None


def encoded_frame(
    header: MessageLayout, layout: MessageLayout, head: dict[str, Any], body: dict[str, Any]
) -> bytes | None:
    """The bytes of a frame; None where our codec refuses to write it."""
    try:
        return FrameCodec(codec_of(header), codec_of(layout)).encode(head, body)
    except CodecError:
        return None


def value_of(layout: MessageLayout, tree: Any) -> dict[str, Any] | None:
    """The complete value that a testee's JSON holds; None where it holds none."""
    try:
        return canonical(layout).from_tree({VALUE: tree} if is_primitive(layout) else tree)
    except CodecError:
        return None


def tree_of(layout: MessageLayout, value: dict[str, Any]) -> Any:
    """A value as the JSON that a testee would answer; None where it has none."""
    try:
        tree = json.loads(canonical(layout).to_json(value))
    except CodecError:
        return None
    return tree[VALUE] if is_primitive(layout) else tree
