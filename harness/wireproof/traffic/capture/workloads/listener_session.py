"""A listener session: a listener, a connection to it, and the fixtures that recipes share."""

import time
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, Self, TypeAlias
from uuid import UUID

from kafkawire.schema import MessageLayout, StructLayout, VersionRange
from kafkawire.values import TAGS, StructValue, Value
from kafkawire.wire import PREFIX_BYTES
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.raw_client.raw_client import (
    Address,
    AnsweredCall,
    ApiCatalog,
    CallOutcome,
    RawClient,
)
from wireproof.traffic.capture.workloads.request_log import RequestLog
from wireproof.traffic.fingerprint.fingerprinter import iter_error_codes
from wireproof.traffic.wire.frame_identifier import FrameType


def fit_value(layout: MessageLayout, value: StructValue) -> StructValue:
    """Return the value without the fields that this version lacks.

    A recipe names a topic by name and by id; each version takes the field that it has.
    """
    return _fit(layout.root, value)


def unknown_keys(layout: MessageLayout, value: StructValue) -> list[str]:
    """Return the paths of keys that no version has: typing errors, or keys of a later release."""
    return list(dict.fromkeys(_unknown(layout.root, value, "")))


def _fit(struct: StructLayout, value: StructValue) -> StructValue:
    fields = {field.name: field for field in struct.all_fields}
    return {
        name: inner if name == TAGS else _fit_inner(fields[name].struct, inner)
        for name, inner in value.items()
        if name in fields or name == TAGS
    }


def _fit_inner(struct: StructLayout | None, value: Value) -> Value:
    if struct is None or value is None:
        return value
    return [_fit(struct, each) for each in value] if isinstance(value, list) else _fit(struct, value)


def _unknown(struct: StructLayout, value: StructValue, prefix: str) -> list[str]:
    inner = {field.name: field.struct for field in struct.all_fields}
    known = {TAGS, *inner, *(field.name for field in struct.absent)}
    found = [prefix + name for name in value if name not in known]
    for name, below in value.items():
        deeper = inner.get(name)
        if deeper is not None and below is not None:
            for each in below if isinstance(below, list) else [below]:
                found += _unknown(deeper, each, f"{prefix}{name}.")
    return found


TRANSIENT_ERRORS: Final = frozenset((3, 5, 6, 14, 15, 16, 62))
"""Transient errors: no leader yet, a coordinator that loads, a token that is not replicated yet."""
_NOT_COORDINATOR: Final = 16
_RETRIES: Final = 50
_PAUSE_S: Final = 0.1


FOR_OTHERS: Final = "for other recipes"


class RequestRefusedError(Exception):
    """A recipe needs a request that the listener does not support."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that a recipe created; its id is all zeros if the release has no topic ids."""

    name: str
    id: UUID


