"""Entries of a segment become requests with their responses, or findings."""

import json
import struct
from collections.abc import Iterable

from tests.support.schemas import real_layouts
from wireproof.proof.client_judge.sent_requests import (
    MissingResponse,
    ReceivedResponse,
    RequestExtractor,
    RequestFault,
    RequestFinding,
    SentRequest,
)
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, UnknownFrameType
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection

NAMING = FrameIdentifier(real_layouts.schemas())
TO_BROKER, TO_CLIENT = StreamDirection.TO_BROKER, StreamDirection.TO_CLIENT
METADATA, PRODUCE, API_VERSIONS = 3, 0, 18


def frame(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


def request(api_key: int, version: int, correlation_id: int) -> bytes:
    return frame(struct.pack(">hhih", api_key, version, correlation_id, -1))


def entry(kind: EntryKind, direction: StreamDirection, payload: bytes = b"") -> SegmentEntry:
    return SegmentEntry(0, 0, 1, kind, direction, payload)


def watched(entries: Iterable[SegmentEntry]) -> list[SentRequest | RequestFinding]:
    watch = RequestExtractor("1-CLIENT", NAMING)
    facts = json.dumps({"client": "a:1", "broker": "b:2", "knownStart": True}).encode()
    opened = entry(EntryKind.OPEN, TO_BROKER, facts)
    return [*(each for it in (opened, *entries) for each in watch.feed(it)), *watch.close()]


def only_sent(entries: Iterable[SegmentEntry]) -> SentRequest:
    (sent,) = watched(entries)
    assert isinstance(sent, SentRequest)
    return sent


def test_a_request_comes_with_its_response() -> None:
    """Both have a name, in whatever pieces the bytes come."""
    data = request(METADATA, 1, 7)
    sent = only_sent(
        [
            entry(EntryKind.DATA, TO_BROKER, data[:5]),
            entry(EntryKind.DATA, TO_BROKER, data[5:]),
            entry(EntryKind.DATA, TO_CLIENT, frame(struct.pack(">i", 7))),
        ]
    )
    assert (sent.place, sent.connection, sent.message, sent.version) == ("1-CLIENT", 1, "MetadataRequest", 1)
    assert sent.frame.data == data
    assert isinstance(sent.answer, ReceivedResponse)
    assert str(sent.answer.named.message) == "MetadataResponse"


def test_a_produce_without_acks_expects_no_response() -> None:
    """The next request has a response."""
    sent = watched(
        [
            entry(EntryKind.DATA, TO_BROKER, request(PRODUCE, 9, 1) + request(METADATA, 1, 2)),
            entry(EntryKind.DATA, TO_CLIENT, frame(struct.pack(">i", 2))),
        ]
    )
    assert next(each.answer for each in sent if isinstance(each, SentRequest)) is MissingResponse.NONE_DUE


def test_a_broker_that_closes_instead_of_responding_is_named() -> None:
    """The broker closed the connection, in order or by a reset."""
    asked = entry(EntryKind.DATA, TO_BROKER, request(METADATA, 1, 1))
    ends = [
        entry(EntryKind.END, TO_CLIENT),
        entry(EntryKind.END, TO_BROKER),
        entry(EntryKind.CLOSE, TO_BROKER),
    ]
    assert only_sent([asked, *ends]).answer is MissingResponse.DROPPED
    assert only_sent([asked, entry(EntryKind.RESET, TO_CLIENT, b"reset")]).answer is MissingResponse.DROPPED


def test_a_client_that_leaves_before_the_response_is_not_a_finding() -> None:
    """Neither side is at fault, as at the end of a capture."""
    asked = entry(EntryKind.DATA, TO_BROKER, request(METADATA, 1, 1))
    ends = [
        entry(EntryKind.END, TO_BROKER),
        entry(EntryKind.END, TO_CLIENT),
        entry(EntryKind.CLOSE, TO_BROKER),
    ]
    assert only_sent([asked, *ends]).answer is MissingResponse.NOT_SEEN
    assert only_sent([asked]).answer is MissingResponse.NOT_SEEN


def test_an_unsupported_version_names_its_message() -> None:
    """An unknown api has no name."""
    sent = watched([entry(EntryKind.DATA, TO_BROKER, request(METADATA, 99, 1) + request(999, 0, 2))])
    assert [(each.message, each.version) for each in sent if isinstance(each, SentRequest)] == [
        ("MetadataRequest", 99),
        ("api key 999", 0),
    ]
    assert all(isinstance(each, SentRequest) and isinstance(each.named, UnknownFrameType) for each in sent)


def test_bytes_that_are_not_a_frame_are_a_finding() -> None:
    """Another protocol is recognized by its first bytes; a frame can be too short for any request."""
    (http,) = watched([entry(EntryKind.DATA, TO_BROKER, b"GET / HTTP/1.1\r\n\r\n")])
    (tls,) = watched([entry(EntryKind.DATA, TO_BROKER, b"\x16\x03\x01\x02\x00\x01")])
    (size,) = watched([entry(EntryKind.DATA, TO_BROKER, b"\xff\xff\xff\xfbabcde")])
    (short,) = watched([entry(EntryKind.DATA, TO_BROKER, frame(b"abc"))])
    assert isinstance(http, RequestFinding)
    assert isinstance(short, RequestFinding)
    assert isinstance(tls, RequestFinding)
    assert isinstance(size, RequestFinding)
    assert (http.fault, "HTTP" in http.summary) == (RequestFault.NOT_KAFKA, True)
    assert len({http.cause, tls.cause, size.cause}) == 3
    assert (short.fault, short.frame) == (RequestFault.TOO_SHORT, frame(b"abc"))


def test_a_size_that_is_too_large_is_a_finding() -> None:
    """The request is whole, and the broker waits for more. A request that is cut is none."""
    whole = request(METADATA, 1, 1) + bytes(4)
    right = frame(whole[4:])
    for size in (len(right) - 3, len(right), 1000):
        (found,) = watched([entry(EntryKind.DATA, TO_BROKER, struct.pack(">i", size) + right[4:])])
        assert isinstance(found, RequestFinding)
        assert (found.fault, found.message, found.version) == (
            RequestFault.SIZE_TOO_LARGE,
            "MetadataRequest",
            1,
        )
        assert found.summary == f"the size says {size:,} bytes, and a whole request of 14 bytes came"
    for end in range(len(right)):
        assert watched([entry(EntryKind.DATA, TO_BROKER, right[:end])]) == []


def test_bytes_from_the_broker_are_not_judged() -> None:
    """A response without a request, and bytes that are not a response, are ignored."""
    assert watched([entry(EntryKind.DATA, TO_CLIENT, frame(struct.pack(">i", 3)))]) == []
    assert watched([entry(EntryKind.DATA, TO_CLIENT, b"HTTP/1.1 400 Bad Request\r\n")]) == []
