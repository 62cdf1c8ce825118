"""Identification of frames: message, version and header version.

A request names its type; the type of a response follows from its request. There is one exception: a broker
answers an ApiVersions request of an unknown version in version 0, with the error UNSUPPORTED_VERSION
(KIP-511).
"""

import struct
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial
from typing import Final, NamedTuple

from kafkawire.caching import BoundedCache
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.schema import MessageKind, MessageLayout, MessageSpec, SchemaSet, resolve
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.layout_parts import HEADERS
from wireproof.traffic.wire.request_matcher import Exchange

_API_VERSIONS: Final = 18
_UNSUPPORTED_VERSION: Final = 35
_CORRELATION_BYTES: Final = 4
_NAME: Final = struct.Struct(">hh")
"""API key and version, the beginning of a request."""
_MOST_NAMES: Final = 4096
"""Cached types of requests, and of responses: more than a release has; a bound for garbage keys."""


class UnknownFrameReason(StrEnum):
    """The reason for an unknown frame type. The text is stable: tables hold it."""

    UNKNOWN_API = "unknown-api"
    """The release has no API of this key."""
    UNKNOWN_VERSION = "unknown-version"
    """The release has the API, but not at this version."""


@dataclass(frozen=True, slots=True)
class FrameType:
    """A message at a version, with the module of the release that has it; the layout names the header."""

    module: str
    layout: MessageLayout

    @property
    def message(self) -> str:
        return self.layout.name

    @property
    def version(self) -> int:
        return self.layout.version


@dataclass(frozen=True, slots=True)
class UnknownFrameType:
    """The type of a frame that the release does not have."""

    reason: UnknownFrameReason
    api_key: int
    version: int
    message: str = ""
    """The message's name, if the release has the API."""

    def __str__(self) -> str:
        return f"{self.reason}: api key {self.api_key}, version {self.version}"


class ExchangeTypes(NamedTuple):
    """The types of both frames; their versions may differ."""

    request: FrameType | UnknownFrameType
    response: FrameType | UnknownFrameType


class FrameIdentifier:
    """Identifies frames by the schemas of one release, with header versions, and provides their codecs."""

    def __init__(self, schemas: SchemaSet) -> None:
        self.release = schemas.release
        self._specs: dict[tuple[MessageKind, int], tuple[str, MessageSpec]] = {}
        self._headers: dict[MessageKind, MessageSpec] = {}
        for module, spec in schemas:
            if spec.api_key is not None and spec.kind in HEADERS:
                self._specs[spec.kind, spec.api_key] = (module, spec)
        for kind, name in HEADERS.items():
            self._headers[kind] = next(spec for _, spec in schemas if spec.name == name)
        kept = lru_cache(_MOST_NAMES)
        self._request, self._response = (kept(partial(self._name, kind)) for kind in HEADERS)
        self._codecs = BoundedCache(self._frame_codec)

    def request(self, api_key: int, version: int) -> FrameType | UnknownFrameType:
        return self._request(api_key, version)

    def of_wrong_size(self, data: bytes) -> FrameType | None:
        """Return the type of a whole request after a size that is not its own; None for an unfinished one.

        No message is the beginning of another one, so bytes that can be read to their end are whole.
        """
        content = data[PREFIX_BYTES:]
        named = self.request(*_NAME.unpack_from(content)) if len(content) >= _NAME.size else None
        if not isinstance(named, FrameType):
            return None
        try:
            self.codec(named).decode(len(content).to_bytes(PREFIX_BYTES) + content)
        except CodecError:
            return None
        return named

    def response(self, api_key: int, version: int) -> FrameType | UnknownFrameType:
        """Return the type of the response to a request of this key and version."""
        return self._response(api_key, version)

    def exchange(self, exchange: Exchange) -> ExchangeTypes:
        version = 0 if _declined(exchange) else exchange.version
        return ExchangeTypes(
            self.request(exchange.api_key, exchange.version), self.response(exchange.api_key, version)
        )

    def codec(self, named: FrameType) -> FrameCodec:
        """Return the codec of whole frames of this type."""
        return self._codecs(named.layout)

    def codec_of(self, layout: MessageLayout) -> FrameCodec:
        """Return the codec of whole frames with this body layout."""
        return self._codecs(layout)

    def header(self, layout: MessageLayout) -> MessageLayout:
        """Return the header layout of a request or a response of this layout."""
        assert layout.header_version is not None
        return resolve(self._headers[layout.kind], layout.header_version)

    def _frame_codec(self, layout: MessageLayout) -> FrameCodec:
        return FrameCodec(fastest_codec(self.header(layout)), fastest_codec(layout))

    def _name(self, kind: MessageKind, api_key: int, version: int) -> FrameType | UnknownFrameType:
        found = self._specs.get((kind, api_key))
        if found is None:
            return UnknownFrameType(UnknownFrameReason.UNKNOWN_API, api_key, version)
        module, spec = found
        if version not in spec.valid_versions:
            return UnknownFrameType(UnknownFrameReason.UNKNOWN_VERSION, api_key, version, spec.name)
        return FrameType(module, resolve(spec, version))


def _declined(exchange: Exchange) -> bool:
    """Check for a broker's response to an ApiVersions request of a version that it lacks."""
    if exchange.api_key != _API_VERSIONS:
        return False
    error = exchange.response.content[_CORRELATION_BYTES : _CORRELATION_BYTES + 2]
    return bytes(error) == _UNSUPPORTED_VERSION.to_bytes(2, "big")