@dataclass
class ListenerSession:
    """Requests to one listener of one node.

    Args:
        address: the address of the listener, or of the proxy in front of it.
        offered: the versions that the listener advertises, by request.
        greet: logs in on each new connection, if the listener requires a login.

    Attributes:
        supported: the advertised versions that the release has messages of, by request.
        fixtures: values that recipes keep for later recipes, by name.
    """

    apis: ApiCatalog
    address: Address
    offered: Mapping[str, VersionRange]
    log: RequestLog
    _: KW_ONLY
    node: int
    cluster_id: str
    brokers: tuple[int, ...]
    timeout_s: float
    greet: Callable[[RawClient], None] | None = None
    supported: Mapping[str, VersionRange] = field(init=False)
    fixtures: dict[str, Value] = field(default_factory=dict)
    _caller: RawClient = field(init=False)
    _names: int = 0

    def __post_init__(self) -> None:
        # A broker of another build may offer versions that the release has no messages of (KAFKA-18659).
        known = {name: each.intersect(self.apis.valid_versions(name)) for name, each in self.offered.items()}
        self.supported = {name: versions for name, versions in known.items() if not versions.empty}
        self._caller = self.connect(self.timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._caller.close()

    @property
    def listener(self) -> Listener:
        return self.log.listener

    @property
    def features(self) -> list[StructValue]:
        """The features that this node supports; a node that joins must support them too."""
        return [
            {
                "name": each["name"],
                "minSupportedVersion": each["minVersion"],
                "maxSupportedVersion": each["maxVersion"],
            }
            for each in self._api_versions().get("supportedFeatures", ())
        ]

    @property
    def finalized_features(self) -> dict[str, int]:
        """The levels of the cluster's finalized features by name."""
        finalized = self._api_versions().get("finalizedFeatures", ())
        return {each["name"]: each["maxVersionLevel"] for each in finalized}

    def _api_versions(self) -> StructValue:
        body = {"clientSoftwareName": "wireproof", "clientSoftwareVersion": "1"}
        return self.ask_newest("ApiVersionsRequest", body, "features")

    def frame_of(self, request: str, body: StructValue) -> bytes:
        """Return header and body of a request at its newest version, as an Envelope carries them."""
        version = self.newest(request)
        named = self.apis.named(request, version)
        header = {
            "requestApiKey": self.apis.key(request),
            "requestApiVersion": version,
            "clientId": "enveloped",
        }
        frame = self.apis.naming.codec(named).encode(
            {**header, "correlationId": 1}, fit_value(named.layout, body)
        )
        return frame[PREFIX_BYTES:]

    @property
    def metadata_topic(self) -> str:
        """The release's name of the metadata log."""
        return "@metadata" if self.apis.release.startswith("2.") else "__cluster_metadata"

    def connect(self, timeout_s: float) -> RawClient:
        """Return another connection to this listener, with its own timeout."""
        return RawClient(self.apis, self.address, timeout_s=timeout_s, greet=self.greet)

    def connect_without_login(self) -> RawClient:
        """Return another connection to this listener, without a login."""
        return RawClient(self.apis, self.address, timeout_s=self.timeout_s)

    def name(self, stem: str) -> str:
        """Return a new name that begins with `stem`."""
        self._names += 1
        return f"{stem}-{self.node}-{self.listener.lower()}-{self._names}"

    def newest(self, request: str, at_most: int = 32767) -> int:
        """Return the newest version of a request that the listener supports.

        Raises RequestRefusedError if it supports none.
        """
        if request not in self.supported:
            raise RequestRefusedError(f"the listener does not support {request}")
        return min(self.supported[request].highest, at_most)

    def ask(
        self, request: str, version: int, body: StructValue, case: str, *, over: RawClient | None = None
    ) -> StructValue | None:
        """Send a request with those fields of the body that its version has.

        Args:
            case: the purpose of the request, for the log.
            over: a connection to use instead of the session's own.

        Returns:
            The body of the response; None if no readable response came.
        """
        named = self.apis.named(request, version)
        self.log.unknown_keys.setdefault(request, set()).update(unknown_keys(named.layout, body))
        outcome = (over or self._caller).call(request, version, fit_value(named.layout, body))
        self.note(request, version, case, outcome)
        return outcome.body if isinstance(outcome, AnsweredCall) else None

    def ask_newest(self, request: str, body: StructValue, case: str) -> StructValue:
        """Send a request at its newest version; return the response's body, empty if none came."""
        return self.ask(request, self.newest(request), body, case) or {}

    def prepare(self, request: str, body: StructValue, *, at_most: int = 32767) -> StructValue:
        """Send a request that other recipes need until it is settled; return the body of its response."""
        return self.ask_until_settled(request, self.newest(request, at_most), body, FOR_OTHERS) or {}

    def ask_until_settled(
        self,
        request: str,
        version: int,
        body: StructValue,
        case: str,
        shown: Callable[[StructValue], bool] = lambda answer: True,
    ) -> StructValue | None:
        """Send a request until no part of the response holds a transient error.

        With several brokers NOT_COORDINATOR is not transient. `shown` returns true if a response shows the
        preceding change: a broker answers a change before its own readers see the change. A response with
        another error ends the wait.
        """
        transient = TRANSIENT_ERRORS - {_NOT_COORDINATOR} if len(self.brokers) > 1 else TRANSIENT_ERRORS
        for _ in range(_RETRIES):
            answer = self.ask(request, version, body, case)
            if answer is None:
                break
            errors = {code for _, code in iter_error_codes(answer)} - {0}
            if transient.isdisjoint(errors) and (errors or shown(answer)):
                break
            time.sleep(_PAUSE_S)
        return answer

    def ask_newer_than_known(self, request: str) -> None:
        """Send an ApiVersions newer than the broker; the response has version 0 (KIP-511)."""
        newest = self.apis.valid_versions(request).highest
        named = self.apis.named(request, newest)
        header = {"requestApiKey": self.apis.key(request), "requestApiVersion": newest + 1}
        body = {"clientSoftwareName": "wireproof", "clientSoftwareVersion": "1.0"}
        data = self.apis.naming.codec(named).encode({**header, "correlationId": 0}, body)
        outcome = self._caller.send(data, self.apis.key(request), newest + 1)
        self.note(request, newest, "newer than the broker", outcome)

    def note(self, request: str, version: int, case: str, outcome: CallOutcome) -> None:
        layout = None
        if isinstance(outcome, AnsweredCall):
            named = self.apis.naming.response(self.apis.key(request), outcome.version)
            assert isinstance(named, FrameType)
            layout = named.layout
        self.log.add(request, version, case, outcome, layout)


@dataclass(frozen=True, slots=True)
class SweptRequest:
    """A request at one version, for the recipe that sends it in a session."""

    session: ListenerSession
    name: str
    version: int

    def ask(self, body: StructValue, case: str, *, over: RawClient | None = None) -> StructValue | None:
        """Send it; see `ListenerSession.ask`."""
        return self.session.ask(self.name, self.version, body, case, over=over)

    def ask_until_settled(
        self, body: StructValue, case: str, shown: Callable[[StructValue], bool] = lambda answer: True
    ) -> StructValue | None:
        """Send it until no part of the response holds a transient error; see the session's method."""
        return self.session.ask_until_settled(self.name, self.version, body, case, shown)


Recipe: TypeAlias = Callable[[ListenerSession, SweptRequest], None]
"""Sends a request, after other requests that prepare it."""
