"""Header versions: asked cell by cell, kept as ranges, and applied to schemas."""

import pytest

from kafkawire.schema import MessageKind, MessageSpec, SchemaSet, VersionRange
from wireproof.kafka.releases.release_table import ReleaseError
from wireproof.kafka.releases.snapshots import ask_headers, headers_of, with_headers
from wireproof.model.cell import Cell


def spec(name: str, kind: MessageKind, versions: str) -> MessageSpec:
    return MessageSpec(name, kind, VersionRange.parse(versions), VersionRange.NONE, ())


SCHEMAS = SchemaSet(
    "9.1.0",
    {
        "clients": {
            "PingRequest": spec("PingRequest", MessageKind.REQUEST, "1-5"),
            "PingResponse": spec("PingResponse", MessageKind.RESPONSE, "1-5"),
            "GoneRequest": spec("GoneRequest", MessageKind.REQUEST, "none"),
            "Note": spec("Note", MessageKind.DATA, "0-1"),
        }
    },
)


def answer(cell: Cell) -> int | None:
    """Answer 1, 1, 2, 2, 1 for requests, 0 for responses, and fail for other messages."""
    return {"PingRequest": 2 if cell.version in (3, 4) else 1, "PingResponse": 0}[cell.message]


def test_header_versions_are_asked_and_kept_as_ranges() -> None:
    """Adjacent versions with one answer are a range; only current requests and responses are asked."""
    assert ask_headers(SCHEMAS, answer) == {
        "PingRequest": ((VersionRange(1, 2), 1), (VersionRange(3, 4), 2), (VersionRange(5, 5), 1)),
        "PingResponse": ((VersionRange(1, 5), 0),),
    }


def test_a_request_without_a_header_is_an_error() -> None:
    """An oracle without a header for a request gives an error that names the cell."""
    with pytest.raises(ReleaseError, match=r"no header version for 9\.1\.0/PingRequest/1"):
        ask_headers(SCHEMAS, lambda cell: None)


def test_a_table_sets_the_header_versions() -> None:
    """The table sets the versions of the named requests and responses; the rest stays the same."""
    table = ask_headers(SCHEMAS, answer)
    found = with_headers(SCHEMAS, table)
    assert headers_of(found) == table
    assert headers_of(SCHEMAS) == {}
    for name in ("GoneRequest", "Note"):
        assert found.find(name) == SCHEMAS.find(name)


def test_an_incomplete_table_is_an_error() -> None:
    """A version that the table does not cover is an error that names the cell."""
    table = {
        **ask_headers(SCHEMAS, answer),
        "PingRequest": ((VersionRange(1, 2), 1), (VersionRange(4, 5), 1)),
    }
    with pytest.raises(ReleaseError, match=r"no header version is known for 9\.1\.0/PingRequest/3"):
        with_headers(SCHEMAS, table)
