"""`pcap export` and `pcap import`: what goes out comes back, and what is wrong with a file is said."""

import struct
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from wireproof.app.cli.capture.pcap_command import command
from wireproof.base.exit_codes import FatalError
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry, SegmentWriter, StreamDirection
from wireproof.traffic.wire.segment_reader import read_segment

ASKED, ANSWERED = b"\0\0\0\5hello", b"\0\0\0\2ok"


def invoke(*words: object, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], input=stdin, standalone_mode=False)


def refused(*words: object) -> tuple[int, str]:
    """The exit code and the words of a command that does not do it."""
    error = invoke(*words).exception
    assert isinstance(error, FatalError | click.ClickException)
    return error.exit_code, str(error)


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """Two listeners with a connection each, of a folder with a space in its name."""
    folder = tmp_path / "a capture"
    (folder / "segments").mkdir(parents=True)
    for node, port in ((1, 9092), (2, 9094)):
        with (folder / "segments" / f"{node}-CLIENT.wpseg").open("xb", buffering=0) as file:
            writer = SegmentWriter(file, bytes(16), {"node": node}, 5)
            opened = {"client": "10.0.0.1:50000", "broker": f"10.0.0.{node}:{port}", "knownStart": True}
            writer.open(1, 6, opened)
            writer.add(EntryKind.DATA, 7, 1, StreamDirection.TO_BROKER, ASKED)
            writer.add(EntryKind.DATA, 8, 1, StreamDirection.TO_CLIENT, ANSWERED)
            writer.add(EntryKind.END, 9, 1, StreamDirection.TO_BROKER)
            writer.add(EntryKind.END, 9, 1, StreamDirection.TO_CLIENT)
            writer.add(EntryKind.CLOSE, 9, 1)
    return folder


def entries(path: Path) -> list[SegmentEntry]:
    with path.open("rb") as file:
        return [part for part in read_segment(file) if isinstance(part, SegmentEntry)]


def sent(path: Path) -> list[bytes]:
    return [each.payload for each in entries(path) if each.kind is EntryKind.DATA]


def exported(capture: Path, *words: object) -> Path:
    out = capture.parent / "seen.pcapng"
    assert invoke("export", capture, "--output", out, *words).return_value == 0
    return out


def test_there_and_back(capture: Path, tmp_path: Path) -> None:
    """A file for each broker, with the bytes of each side, and the connection's start and end."""
    back = tmp_path / "back"
    result = invoke(
        "import", exported(capture), "--output", back, "--broker", "9092", "--broker", "10.0.0.2:9094"
    )
    assert result.return_value == 0
    assert "2 connections to 2 brokers, 30 bytes" in result.stderr
    files = sorted((back / "segments").iterdir())
    assert [each.name for each in files] == ["1-IMPORTED.wpseg", "2-IMPORTED.wpseg"]
    assert [sent(each) for each in files] == [[ASKED, ANSWERED]] * 2
    assert entries(files[1])[0].facts["broker"] == "10.0.0.2:9094"
    assert "OPEN DATA DATA END END CLOSE" in " ".join(each.kind.name for each in entries(files[0]))


def test_one_port_for_all_brokers(capture: Path, tmp_path: Path) -> None:
    """`--port 9092` makes Kafka of them for who takes only that port for it."""
    back = tmp_path / "back"
    assert invoke("import", exported(capture, "--port", 9092), "--output", back).return_value == 0
    assert len(list((back / "segments").iterdir())) == 2


def test_standard_streams(capture: Path, tmp_path: Path) -> None:
    """`-` is standard output, and standard input."""
    out = invoke("export", capture / "segments" / "1-CLIENT.wpseg", "--output", "-").stdout_bytes
    assert invoke("import", "-", "--output", tmp_path / "back", stdin=out).return_value == 0
    assert sent(tmp_path / "back" / "segments" / "1-IMPORTED.wpseg") == [ASKED, ANSWERED]


def test_a_file_that_was_cut(capture: Path, tmp_path: Path) -> None:
    """All before the cut is taken, the cut is reported, and the exit code says that it is not all."""
    whole = exported(capture)
    whole.write_bytes(whole.read_bytes()[:-9])
    result = invoke("import", whole, "--output", tmp_path / "back", "--broker", "9092", "--broker", "9094")
    assert result.return_value == 7
    assert "the file ends within the packet" in result.stderr
    assert sent(tmp_path / "back" / "segments" / "2-IMPORTED.wpseg") == [ASKED, ANSWERED]


