"""Segment files: written entries are read back, also from a damaged file."""

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wireproof.traffic.wire.segment_format import (
    MAX_PAYLOAD_BYTES,
    EntryKind,
    SegmentDamage,
    SegmentEntry,
    SegmentFormatError,
    SegmentPart,
    SegmentWriter,
    StreamDirection,
)
from wireproof.traffic.wire.segment_reader import SegmentFollower, read_segment, segment_facts, with_holes

MARKER = bytes(range(100, 116))
BEGIN_BYTES = 24


def written(chunks: list[bytes]) -> bytes:
    """Return a file with an entry of DATA for each chunk, at times 1, 2, ..."""
    file = io.BytesIO()
    writer = SegmentWriter(file, MARKER, {"node": 1}, 0)
    for number, chunk in enumerate(chunks, 1):
        writer.add(EntryKind.DATA, number, 7, StreamDirection(number % 2), chunk)
    assert writer.position == len(file.getvalue())
    return file.getvalue()


def entries(data: bytes, start: int = 0, end: int | None = None) -> list[SegmentEntry]:
    """Return the entries of a part of a file; damage fails."""
    parts = list(read_segment(io.BytesIO(data), start, end))
    assert not [each for each in parts if isinstance(each, SegmentDamage)]
    return [each for each in parts if isinstance(each, SegmentEntry)]


def payloads(data: bytes) -> list[bytes]:
    """Return the bytes of the DATA entries, whatever else is in the file."""
    parts = read_segment(io.BytesIO(data))
    return [each.payload for each in parts if isinstance(each, SegmentEntry) and each.kind is EntryKind.DATA]


LONG = [bytes([number]) * 3000 for number in range(100)]
"""About 300 KB: four markers."""


def test_written_entries_are_read_back() -> None:
    """Kind, time, connection, direction and bytes are read back; the facts come first."""
    data = written([b"", b"\0\xff", b"three"])
    facts, *rest = entries(data)
    assert facts.kind is EntryKind.FACTS
    assert segment_facts(io.BytesIO(data)) == {"node": 1}
    assert [(each.time_ns, each.connection, each.direction, each.payload) for each in rest] == [
        (1, 7, StreamDirection.TO_CLIENT, b""),
        (2, 7, StreamDirection.TO_BROKER, b"\0\xff"),
        (3, 7, StreamDirection.TO_CLIENT, b"three"),
    ]
    assert [data[each.offset : each.offset + 4] for each in rest] == [
        struct.pack(">I", size) for size in (0, 2, 5)
    ]


def test_a_cut_file_gives_its_whole_entries() -> None:
    """Each whole entry is returned, and the rest is reported as one torn entry."""
    chunks = [b"a", b"bb", b"", b"cccc"]
    data = written(chunks)
    ends = [each.offset + 22 + len(each.payload) for each in entries(data)]
    for length in range(BEGIN_BYTES, len(data)):
        parts = list(read_segment(io.BytesIO(data[:length])))
        whole = sum(end <= length for end in ends)
        assert len([each for each in parts if isinstance(each, SegmentEntry)]) == whole
        damage = [each for each in parts if isinstance(each, SegmentDamage)]
        last = max([end for end in ends if end <= length], default=BEGIN_BYTES)
        assert [(each.offset, each.end, each.torn) for each in damage] == (
            [] if length == last else [(last, length, True)]
        )


@given(st.lists(st.integers(0, 320_000), max_size=6))
def test_parts_of_a_file_give_each_entry_once(cuts: list[int]) -> None:
    """Reading the parts one by one gives the same as reading the file."""
    data = written(LONG)
    bounds = [0, *sorted(cuts)]
    pieces = zip(bounds, [*bounds[1:], None], strict=True)
    assert [entry for start, end in pieces for entry in entries(data, start, end)] == entries(data)


@given(st.data())
def test_a_wrong_byte_loses_one_entry(data: st.DataObject) -> None:
    """The place of a wrong byte is reported, and reading continues with the next entry that fits."""
    whole = written(LONG)
    place = data.draw(st.integers(BEGIN_BYTES, len(whole) - 1))
    wrong = whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :]
    parts = list(read_segment(io.BytesIO(wrong)))
    (damage,) = [each for each in parts if isinstance(each, SegmentDamage)]
    assert damage.offset <= place < damage.end
    kept = [each for each in parts if isinstance(each, SegmentEntry)]
    assert [each for each in entries(whole) if not damage.offset <= each.offset < damage.end] == kept
    assert len(kept) >= len(entries(whole)) - 1


@given(st.data())
def test_parts_of_a_damaged_file_give_what_the_whole_gives(data: st.DataObject) -> None:
    """Damage that reaches across a marker is reported once, whichever part it is in."""
    whole = bytearray(written(LONG))
    for place in data.draw(st.lists(st.integers(BEGIN_BYTES, len(whole) - 1), max_size=4)):
        whole[place] ^= data.draw(st.integers(1, 255))
    bounds = [0, *sorted(data.draw(st.lists(st.integers(0, 320_000), max_size=6)))]
    pieces = zip(bounds, [*bounds[1:], None], strict=True)
    wanted = list(read_segment(io.BytesIO(whole)))
    found = [part for start, end in pieces for part in read_segment(io.BytesIO(whole), start, end)]
    assert [each for each in found if isinstance(each, SegmentEntry)] == [
        each for each in wanted if isinstance(each, SegmentEntry)
    ]


