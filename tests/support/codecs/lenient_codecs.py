"""Codecs that are right on every valid message and wrong in one way on malformed bytes.

Each wraps the interpreted codec and does one lenient thing where that refuses. Child processes import their
parts by name, so all of them are at the top of this module.
"""

import os
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kafkawire.compiler import interpret_layout
from kafkawire.errors import DecodeError, Fault
from kafkawire.schema.layout import MessageLayout

LenientReading = Callable[["Codec", bytes, DecodeError], Any]
"""The action in place of a refusal: it returns the value, and may do anything else."""


@dataclass
class Codec:
    """The interpreted codec, but for refusals of one fault."""

    layout: MessageLayout
    fault: Fault
    act: LenientReading

    def decode(self, data: bytes) -> dict[str, Any]:
        try:
            return interpret_layout(self.layout).decode(data)
        except DecodeError as error:
            if error.fault is not self.fault:
                raise
            return self.act(self, data, error)

    def decode_from(self, data: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return interpret_layout(self.layout).decode_from(data, offset)

    def again(self, data: bytes) -> dict[str, Any]:
        return interpret_layout(self.layout).decode(data)


def unchecked_length(layout: MessageLayout) -> Codec:
    """Missing bytes are read as zeros."""
    return Codec(layout, Fault.TRUNCATED, lambda codec, data, error: codec.again(data + bytes(3)))


def null_taken(layout: MessageLayout) -> Codec:
    """Null where it is not allowed means the defaults."""
    return Codec(layout, Fault.NULL, lambda codec, data, error: {})


def tail_ignored(layout: MessageLayout) -> Codec:
    """Bytes after the message are left unread."""
    return Codec(layout, Fault.TRAILING, lambda codec, data, error: codec.again(data[: error.offset]))


def text_replaced(layout: MessageLayout) -> Codec:
    """Bytes that are not UTF-8 become question marks."""

    def replace(codec: Codec, data: bytes, error: DecodeError) -> Any:
        return codec.again(bytes(0x3F if byte >= 0x80 else byte for byte in data))

    return Codec(layout, Fault.UTF8, replace)


def tags_forgotten(layout: MessageLayout) -> Codec:
    """Tags out of order make it give up, with what the defaults are."""
    return Codec(layout, Fault.TAG_ORDER, lambda codec, data, error: {})


def marker_guessed(layout: MessageLayout) -> Codec:
    """A strange marker means an empty message."""
    return Codec(layout, Fault.MARKER, lambda codec, data, error: {})


def allocating(layout: MessageLayout) -> Codec:
    """A count on the wire is believed before it is checked."""

    def allocate(codec: Codec, data: bytes, error: DecodeError) -> Any:
        if "elements" in error.detail:
            bytearray(int(error.detail.split()[0]))
        raise error

    return Codec(layout, Fault.TRUNCATED, allocate)


def aborting(layout: MessageLayout) -> Codec:
    """A tagged field of a wrong size ends the process."""
    return Codec(layout, Fault.TAG_SIZE, lambda codec, data, error: os.abort())


def spinning(layout: MessageLayout) -> Codec:
    """A length below -1 is waited for."""

    def spin(codec: Codec, data: bytes, error: DecodeError) -> Any:
        while True:
            pass

    return Codec(layout, Fault.LENGTH, spin)


class ThreeBugs:
    """Hangs at a negative length, aborts at text that is not UTF-8, and takes null for the defaults."""

    def __init__(self, layout: MessageLayout) -> None:
        self.layout = layout
        self.source = ""
        self._codec = interpret_layout(layout)

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value)

    def size(self, value: dict[str, Any]) -> int:
        return self._codec.size(value)

    def decode_from(self, data: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return self._codec.decode_from(data, offset)

    def decode(self, data: bytes) -> dict[str, Any]:
        try:
            return self._codec.decode(data)
        except DecodeError as error:
            match error.fault:
                case Fault.LENGTH:
                    while True:
                        pass
                case Fault.UTF8:
                    os.abort()
                case Fault.NULL:
                    return {}
                case _:
                    raise


def slow(layout: MessageLayout) -> Codec:
    """A length below -1 costs a tenth of a second."""

    def work(codec: Codec, data: bytes, error: DecodeError) -> Any:
        stop = time.thread_time() + 0.1
        while time.thread_time() < stop:
            pass
        raise error

    return Codec(layout, Fault.LENGTH, work)


def raising(layout: MessageLayout) -> Codec:
    """Truncated bytes raise the exceptions of its primitives."""

    def fail(codec: Codec, data: bytes, error: DecodeError) -> Any:
        raise struct.error("unpack requires a buffer")

    return Codec(layout, Fault.TRUNCATED, fail)


class TooStrict:
    """Refuses null in the array of topics, where it may stand, and says that it were trailing bytes."""

    def __init__(self, layout: MessageLayout) -> None:
        self.layout = layout

    def decode(self, data: bytes) -> dict[str, Any]:
        value = interpret_layout(self.layout).decode(data)
        if value.get("topics", ()) is None:
            raise DecodeError(Fault.TRAILING, "topics", "no topics", 0)
        return value

    def decode_from(self, data: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return interpret_layout(self.layout).decode_from(data, offset)


class _Remembering:
    """Right in a process that has refused nothing. What it keeps outlives the codec, as state often does."""

    kept = 0

    def __init__(self, layout: MessageLayout) -> None:
        self.layout = layout
        self._codec = interpret_layout(layout)

    def decode(self, data: bytes) -> dict[str, Any]:
        kept, _Remembering.kept = _Remembering.kept, self._left(_Remembering.kept)
        try:
            return self._codec.decode(data)
        except DecodeError as error:
            if self._wrong(kept):
                return {}
            self._keep(error)
            raise

    def decode_from(self, data: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return self._codec.decode_from(data, offset)

    def _left(self, kept: int) -> int:
        return kept

    def _wrong(self, kept: int) -> bool:
        return kept > 0

    def _keep(self, error: DecodeError) -> None:
        raise NotImplementedError


class AfterText(_Remembering):
    """Directly after text that is not UTF-8 it takes bytes that it must refuse for the defaults."""

    def _left(self, kept: int) -> int:
        return 0

    def _keep(self, error: DecodeError) -> None:
        _Remembering.kept = int(error.fault is Fault.UTF8)


class AfterTags(_Remembering):
    """Once it has refused tags out of order, it accepts the third input after them, and each later one."""

    def _left(self, kept: int) -> int:
        return kept + 1 if kept else 0

    def _wrong(self, kept: int) -> bool:
        return kept > 2

    def _keep(self, error: DecodeError) -> None:
        if error.fault is Fault.TAG_ORDER and not _Remembering.kept:
            _Remembering.kept = 1


class AfterTextAndNull(AfterText):
    """That, and it always takes null for the defaults."""

    def decode(self, data: bytes) -> dict[str, Any]:
        try:
            return super().decode(data)
        except DecodeError as error:
            if error.fault is not Fault.NULL:
                raise
            return {}
