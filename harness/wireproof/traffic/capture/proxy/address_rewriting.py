"""Replacement of addresses in responses, for clusters that cannot advertise the proxy.

A struct with a host and a port is an address in every response: brokers of Metadata, coordinators, the
leaders that Produce and Fetch name, nodes of a quorum. Requests pass unchanged.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from kafkawire.errors import CodecError
from kafkawire.schema import MessageLayout, StructLayout
from wireproof.traffic.capture.proxy.proxy_port import UNKNOWN_NODE
from wireproof.traffic.capture.raw_client.raw_client import Address
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType
from wireproof.traffic.wire.request_matcher import Exchange, Frame, FrameSplitter, RequestResponseMatcher
from wireproof.traffic.wire.segment_format import StreamDirection

Redirect: TypeAlias = Callable[[int, str, Address], Address]
"""Maps node, name of the listener or ``""``, and its address to the address for clients."""

_NODE_FIELDS: Final = ("nodeId", "brokerId")


@dataclass(slots=True)
class AddressRewriting:
    """The filter of one connection: it matches requests, assembles responses and changes their addresses.

    Bytes that are not frames pass unchanged; so do responses that are unknown or cannot be decoded.
    """

    naming: FrameIdentifier
    redirect: Redirect
    _pairing: RequestResponseMatcher = field(default_factory=RequestResponseMatcher)
    _requests: FrameSplitter = field(default_factory=FrameSplitter)
    _responses: FrameSplitter = field(default_factory=FrameSplitter)
    _raw: bool = False

    def passed(self, direction: StreamDirection, data: bytes) -> bytes:
        """Return the bytes to send on for received bytes."""
        if direction is StreamDirection.TO_BROKER:
            for frame in self._requests.feed(data):
                for _ in self._pairing.feed(direction, frame):
                    pass  # SASL tokens
            return data
        if self._raw:
            return data
        frames = self._responses.feed(data)
        changed = b"".join(map(self._response, frames))
        if self._responses.foreign is not None:
            self._raw = True
            changed += self._responses.unfinished
        return changed

    def rest(self, direction: StreamDirection) -> bytes:
        """Return the held-back part of a response that will not be completed."""
        held = direction is StreamDirection.TO_CLIENT and not self._raw
        return self._responses.unfinished if held else b""

    def _response(self, frame: Frame) -> bytes:
        for event in self._pairing.feed(StreamDirection.TO_CLIENT, frame):
            if isinstance(event, Exchange):
                return self._rewritten(event)
        return frame.data

    def _rewritten(self, exchange: Exchange) -> bytes:
        data = exchange.response.data
        named = self.naming.exchange(exchange).response
        if not isinstance(named, FrameType) or not _has_address(named.layout):
            return data
        codec = self.naming.codec(named)
        try:
            header, body = codec.decode(data)
            changed = self._struct(named.layout.root, body, UNKNOWN_NODE, "")
            return data if changed == body else codec.encode(header, changed)
        except CodecError:
            return data

    def _struct(
        self, layout: StructLayout, value: Mapping[str, Any], node: int, listener: str
    ) -> dict[str, Any]:
        node = next((value[name] for name in _NODE_FIELDS if name in value), node)
        listener = value.get("name", "") if _is_address(layout) else listener
        changed = dict(value)
        for each in layout.all_fields:
            held = value.get(each.name)
            if each.struct is None or held is None:
                continue
            if each.is_array:
                changed[each.name] = [self._struct(each.struct, inner, node, listener) for inner in held]
            else:
                changed[each.name] = self._struct(each.struct, held, node, listener)
        if _is_address(layout) and value.get("host"):
            host, port = self.redirect(node, listener, (value["host"], value["port"]))
            changed |= {"host": host, "port": port}
        return changed


def _is_address(layout: StructLayout) -> bool:
    names = {each.name for each in layout.all_fields}
    return {"host", "port"} <= names


_WITH_ADDRESS: Final[dict[MessageLayout, bool]] = {}


def _has_address(layout: MessageLayout) -> bool:
    if layout not in _WITH_ADDRESS:
        _WITH_ADDRESS[layout] = any(_is_address(struct) for _, struct, _ in layout.walk())
    return _WITH_ADDRESS[layout]
