"""The nouns: a request as a client sent it, what is wrong with one, and what was said of it."""

from dataclasses import dataclass, field
from enum import StrEnum

from wireproof.model import Divergence
from wireproof.wire import Frame, FrameType, UnknownFrameType

__all__ = [
    "ReceivedResponse",
    "RequestFault",
    "RequestFinding",
    "MissingResponse",
    "SentRequest",
    "RequestVerdict",
]


class RequestFault(StrEnum):
    """What is wrong with what a client sent. The words are stable."""

    NOT_KAFKA = "not-kafka"
    """Bytes that are no frame of the protocol."""
    TOO_SHORT = "too-short"
    """A frame with no room for api key, version and correlation id."""
    UNKNOWN_API = "unknown-api"
    """The release has no such api, or not at this version. An ApiVersions may be of any: a broker that lacks
    it says which it has."""
    NOT_ADVERTISED = "not-advertised"
    """The broker does not offer this version. Not said of an ApiVersions either."""
    REFUSED = "refused"
    """Kafka's classes do not read the frame."""
    DIFFERS = "differs"
    """Kafka writes other bytes for what it reads in the frame."""
    RECORDS = "records"
    """Kafka's classes do not read a record set in it."""
    DROPPED = "dropped"
    """The broker closed the connection in place of an answer."""
    OURS = "ours"
    """Kafka and wireproof's own codec read different values: a mistake of wireproof."""


class MissingResponse(StrEnum):
    """Why a request has no response."""

    NONE_DUE = "none-due"
    """None was awaited: a Produce with acks 0."""
    DROPPED = "dropped"
    """The connection broke instead."""
    NOT_SEEN = "not-seen"
    """The connection, or what was captured of it, ended before."""


@dataclass(frozen=True, slots=True)
class ReceivedResponse:
    """A response that came.

    Attributes:
        named: the message; of an ApiVersions that the broker does not know, version 0.
    """

    named: FrameType | UnknownFrameType
    frame: Frame = field(repr=False)


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request.

    Attributes:
        place: node and listener, ``1-CLIENT``.
        connection: its number at that listener.
        answer: the response, or why there is none.
    """

    place: str
    connection: int
    named: FrameType | UnknownFrameType
    frame: Frame = field(repr=False)
    answer: ReceivedResponse | MissingResponse = field(repr=False)

    @property
    def message(self) -> str:
        """The message's name, or what is known in its place."""
        return self.named.message or _unknown(self.named)

    @property
    def version(self) -> int:
        return self.named.version


def _unknown(named: FrameType | UnknownFrameType) -> str:
    return f"api key {named.api_key}" if isinstance(named, UnknownFrameType) else ""


@dataclass(frozen=True, slots=True)
class RequestFinding:
    """Something wrong.

    Attributes:
        message, version: of the request; ``""`` and None where it has none.
        offset: of the frame in what the client sent over the connection.
        summary: one sentence.
        frame: the bytes, with their size; as much as there is of what is no frame.
        divergence: where two sides differ, for those faults.
        client: its id, where the header could be read.
        protocol: what bytes that are no frame seem to be, where that shows.
    """

    fault: RequestFault
    place: str
    connection: int
    offset: int
    summary: str
    frame: bytes = field(repr=False)
    message: str = ""
    version: int | None = None
    divergence: Divergence | None = None
    client: str = ""
    protocol: str = ""

    @property
    def cause(self) -> tuple[str, str, str, str]:
        """What findings of one cause have in common."""
        where = self.divergence.path if self.divergence else ""
        return self.fault, self.message, where, self.divergence.kind if self.divergence else self.protocol


@dataclass(frozen=True, slots=True)
class RequestVerdict:
    """What was said of one request.

    Attributes:
        errors: the error codes in its response, by name, each once, in order.
        client: the client's id; ``""`` where there is none.
        software: name and version, of an ApiVersions that tells them.
    """

    sent: SentRequest
    findings: tuple[RequestFinding, ...] = ()
    errors: tuple[str, ...] = ()
    client: str = ""
    software: str = ""