def test_decoys_do_not_make_the_search_quadratic() -> None:
    """Heads of long entries that do not fit are not all checked: the checksums read less than ten files."""
    decoy = struct.pack(">IIQIBB", 200_000, 1, 0, 7, EntryKind.DATA, 0)
    data = written([decoy * 20_000])
    broken = bytearray(data)
    broken[BEGIN_BYTES + 60] ^= 1
    file = CountedReads(bytes(broken))
    list(read_segment(file))
    assert file.given < 10 * len(data) + (8 << 20)


class CountedReads(io.BytesIO):
    """A file that counts the bytes it gives."""

    given = 0

    def read(self, size: int | None = -1) -> bytes:
        """Count them."""
        found = super().read(size)
        self.given += len(found)
        return found


def test_damage_is_a_hole_in_each_open_connection() -> None:
    """Data of a connection whose opening was lost come after an opening with an unknown start."""

    def entry(kind: EntryKind, number: int, offset: int) -> SegmentEntry:
        payload = b"{}" if kind is EntryKind.OPEN else b"data"
        return SegmentEntry(offset, offset, number, kind, StreamDirection.TO_BROKER, payload)

    parts: list[SegmentPart] = [
        entry(EntryKind.OPEN, 1, 1),
        entry(EntryKind.OPEN, 2, 2),
        entry(EntryKind.CLOSE, 2, 3),
        SegmentDamage(4, 5, "a test"),
        entry(EntryKind.DATA, 3, 6),
        entry(EntryKind.DATA, 1, 7),
    ]
    made = [
        (each.connection, each.kind.name, each.direction) if isinstance(each, SegmentEntry) else "damage"
        for each in with_holes(parts)
    ]
    assert made == [
        (1, "OPEN", 0),
        (2, "OPEN", 0),
        (2, "CLOSE", 0),
        "damage",
        (1, "HOLE", 0),
        (1, "HOLE", 1),
        (3, "OPEN", 0),
        (3, "DATA", 0),
        (1, "DATA", 0),
    ]


def test_a_length_above_the_limit_is_damage_and_takes_no_memory() -> None:
    """An entry that claims a length above the limit is not read."""
    data = written([b"a"])
    head = struct.pack(">IIQIBB", MAX_PAYLOAD_BYTES + 1, 0, 0, 0, 3, 0)
    *_, last = read_segment(io.BytesIO(data + head))
    assert isinstance(last, SegmentDamage)
    assert "at most" in last.reason


def test_a_long_chunk_is_several_entries() -> None:
    """DATA of any length can be written; each entry keeps to the limit."""
    chunk = b"x" * (MAX_PAYLOAD_BYTES + 5)
    assert [len(each) for each in payloads(written([chunk]))] == [MAX_PAYLOAD_BYTES, 5]
    writer = SegmentWriter(io.BytesIO(), MARKER, {}, 0)
    with pytest.raises(ValueError, match="RESET of"):
        writer.add(EntryKind.RESET, 0, payload=chunk)


@pytest.mark.parametrize("data", [b"", b"WPSEG", b"PK\3\4" + bytes(40), b"WPSEG\x01\n" + bytes(40)])
def test_another_file_is_refused(data: bytes) -> None:
    """The file has another format, is cut in its header, or was transferred as text."""
    with pytest.raises(SegmentFormatError):
        list(read_segment(io.BytesIO(data)))


def test_a_file_without_facts_is_refused() -> None:
    """If the writer is killed before the first entry, the file has no facts."""
    with pytest.raises(SegmentFormatError, match="first entry"):
        segment_facts(io.BytesIO(written([])[:BEGIN_BYTES]))


def test_a_partial_write_is_continued() -> None:
    """Unbuffered files may write fewer bytes than they are given."""

    class Stingy(io.BytesIO):
        def write(self, data: memoryview) -> int:  # type: ignore[override]
            return super().write(bytes(data[:7]))

    stingy = Stingy()
    SegmentWriter(stingy, MARKER, {"node": 1}, 0).add(EntryKind.DATA, 5, 1, payload=b"y" * 50)
    assert payloads(stingy.getvalue()) == [b"y" * 50]


def test_a_follower_returns_each_entry_when_it_is_whole() -> None:
    """The file grows byte by byte: no entry comes twice or late, and markers are skipped."""
    data = written([b"a" * 30_000, b"", b"b" * 40_000, b"c" * 10])
    file = io.BytesIO()
    follower = SegmentFollower(file)
    ends = [each.offset + 22 + len(each.payload) for each in entries(data)]
    seen: list[SegmentEntry] = []
    for start, end in zip([0, *ends], [*ends, len(data)], strict=True):
        for part in (data[start : end - 1], data[end - 1 : end]):
            file.seek(0, 2)
            file.write(part)
            seen += follower.entries()
            assert len(seen) == sum(each <= len(file.getvalue()) for each in ends)
    assert seen == entries(data)


def test_a_follower_does_not_wait_after_damage() -> None:
    """A wrong checksum does not become right, and neither does the header of another file."""
    data = bytearray(written([b"abc", b"def"]))
    data[-1] ^= 1
    with pytest.raises(SegmentFormatError, match="CRC-32C"):
        list(SegmentFollower(io.BytesIO(bytes(data))).entries())
    with pytest.raises(SegmentFormatError, match="it begins with"):
        list(SegmentFollower(io.BytesIO(b"<html>" * 10)).entries())
