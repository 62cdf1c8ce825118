"""Codecs that change one field's value before they encode it, or after they decode it."""

from collections.abc import Callable
from typing import Any, TypeAlias

from kafkawire.compiler import MessageCodec
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue, Value
from kafkawire.wire import Buffer

__all__ = ["Change", "RewritingCodec", "rewritten", "unchanged"]

Change: TypeAlias = Callable[[Any], Value]


def unchanged(value: Value) -> Value:
    return value


class RewritingCodec:
    """A codec with one field's value changed before it is written, or after it was read."""

    def __init__(self, codec: MessageCodec, path: str, outward: Change, inward: Change) -> None:
        self._codec = codec
        self._steps = [step.removesuffix("[]") for step in path.split(".")]
        self._outward, self._inward = outward, inward

    @property
    def layout(self) -> MessageLayout:
        return self._codec.layout

    @property
    def source(self) -> str:
        return self._codec.source

    def decode(self, data: Buffer) -> StructValue:
        value: StructValue = rewritten(self._codec.decode(data), self._steps, self._inward)
        return value

    def decode_from(self, buffer: Buffer, offset: int) -> tuple[StructValue, int]:
        value, end = self._codec.decode_from(buffer, offset)
        return rewritten(value, self._steps, self._inward), end

    def encode(self, value: StructValue) -> bytes:
        return self._codec.encode(rewritten(value, self._steps, self._outward))

    def size(self, value: StructValue) -> int:
        return self._codec.size(rewritten(value, self._steps, self._outward))


def rewritten(value: Any, steps: list[str], change: Change) -> Any:
    """The value with the field at the end of the steps changed, in every element on the way.

    A field that is absent or of another type stays unchanged.
    """
    if not isinstance(value, dict) or steps[0] not in value:
        return value
    held = value[steps[0]]
    if len(steps) == 1:
        return {**value, steps[0]: change(held)}
    if isinstance(held, list):
        return {**value, steps[0]: [rewritten(item, steps[1:], change) for item in held]}
    return {**value, steps[0]: rewritten(held, steps[1:], change)}
