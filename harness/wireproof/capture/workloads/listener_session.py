"""Where recipes play: a listener, a connection to it, and what they found out so far."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from kafkawire.schema import VersionRange
from kafkawire.values import StructValue, Value
from kafkawire.wire import PREFIX_BYTES
from wireproof.capture.brokers import Listener
from wireproof.capture.raw_client.raw_client import AnsweredCall, ApiCatalog, CallOutcome, RawClient
from wireproof.capture.raw_client.socket_address import Address
from wireproof.capture.workloads.request_log import Attempt, RequestLog, classify_attempt
from wireproof.capture.workloads.value_fitting import fit_value, unknown_keys
from wireproof.fingerprint import iter_error_codes
from wireproof.wire import FrameType

__all__ = ["RequestRefusedError", "ListenerSession", "Topic"]

_RETRIED: Final = frozenset((3, 5, 6, 14, 15, 16, 62))
"""Errors that pass: no leader yet, a coordinator that loads, a token that is on its way."""
_NOT_COORDINATOR: Final = 16
_RETRIES: Final = 50
_PAUSE_S: Final = 0.1


class RequestRefusedError(Exception):
    """A recipe needs a request that the listener does not take: it cannot be played here."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic that was made.

    Attributes:
        id: all zeros where the release knows no ids.
    """

    name: str
    id: UUID


class ListenerSession:
    """One listener of one node.

    Args:
        address: of the listener, or of the proxy before it.
        offered: what it advertises, by request.
        cluster_id: as the cluster tells it.
        brokers: ids of all brokers.
        timeout_s: how long an answer may take.
        greet: logs in on each new connection, where one has to.
    """

    def __init__(
        self,
        apis: ApiCatalog,
        address: Address,
        offered: Mapping[str, VersionRange],
        book: RequestLog,
        *,
        node: int,
        cluster_id: str,
        brokers: tuple[int, ...],
        timeout_s: float,
        greet: Callable[[RawClient], None] | None = None,
    ) -> None:
        self.apis = apis
        self.offered = offered
        # A broker of another build may offer versions that the release has no messages of (KAFKA-18659).
        known = {name: each.intersect(apis.valid_versions(name)) for name, each in offered.items()}
        self.takes = {name: versions for name, versions in known.items() if not versions.empty}
        self.book = book
        self.node = node
        self.cluster_id = cluster_id
        self.brokers = brokers
        self._address = address
        self._timeout_s = timeout_s
        self._greet = greet
        self._caller = self.connect(timeout_s)
        self._names = 0
        self.kept: dict[str, Value] = {}

    def __enter__(self) -> "ListenerSession":
        return self

    def __exit__(self, *_: object) -> None:
        self._caller.close()

    @property
    def listener(self) -> Listener:
        return self.book.listener

    @property
    def is_controller(self) -> bool:
        """Whether it is a controller that listens here."""
        return self.listener is Listener.CONTROLLER

    @property
    def features(self) -> list[StructValue]:
        """The features that this node supports: one that joins must support them too."""
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
        """The features that the cluster has, with their levels."""
        told = self._api_versions().get("finalizedFeatures", ())
        return {each["name"]: each["maxVersionLevel"] for each in told}

    def _api_versions(self) -> StructValue:
        body = {"clientSoftwareName": "wireproof", "clientSoftwareVersion": "1"}
        return self.tell("ApiVersionsRequest", body, "features")

    def frame_of(self, request: str, body: StructValue) -> bytes:
        """Header and body of a request at the newest version, as an envelope carries them."""
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
        """What the release calls the log of the cluster's metadata."""
        return "@metadata" if self.apis.release.startswith("2.") else "__cluster_metadata"

    def connect(self, timeout_s: float) -> RawClient:
        """Another connection to the same listener, for what may take another time."""
        return RawClient(self.apis, self._address, timeout_s=timeout_s, greet=self._greet)

    def stranger(self) -> RawClient:
        """Another connection on which nobody has logged in."""
        return RawClient(self.apis, self._address, timeout_s=self._timeout_s)

    def name(self, what: str) -> str:
        """A name that nothing has yet."""
        self._names += 1
        return f"{what}-{self.node}-{self.listener.lower()}-{self._names}"

    def newest(self, request: str, at_most: int = 32767) -> int:
        """The newest version of a request that the listener takes.

        Raises:
            RequestRefusedError: it takes none.
        """
        if request not in self.takes:
            raise RequestRefusedError(f"the listener does not take {request}")
        return min(self.takes[request].highest, at_most)

    def ask(
        self, request: str, version: int, body: StructValue, case: str, *, over: RawClient | None = None
    ) -> StructValue | None:
        """Send a request, with those fields of the body that its version has.

        Args:
            case: what it is for, in the book.
            over: another connection than the scene's own.

        Returns:
            The body of the response; None where none came that can be read.
        """
        named = self.apis.named(request, version)
        self.book.strange.setdefault(request, set()).update(unknown_keys(named.layout, body))
        outcome = (over or self._caller).call(request, version, fit_value(named.layout, body))
        self.note(request, version, case, outcome)
        return outcome.body if isinstance(outcome, AnsweredCall) else None

    def tell(self, request: str, body: StructValue, case: str) -> StructValue:
        """Ask at the newest version for what another recipe needs; an empty body where no answer came."""
        return self.ask(request, self.newest(request), body, case) or {}

    def insist(self, request: str, version: int, body: StructValue, case: str) -> StructValue | None:
        """Ask until no part of the answer is an error that passes by itself. That another broker is the
        coordinator does not, where there is another."""
        passing = _RETRIED - {_NOT_COORDINATOR} if len(self.brokers) > 1 else _RETRIED
        for _ in range(_RETRIES):
            answer = self.ask(request, version, body, case)
            if answer is None or passing.isdisjoint(code for _, code in iter_error_codes(answer)):
                break
            time.sleep(_PAUSE_S)
        return answer

    def ask_newer_than_known(self, request: str) -> None:
        """Send an ApiVersions newer than the broker; the answer is one of version 0 (KIP-511)."""
        newest = self.apis.valid_versions(request).highest
        named = self.apis.named(request, newest)
        header = {"requestApiKey": self.apis.key(request), "requestApiVersion": newest + 1}
        body = {"clientSoftwareName": "wireproof", "clientSoftwareVersion": "1.0"}
        data = self.apis.naming.codec(named).encode({**header, "correlationId": 0}, body)
        outcome = self._caller.send(data, self.apis.key(request), newest + 1)
        self.note(request, newest, "newer than the broker", outcome)

    def note(self, request: str, version: int, case: str, outcome: CallOutcome) -> Attempt:
        """Write down what became of a request."""
        layout = None
        if isinstance(outcome, AnsweredCall):
            named = self.apis.naming.response(self.apis.key(request), outcome.version)
            assert isinstance(named, FrameType)
            layout = named.layout
        attempt = classify_attempt(request, version, case, outcome, layout)
        self.book.add(attempt)
        return attempt