def test_a_time_that_no_clock_has_is_imported(capture: Path) -> None:
    """A damaged time of a packet loses no byte of it."""
    seen = exported(capture)
    microseconds = seen.read_bytes().replace(bytes((0, 9, 0, 1, 9)), bytes((0, 9, 0, 1, 6)))
    data, at = bytearray(microseconds), 0
    while (kind := int.from_bytes(data[at : at + 4])) != 6:  # an enhanced packet block
        assert kind in (1, 0x0A0D0D0A)
        at += int.from_bytes(data[at + 4 : at + 8])
    data[at + 12 : at + 20] = b"\xff" * 8
    seen.write_bytes(data)
    folder = capture.parent / "back"
    assert invoke("import", seen, "--output", folder, "--broker", "9092").return_value == 0
    assert sent(folder / "segments" / "1-IMPORTED.wpseg") == [ASKED, ANSWERED]


def test_a_lost_packet_is_named(capture: Path, tmp_path: Path) -> None:
    """Its bytes are counted as sent and not there."""
    whole = exported(capture)
    data = whole.read_bytes()
    at = data.index(ASKED)
    start = max(i for i in range(at) if data[i : i + 4] == struct.pack(">I", 6))
    length = int.from_bytes(data[start + 4 : start + 8], "big")
    whole.write_bytes(data[:start] + data[start + length :])
    result = invoke("import", whole, "--output", tmp_path / "back")
    assert result.return_value == 7
    assert f"{len(ASKED)} bytes are missing" in result.stderr


def test_nobody_there_is_a_broker(capture: Path, tmp_path: Path) -> None:
    """Says who is talked to, and leaves no folder behind."""
    code, words = refused("import", exported(capture), "--output", tmp_path / "back", "--broker", "1")
    assert code == 3
    assert "goes to or from 1\n" in words
    assert "10.0.0.1:50000" in words
    assert not (tmp_path / "back").exists()


def test_a_file_of_another_kind(capture: Path, tmp_path: Path) -> None:
    """Is recognized by its first bytes, in either direction."""
    page = tmp_path / "page.html"
    page.write_text("<html>")
    assert refused("import", page, "--output", tmp_path / "back") == (
        2,
        f"{page}: it begins with 3c68746d: neither pcap nor pcapng",
    )
    code, words = refused("export", page, "--output", tmp_path / "out")
    assert (code, f"{page} is not a segment file" in words) == (2, True)


def test_a_folder_that_is_there(capture: Path) -> None:
    """Is not written into, nor is one without segments read."""
    whole = exported(capture)
    assert refused("import", whole, "--output", capture)[0] == 2
    assert refused("export", capture / "segments", "--output", "-")[0] == 2


def test_a_damaged_segment(capture: Path) -> None:
    """What is damaged is reported, all else is exported, and the exit code says that it is not all."""
    path = capture / "segments" / "1-CLIENT.wpseg"
    data = bytearray(path.read_bytes())
    data[-1 - len(b"x" * 60)] ^= 1
    path.write_bytes(data)
    result = invoke("export", capture, "--output", capture.parent / "out")
    assert result.return_value == 7
    assert "the CRC-32C of an entry is" in result.stderr


def test_without_its_opening_a_connection_has_no_ends(capture: Path) -> None:
    """The damage struck the entry that names them."""
    path = capture / "segments" / "1-CLIENT.wpseg"
    damaged = bytearray(path.read_bytes())
    damaged[damaged.index(b"knownStart")] ^= 1
    path.write_bytes(damaged)
    result = invoke("export", path, "--output", capture.parent / "out")
    assert result.return_value == 7
    assert "0 packets" in result.stderr


@pytest.mark.parametrize("word", ["x", "10.0.0.1", "host:9092", "1:2:3"])
def test_a_broker_that_cannot_be_read(capture: Path, tmp_path: Path, word: str) -> None:
    """The message says how to write one."""
    code, words = refused("import", exported(capture), "--output", tmp_path / "back", "--broker", word)
    assert (code, "write 9092, 10.0.0.7:9092" in words) == (2, True)
