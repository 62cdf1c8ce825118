"""Identification of the messages in frames, by the schemas of a release."""

import struct

import pytest

from kafkawire.headers import FrameCodec
from tests.wireproof.traffic.wire.sized_frames import framed
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.wire.frame_identifier import (
    FrameIdentifier,
    FrameType,
    UnknownFrameReason,
    UnknownFrameType,
)
from wireproof.traffic.wire.request_matcher import Exchange, Frame, RequestResponseMatcher
from wireproof.traffic.wire.segment_format import StreamDirection

RELEASE = table().find("4.3.1")


@pytest.fixture(scope="module")
def naming() -> FrameIdentifier:
    """Return the names of 4.3.1."""
    return FrameIdentifier(load_snapshot(RELEASE))


def exchange(request: bytes, response: bytes) -> Exchange:
    """Return the exchange of two frames."""
    pairing = RequestResponseMatcher()
    list(pairing.feed(StreamDirection.TO_BROKER, Frame(0, request)))
    (settled,) = pairing.feed(StreamDirection.TO_CLIENT, Frame(0, response))
    assert isinstance(settled, Exchange)
    return settled


@pytest.mark.parametrize(
    ("api_key", "version", "names", "headers"),
    [
        (3, 13, ("MetadataRequest", "MetadataResponse"), (2, 1)),
        (18, 4, ("ApiVersionsRequest", "ApiVersionsResponse"), (2, 0)),
        (18, 0, ("ApiVersionsRequest", "ApiVersionsResponse"), (1, 0)),
        (17, 1, ("SaslHandshakeRequest", "SaslHandshakeResponse"), (1, 0)),
    ],
)
def test_a_known_pair_has_its_messages(
    naming: FrameIdentifier, api_key: int, version: int, names: tuple[str, str], headers: tuple[int, int]
) -> None:
    """Key and version give message and header; the response of ApiVersions always has header 0."""
    both = naming.request(api_key, version), naming.response(api_key, version)
    assert all(isinstance(each, FrameType) for each in both)
    assert tuple(each.message for each in both if isinstance(each, FrameType)) == names
    assert tuple(each.layout.header_version for each in both if isinstance(each, FrameType)) == headers


def test_an_unknown_key_or_version_has_no_codec(naming: FrameIdentifier) -> None:
    """An unknown key has no name; a newer version has the name of its message."""
    assert naming.request(900, 0) == UnknownFrameType(UnknownFrameReason.UNKNOWN_API, 900, 0)
    assert naming.request(3, 99) == UnknownFrameType(
        UnknownFrameReason.UNKNOWN_VERSION, 3, 99, "MetadataRequest"
    )


def test_the_response_to_an_unsupported_api_versions_is_in_version_0(naming: FrameIdentifier) -> None:
    """KIP-511: a broker that lacks the version responds in version 0 with an error."""
    asked = framed(struct.pack(">hhih", 18, 99, 7, -1) + b"\0\1\1\0")
    declined = framed(struct.pack(">ih", 7, 35) + struct.pack(">ihhh", 1, 18, 0, 4))
    names = naming.exchange(exchange(asked, declined))
    assert isinstance(names.request, UnknownFrameType)
    assert isinstance(names.response, FrameType)
    assert names.response.version == 0
    header, body = naming.codec(names.response).decode(declined)
    assert header["correlationId"] == 7
    assert body == {"errorCode": 35, "apiKeys": [{"apiKey": 18, "minVersion": 0, "maxVersion": 4}]}


def test_the_codec_of_a_name_is_made_once(naming: FrameIdentifier) -> None:
    """Frames of one name share a codec."""
    named = naming.request(3, 13)
    assert isinstance(named, FrameType)
    codec = naming.codec(named)
    assert isinstance(codec, FrameCodec)
    assert codec is naming.codec(named)
