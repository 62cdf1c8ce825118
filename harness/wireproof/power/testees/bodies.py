"""Our own codecs, with which a testee's answers are taken apart and put together again."""

import json
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.primitives import PRIMITIVES, VALUE, codec_of
from kafkawire.schema import MessageLayout
from wireproof.proof.deviations.whole_values import read_whole, write_whole


def is_primitive(layout: MessageLayout) -> bool:
    """True if the message is a single primitive, whose value is bare in questions and answers."""
    return layout.name in PRIMITIVES


def decoded(layout: MessageLayout, data: bytes) -> dict[str, Any] | None:
    """The complete value in some bytes; None where our codec refuses them."""
    try:
        return read_whole(layout, data)
    except CodecError:
        return None


def encoded(layout: MessageLayout, value: dict[str, Any]) -> bytes | None:
    """The bytes of a value; None where our codec refuses it."""
    try:
        return write_whole(layout, value)
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
