"""Header versions of the release, and whole frames."""

import struct

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.schema import MessageKind
from tests.support.oracles.kafka_classes import RELEASES, kafka, refused
from wireproof.model.oracle import OracleError, OracleFrame

each_release = pytest.mark.parametrize("version", RELEASES)


def frame(content: str) -> bytes:
    data = bytes.fromhex(content)
    return struct.pack(">i", len(data)) + data


@each_release
def test_header_versions_are_those_of_the_release(version: str) -> None:
    """Flexible requests have 2 and responses 1; otherwise 1 and 0. ApiVersions responds with 0 (KIP-511)."""
    release = kafka(version)
    for cell, layout in release.cells():
        found = release.oracle.header_versions(cell)
        match layout.kind:
            case MessageKind.REQUEST if cell.message == "ControlledShutdownRequest" and cell.version == 0:
                assert found == 0
            case MessageKind.REQUEST:
                assert found == (2 if layout.flexible else 1), cell
            case MessageKind.RESPONSE if cell.message == "ApiVersionsResponse":
                assert found == 0
            case MessageKind.RESPONSE:
                assert found == (1 if layout.flexible else 0), cell
            case _:
                assert found is None, cell


@each_release
@pytest.mark.parametrize(
    ("message", "message_version", "header", "head", "body"),
    [
        ("ApiVersionsRequest", 3, "RequestHeader", "0012 0003 00000001 0001 61 00", "02 61 02 62 00"),
        ("ApiVersionsRequest", 3, "RequestHeader", "0012 0003 00000001 ffff 01 07 01 ee", "02 61 02 62 00"),
        ("ApiVersionsRequest", 0, "RequestHeader", "0012 0000 7fffffff ffff", ""),
        ("ApiVersionsResponse", 3, "ResponseHeader", "00000001", "0000 01 00000000 00"),
        ("HeartbeatResponse", 4, "ResponseHeader", "00000001 01 00 00", "00000000 0000 00"),
    ],
    ids=["flexible", "null client and foreign tag", "before tags", "KIP-511", "foreign tag of a response"],
)
def test_a_frame_is_read_and_written(
    version: str, message: str, message_version: int, header: str, head: str, body: str
) -> None:
    """Size, header and body are read and written unchanged; the two values are separate."""
    release = kafka(version)
    cell, layout = release.cell(message, message_version)
    headers = release.headers(header)
    data = frame(head + body)
    (reply,) = release.oracle.reframe(cell, layout, headers, [data])
    assert isinstance(reply, OracleFrame)
    assert reply.header_version == release.oracle.header_versions(cell)
    assert (reply.written, reply.consumed_bytes) == (data, len(data))
    assert interpret_layout(headers[reply.header_version]).encode(
        canonical(headers[reply.header_version]).from_binary(reply.header)
    ) == bytes.fromhex(head)
    assert interpret_layout(layout).encode(canonical(layout).from_binary(reply.body)) == bytes.fromhex(body)


@each_release
@pytest.mark.parametrize(
    ("data", "consumed"),
    [
        (b"", 0),
        (b"\0\0", 0),
        (struct.pack(">i", 13) + bytes(12), 4),
        (struct.pack(">i", -1), 4),
        (struct.pack(">i", 2) + bytes(12), 4),
    ],
    ids=["nothing", "cut size", "beyond the end", "negative", "inside the header"],
)
def test_a_frame_with_a_wrong_size_is_refused(version: str, data: bytes, consumed: int) -> None:
    """A size that does not match the bytes is refused while reading."""
    release = kafka(version)
    cell, layout = release.cell("ApiVersionsResponse", 3)
    (reply,) = release.oracle.reframe(cell, layout, release.headers("ResponseHeader"), [data])
    assert (refused(reply).stage, refused(reply).consumed_bytes) == ("read", consumed)


@each_release
def test_bytes_after_a_frame_are_not_consumed(version: str) -> None:
    """Bytes after the frame are not consumed."""
    release = kafka(version)
    cell, layout = release.cell("ApiVersionsResponse", 3)
    data = frame("00000001 0000 01 00000000 00")
    (reply,) = release.oracle.reframe(cell, layout, release.headers("ResponseHeader"), [data + b"tail"])
    assert isinstance(reply, OracleFrame)
    assert (reply.written, reply.consumed_bytes) == (data, len(data))


@each_release
def test_impossible_frames_are_an_error(version: str) -> None:
    """A message without a header, and a header without a layout, are errors of the caller."""
    release = kafka(version)
    cell, layout = release.cell("RequestHeader", 1)
    with pytest.raises(OracleError, match="without a header"):
        release.oracle.reframe(cell, layout, {}, [b""])
    cell, layout = release.cell("ApiVersionsRequest", 3)
    with pytest.raises(OracleError, match="header version 2"):
        release.oracle.reframe(cell, layout, {}, [b""])
