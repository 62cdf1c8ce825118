"""A raw client: one connection, one request at a time, a class for every outcome.

It sends any value, even one that a broker cannot use, and returns any response.
"""

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, TypeAlias

from kafkawire.errors import DecodeError
from kafkawire.schema import MessageKind, SchemaSet, VersionRange
from kafkawire.values import StructValue
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType, UnknownFrameType
from wireproof.traffic.wire.request_matcher import Exchange, Frame, FrameSplitter, guess_protocol


def unverified_tls_context() -> ssl.SSLContext:
    """Return a client's TLS context that accepts any certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


Address: TypeAlias = tuple[str, int]
"""Host and port."""

LOOPBACK: Final = "127.0.0.1"


def address_text(address: Address) -> str:
    """Return the address as ``host:port``."""
    host, port = address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def attempts(time_s: float, pause_s: float) -> Iterator[None]:
    """Yield for each attempt until the time is over, at least once, with pauses between."""
    until = time.monotonic() + time_s
    while True:
        yield
        if time.monotonic() > until:
            return
        time.sleep(pause_s)


_READ_BYTES: Final = 1 << 18
_MAX_ANSWER_BYTES: Final = 1 << 30
CLIENT_ID: Final = "wireproof"


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A response that wireproof's codec reads. The version of its body may differ from the request's."""

    version: int
    header: StructValue = field(hash=False)
    body: StructValue = field(hash=False)
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SilentCall:
    """No response came in time; the client closed the connection."""

    after_s: float


@dataclass(frozen=True, slots=True)
class ClosedCall:
    """The other side closed or refused the connection; `foreign` is its protocol, ``TLS``, if known."""

    how: str
    foreign: str = ""


@dataclass(frozen=True, slots=True)
class UnreadableCall:
    """A response that wireproof's codec cannot read: a finding."""

    data: bytes = field(repr=False)
    error: str


CallOutcome: TypeAlias = AnsweredCall | SilentCall | ClosedCall | UnreadableCall


class ApiCatalog:
    """The requests of a release by name and by key, and their codecs; the schemas have header versions."""

    def __init__(self, schemas: SchemaSet) -> None:
        self.naming = FrameIdentifier(schemas)
        self._names: dict[int, str] = {}
        self._keys: dict[str, int] = {}
        self._versions: dict[str, VersionRange] = {}
        for _, spec in schemas:
            if spec.kind is MessageKind.REQUEST and spec.api_key is not None:
                self._names[spec.api_key] = spec.name
                self._keys[spec.name] = spec.api_key
                self._versions[spec.name] = spec.valid_versions

    @property
    def release(self) -> str:
        return self.naming.release

    @property
    def names(self) -> list[str]:
        return list(self._keys)

    def name(self, api_key: int) -> str | None:
        """Return the name of a request by its key; None if the release has none."""
        return self._names.get(api_key)

    def key(self, request: str) -> int:
        """Return the key of a request, such as 3 of ``MetadataRequest``."""
        return self._keys[request]

    def valid_versions(self, request: str) -> VersionRange:
        return self._versions[request]

    def named(self, request: str, version: int) -> FrameType:
        """Return a request at a version. Raises KeyError if the release does not have it."""
        found = self.naming.request(self.key(request), version)
        if isinstance(found, UnknownFrameType):
            raise KeyError(str(found))
        return found


@dataclass(slots=True)
class RawClient:
    """A client with one connection. The first call connects; a call after a lost connection connects again.

    Args:
        address: the address of a listener, or of a proxy in front of it.
        greet: called with each new connection, to log in.
        tls: True if the listener uses TLS; the client does not check its certificate.

    Attributes:
        unasked: further frames that came with the last response.
    """

    apis: ApiCatalog
    address: Address
    _: KW_ONLY
    timeout_s: float
    greet: "Callable[[RawClient], None] | None" = None
    client_id: str = CLIENT_ID
    tls: bool = False
    unasked: tuple[Frame, ...] = ()
    _socket: socket.socket | None = None
    _splitter: FrameSplitter = field(default_factory=lambda: FrameSplitter(_MAX_ANSWER_BYTES))
    _correlation_id: int = 0

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def call(self, request: str, version: int, body: StructValue) -> CallOutcome:
        """Send a request of a version that the release has, and wait for its response.

        Raises:
            CaptureError: the login failed.
            KeyError: the release has no such request or version.
            EncodeError: the body does not fit the request.
        """
        named = self.apis.named(request, version)
        key = self.apis.key(request)
        header = {"requestApiKey": key, "requestApiVersion": version, "clientId": self.client_id}
        self._correlation_id += 1
        header["correlationId"] = self._correlation_id
        return self.send(self.apis.naming.codec(named).encode(header, body), key, version)

    def token(self, data: bytes) -> bytes | None:
        """Send a raw SASL token after SaslHandshake 0; return the broker's token."""
        answer = self._exchange(len(data).to_bytes(4, "big") + data)
        return bytes(answer.content) if isinstance(answer, Frame) else None

    def send(self, data: bytes, api_key: int, version: int) -> CallOutcome:
        """Send a frame of a request with this key and version, and wait for the response."""
        answer = self._exchange(data)
        if not isinstance(answer, Frame):
            return answer
        correlation_id = int.from_bytes(data[8:12], "big", signed=True)
        exchange = Exchange(api_key, version, correlation_id, Frame(0, data), answer)
        named = self.apis.naming.exchange(exchange).response
        if isinstance(named, UnknownFrameType):
            return UnreadableCall(answer.data, str(named))
        try:
            header, body = self.apis.naming.codec(named).decode(answer.data)
        except DecodeError as error:
            return UnreadableCall(answer.data, str(error))
        if header["correlationId"] != correlation_id:
            self.close()
            return UnreadableCall(
                answer.data, f"it answers request {header['correlationId']}, expected {correlation_id}"
            )
        return AnsweredCall(named.version, header, body, answer.data)

    def _exchange(self, data: bytes) -> Frame | SilentCall | ClosedCall:
        try:
            connection = self._connected()
            connection.sendall(data)
            return self._frame(connection)
        except TimeoutError:
            self.close()
            return SilentCall(self.timeout_s)
        except OSError as error:
            self.close()
            return ClosedCall(error.strerror or str(error))

    def _connected(self) -> socket.socket:
        if self._socket is None:
            self._socket = socket.create_connection(self.address, self.timeout_s)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls:
                self._socket = unverified_tls_context().wrap_socket(self._socket)
            self._splitter = FrameSplitter(_MAX_ANSWER_BYTES)
            if self.greet is not None:
                self._logged_in(self.greet)
        if self._socket is None:
            raise ConnectionError("closed during the login")
        return self._socket

    def _logged_in(self, greet: "Callable[[RawClient], None]") -> None:
        try:
            greet(self)
        except BaseException:
            self.close()
            raise

    def _frame(self, connection: socket.socket) -> Frame | ClosedCall:
        while True:
            data = connection.recv(_READ_BYTES)
            frames = self._splitter.feed(data)
            if frames:
                self.unasked = tuple(frames[1:])
                return frames[0]
            if not data or self._splitter.foreign is not None:
                self.close()
                return self._closed()

    def _closed(self) -> ClosedCall:
        """Return the reason why the connection ended without a complete frame."""
        foreign, came = self._splitter.foreign, self._splitter.unfinished
        if foreign is not None:
            return ClosedCall(str(foreign), foreign.protocol)
        if protocol := guess_protocol(came):
            return ClosedCall(f"the bytes {came[:4].hex()} look like {protocol}", protocol)
        return ClosedCall("closed in the middle of an answer" if came else "closed without an answer")
