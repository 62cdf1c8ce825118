"""tshark, which knows Kafka up to about 2.5, as a second opinion on what does not depend on versions."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.documents import first_page
from wireproof.traffic.wire.request_matcher import Exchange, Frame, UnpairedFrame
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, StreamDirection
from wireproof.traffic.wire.segment_reader import read_segment
from wireproof.traffic.wire.stream_assembler import StreamAssembler

SAMPLE = first_page.ROOT / "corpus" / "sample"
FIELDS = ("kafka.len", "kafka.api_key", "kafka.api_version", "kafka.correlation_id", "kafka.client_id")

Row = tuple[str, ...]
"""Size, api key, version, correlation id, client id; of responses size and correlation id alone."""


@pytest.fixture(scope="module")
def packets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample as packets, all brokers at the port that tshark takes for Kafka's."""
    path = tmp_path_factory.mktemp("tshark") / "sample.pcapng"
    command = [sys.executable, "-m", "wireproof", "pcap", "export", str(SAMPLE), "--port", "9092"]
    subprocess.run([*command, "--output", str(path)], check=True)
    return path


def tshark(*words: str) -> str:
    return subprocess.run(["tshark", *words], capture_output=True, text=True, check=True).stdout


def theirs(packets: Path) -> Counter[Row]:
    """A row for each frame that tshark makes out; of a response without what it knows from elsewhere."""
    columns = [word for name in FIELDS for word in ("-e", name)]
    output = tshark("-r", str(packets), "-Y", "kafka.len", "-T", "fields", "-E", "occurrence=f", *columns)
    rows = (line.split("\t") for line in output.splitlines())
    return Counter(
        (size, key, version, correlation_id, client) if version else (size, "", "", correlation_id, "")
        for size, key, version, correlation_id, client in rows
    )


def ours() -> Counter[Row]:
    """A row for each frame of the sample that is no token of SASL."""
    rows: Counter[Row] = Counter()
    for path in sorted((SAMPLE / "segments").glob("*.wpseg")):
        talks: dict[int, StreamAssembler] = {}
        with path.open("rb") as file:
            for part in read_segment(file):
                assert isinstance(part, SegmentEntry)
                if part.kind is EntryKind.FACTS:
                    continue
                for settled in talks.setdefault(part.connection, StreamAssembler()).feed(part):
                    match settled:
                        case Exchange():
                            rows[_request(settled.request)] += 1
                            rows[_response(settled.response)] += 1
                        case UnpairedFrame(direction=StreamDirection.TO_BROKER):
                            rows[_request(settled.frame)] += 1
                        case UnpairedFrame():
                            rows[_response(settled.frame)] += 1
                        case _:
                            pass
        for talk in talks.values():
            rows.update(
                _request(each.frame)
                for each in talk.close()
                if isinstance(each, UnpairedFrame) and each.direction is StreamDirection.TO_BROKER
            )
    return rows


def _number(data: memoryview) -> str:
    return str(int.from_bytes(data, "big", signed=True))


def _request(frame: Frame) -> Row:
    head = frame.content
    length = int.from_bytes(head[8:10], "big", signed=True)
    client = bytes(head[10 : 10 + max(0, length)]).decode()
    numbers = (_number(head[0:2]), _number(head[2:4]), _number(head[4:8]))
    return (str(len(head)), *numbers, client)


def _response(frame: Frame) -> Row:
    return (str(len(frame.content)), "", "", _number(frame.content[:4]), "")


def test_every_frame_is_what_tshark_says(packets: Path) -> None:
    """Size, api key, version, correlation id and client id of each; tshark sees none that we do not."""
    mine, other = ours(), theirs(packets)
    assert sum(mine.values()) > 10_000
    assert not mine - other
    # Tokens of SASL have no header; it may take them for requests.
    assert sum((other - mine).values()) <= _entries(EntryKind.DATA, "1-SASL")


def test_tcp_is_whole(packets: Path) -> None:
    """No checksum is wrong, nothing comes again or out of order, and what is missing are our holes."""
    checked = ("-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-r", str(packets), "-Y")
    wrong = ("tcp.checksum.status == 0", "ip.checksum.status == 0", "tcp.analysis.retransmission")
    assert tshark(*checked, " || ".join((*wrong, "tcp.analysis.out_of_order"))) == ""
    missing = tshark(*checked, "tcp.analysis.lost_segment").splitlines()
    assert len(missing) == _entries(EntryKind.HOLE)


def _entries(kind: EntryKind, name: str = "*") -> int:
    """How many entries of a kind the segments have."""
    count = 0
    for path in (SAMPLE / "segments").glob(f"{name}.wpseg"):
        with path.open("rb") as file:
            count += sum(
                1 for part in read_segment(file) if isinstance(part, SegmentEntry) and part.kind is kind
            )
    return count


def test_the_page_shows_tsharks_view() -> None:
    """Written again, it is equal. If the sample changed: python tests/support/documents/first_page.py"""
    blocks = first_page.blocks()
    assert (blocks["tshark-request"], blocks["tshark-response"]) == first_page.tsharks()
