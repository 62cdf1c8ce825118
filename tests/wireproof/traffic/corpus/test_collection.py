"""Collection of candidates from captures: the order of files and connections does not matter."""

from pathlib import Path

from tests.support.capture.small_capture import (
    METADATA,
    NAMING,
    PRODUCE,
    RELEASE,
    SmallCapture,
    brokers,
    topics,
)
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.corpus.candidates import Candidate, FrameLocation, FrameReader, rank_of
from wireproof.traffic.corpus.collection import CaptureCollector
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer
from wireproof.traffic.wire.inner_messages import InnerMessageReader
from wireproof.traffic.wire.segment_format import StreamDirection

LOGS = InnerMessageReader(load_snapshot(table().find(RELEASE)))
KEY = bytes(32)


def capture(folder: Path, *sizes: int) -> Path:
    """Write a segment file with a Metadata exchange for each number of topics, each on its own connection."""
    small = SmallCapture(folder)
    for size in sizes:
        talk = small.talk()
        names = [f"topic-{n}" for n in range(size)]
        talk.exchanged(METADATA, 8, topics(*names), brokers("host", *names))
        talk.closed()
    small.close()
    return small.path


def gathered(*files: tuple[str, Path]) -> list[Candidate]:
    gathering = CaptureCollector(NAMING, FrameReader(NAMING, LOGS, Pseudonymizer(KEY)), 1 << 16)
    for name, path in files:
        with path.open("rb") as file:
            gathering.read(file, name)
    cells = sorted(gathering.cells(), key=lambda cell: (cell.layout.name, cell.provenance))
    return [each for cell in cells for each in cell.candidates]


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    """In reverse order the same frames are chosen."""
    one, other = capture(tmp_path / "one", 2, 1, 3), capture(tmp_path / "other", 3, 2, 0)
    first = gathered(("a", one), ("b", other))
    assert first == gathered(("b", other), ("a", one))
    assert {each.origin.place.file for each in first} == {"a", "b"}


def test_of_frames_with_equal_fingerprints_a_small_one_is_kept(tmp_path: Path) -> None:
    """The large frame came first, but 100 topics are as good an example as 20 and longer to read."""
    found = gathered(("a", capture(tmp_path, 100, 20)))
    responses = [each for each in found if each.layout.name == "MetadataResponse"]
    assert [each.origin.place.connection for each in responses] == [2]


def test_all_frames_of_at_most_512_bytes_count_as_small() -> None:
    """Up to 512 bytes the first frame wins; above that, one of half the size."""
    first, later = FrameLocation("a", 1, 0, 0), FrameLocation("a", 2, 0, 0)
    assert rank_of(first, 512) < rank_of(later, 40)
    assert rank_of(first, 1000) < rank_of(later, 600)
    assert rank_of(later, 512) < rank_of(first, 513)


def test_an_inner_message_follows_its_frame() -> None:
    """Inner messages come after their frame and before the next frame."""
    places = [
        FrameLocation("a", 1, 0, 8),
        FrameLocation("a", 1, 0, 7, 2),
        FrameLocation("a", 1, 0, 7),
        FrameLocation("a", 1, 0, 7, 1),
    ]
    assert [each.inner for each in sorted(places)] == [0, 1, 2, 0]


def test_bytes_that_our_codec_writes_differently_are_not_a_candidate(tmp_path: Path) -> None:
    """Our codec reads a length in a longer form than necessary, but does not write it so."""
    small = SmallCapture(tmp_path)
    talk = small.talk()
    body = {"acks": 1, "timeoutMs": 5, "topicData": []}
    codec = NAMING.codec(NAMING.request(PRODUCE, 9))  # type: ignore[arg-type]  # it has a name
    header = {"requestApiKey": PRODUCE, "requestApiVersion": 9, "correlationId": 1, "clientId": "x"}
    whole = codec.encode(header, body)
    # The last two bytes: the count of topics plus 1 as a varint, which is 1, and no tags.
    padded = whole[4:-2] + b"\x81\x00\x00"
    talk.sent(StreamDirection.TO_BROKER, len(padded).to_bytes(4, "big") + padded)
    answer = NAMING.codec(NAMING.response(PRODUCE, 9))  # type: ignore[arg-type]  # it has a name
    talk.sent(StreamDirection.TO_CLIENT, answer.encode({"correlationId": 1}, {"responses": []}))
    small.close()
    gathering = CaptureCollector(NAMING, FrameReader(NAMING, LOGS, Pseudonymizer(KEY)), 1 << 16)
    with small.path.open("rb") as file:
        gathering.read(file, "a")
    assert [cell.layout.name for cell in gathering.cells()] == ["ProduceResponse"]
    assert gathering.quarantined == {"ProduceRequest 9: our codec writes it otherwise": 1}
