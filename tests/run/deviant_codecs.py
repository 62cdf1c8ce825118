"""Codecs with deviations that a ledger can explain, for `small_environment`; child processes import them by
name."""

from typing import Any

from kafkawire.compiler import MessageCodec, interpret_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.environments.small_environment import NullAsEmpty


def null_as_empty_at_first(layout: MessageLayout) -> NullAsEmpty | MessageCodec:
    """Null is written as empty up to version 2; later versions are right."""
    return NullAsEmpty(layout) if layout.version <= 2 else interpret_layout(layout)


class NullCrashes(NullAsEmpty):
    """A codec in which null raises an error that it does not declare."""

    def encode(self, value: dict[str, Any]) -> bytes:
        if value.get("name", "") is None:
            raise AttributeError("'NoneType' object has no attribute 'encode'")
        return self._codec.encode(value)


class TailIgnored(NullAsEmpty):
    """A codec that leaves the bytes after the message unread."""

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value)

    def decode(self, data: bytes) -> dict[str, Any]:
        return self._codec.decode_from(data, 0)[0]


def tail_ignored_in_pings(layout: MessageLayout) -> TailIgnored | MessageCodec:
    """Bytes after a `PingRequest` are left unread; other messages are right."""
    return TailIgnored(layout) if layout.name == "PingRequest" else interpret_layout(layout)


class CodeMistaken(NullAsEmpty):
    """A codec that writes one error code and reads it as another: its table of codes has a wrong line."""

    KNOWN, TAKEN_FOR = 36, 35

    def encode(self, value: dict[str, Any]) -> bytes:
        if value.get("errorCode") == self.KNOWN:
            value = {**value, "errorCode": self.TAKEN_FOR}
        return self._codec.encode(value)
