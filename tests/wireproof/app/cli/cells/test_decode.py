"""`decode` names every byte of what it is given, however it is given."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.support.environments import small_corpus
from wireproof.app.cli.cells.decode_command import command
from wireproof.base.exit_codes import FatalError
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, id_of
from wireproof.traffic.corpus.corpus_folder import open_set

REQUEST = "0000000d 0012 0000 00000001 0003 62 61 64"


def decode(*words: object, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(command, [str(word) for word in words], input=stdin, standalone_mode=False)


def refused(*words: object) -> str:
    error = decode(*words).exception
    assert isinstance(error, FatalError | click.ClickException)
    assert error.exit_code == 2
    return str(error)


def test_a_request_says_itself_what_it_is() -> None:
    """Size, header, body; then both values. Without the size it is the same."""
    result = decode(REQUEST)
    assert result.return_value == 0
    assert result.stdout.splitlines() == [
        "ApiVersionsRequest 0, 17 bytes",
        "  0000  00 00 00 0d                             size = 13",
        "  0004  00 12                                   header.requestApiKey = 18",
        "  0006  00 00                                   header.requestApiVersion = 0",
        "  0008  00 00 00 01                             header.correlationId = 1",
        "  000c  00 03 62 61 64                          header.clientId = 'bad'",
        '{"requestApiKey":18,"requestApiVersion":0,"correlationId":1,"clientId":"bad"}',
        "{}",
    ]
    assert decode(REQUEST.replace("0000000d ", "")).stdout == result.stdout


def test_however_it_is_given() -> None:
    """Words, colons, one word, standard input as hex and as it is."""
    data = bytes.fromhex(REQUEST)
    outputs = {
        decode(*REQUEST.split()).stdout,
        decode(data.hex(":")).stdout,
        decode("0x" + data.hex()).stdout,
        decode("-", stdin=REQUEST.encode() + b"\n").stdout,
        decode("-", stdin=data).stdout,
    }
    assert outputs == {decode(REQUEST).stdout}


def test_a_message_by_its_cell() -> None:
    """Its body alone, or a whole frame of it."""
    body = decode("--cell", "ApiVersionsRequest/3", "02 41 02 42 00")
    assert "  0000  02 41                                   clientSoftwareName = 'A'" in body.stdout
    assert '{"clientSoftwareName":"A","clientSoftwareVersion":"B"}' in body.stdout
    frame = decode("--cell", "3.9.2/HeartbeatResponse/0", "00000006 00000007 001b")
    assert "header.correlationId = 7" in frame.stdout
    assert "errorCode = 27" in frame.stdout


def test_what_cannot_be_read_is_shown_up_to_there() -> None:
    """With the reason at its place, and exit code 1."""
    result = decode("--cell", "ApiVersionsRequest/3", "02 41 42")
    assert result.return_value == 1
    assert "  0002  42                                      needs 65 bytes, 0 left" in result.stdout
    assert "cannot be read: truncated: clientSoftwareVersion at byte 2" in result.stderr
    header = decode("--cell", "HeartbeatResponse/0", "00000002 0000")
    assert header.return_value == 1
    assert "header." in header.stderr


def test_an_entry_of_a_corpus(tmp_path: Path) -> None:
    """By the beginning of its id."""
    cells = small_corpus.real_cells("MetadataRequest", 9)
    folder = small_corpus.write_set(tmp_path / "set", small_corpus.real_environment(), cells)
    entries = [each for _, part in open_set(folder).parts() for each in part.entries]
    golden = next(each for each in entries if isinstance(each, GoldenEntry) and each.head)
    result = decode("--corpus", folder, id_of(golden)[:12])
    assert result.return_value == 0
    assert f"{len(golden.frame)} bytes" in result.stdout
    assert "no entry of" in refused("--corpus", folder, "zz")
    assert "entries of" in refused("--corpus", folder, "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["hello"], "is not hexadecimal"),
        (["123"], "is not hexadecimal"),
        (["00 11 22"], "3 bytes are too few for a request"),
        (["ffff 0000 00000001"], "would be api key 65535, which 4.4.0 does not have"),
        (["0003 0063 00000001"], "would be version 99 of MetadataRequest, which 4.4.0 does not have"),
        (["0000000e 0012 0000 00000001 0003 626164"], "14 bytes, and a whole ApiVersionsRequest of 13 bytes"),
        (["0000000c 0012 0000 00000001 0003 626164"], "12 bytes, and a whole ApiVersionsRequest of 13 bytes"),
        (["--cell", "Nope/1", "00"], "has no message 'Nope'"),
        (["--cell", "FetchRequest", "00"], "Write MESSAGE/VERSION"),
        (["--release", "9.9", "00"], "unknown release '9.9'"),
    ],
)
def test_a_mistake_is_reported(words: list[str], says: str) -> None:
    """Each says what is wrong."""
    assert says in refused(*words)


RECORDS = (
    "000000000000000000000044ffffffff02c7e5b91f00000000000100000000000003e800000000000003e9"
    "ffffffffffffffffffffffffffff0000000216000000026b0276020268010c000202010100"
)


def test_records_by_name() -> None:
    """A record set alone and in a message: its batches, records and their keys."""
    alone = decode("--cell", "RecordBatch/2", RECORDS)
    assert alone.return_value == 0
    assert "  0040  02 6b                                   batches[0].records[0].key" not in alone.stdout
    assert "  0042  6b                                      batches[0].records[0].key = b'k'" in alone.stdout
    assert '"baseTimestamp":"1000"' in alone.stdout
    length = f"{len(RECORDS) // 2 + 1:02x}"
    body = f"00 0001 00000001 02 02 74 02 00000000 {length}{RECORDS} 00 00 00"
    inside = decode("--cell", "ProduceRequest/12", body)
    assert inside.return_value == 0
    assert "topicData[0].partitionData[0].records length 80" in inside.stdout
    assert "topicData[0].partitionData[0].records.batches[0].records[1].offsetDelta = 1" in inside.stdout


def test_a_record_set_that_cannot_be_read() -> None:
    """The rest of the set is one row, and the message goes on after it."""
    cut = RECORDS.replace("16000000026b", "16000000fe6b")
    length = f"{len(RECORDS) // 2 + 1:02x}"
    result = decode(
        "--cell", "ProduceRequest/12", f"00 0001 00000001 02 02 74 02 00000000 {length}{cut} 00 00 00"
    )
    assert result.return_value == 1
    assert "records.unread 13 bytes that cannot be read" in result.stdout
    assert "_tags tag count 0" in result.stdout
    assert "a record set cannot be read: truncated: topicData[0].partitionData[0].records" in result.stderr
    assert decode("--cell", "RecordBatch/2", cut).return_value == 1


def test_a_page_of_the_bytes(tmp_path: Path) -> None:
    """It is written beside the dump, loads nothing, and has the dump for browsers without scripts."""
    page = tmp_path / "frame.html"
    result = decode("--html", page, REQUEST)
    assert result.return_value == 0
    assert result.stdout == decode(REQUEST).stdout
    assert f"page: {page}" in result.stderr
    text = page.read_text("utf-8")
    assert "header.clientId = &#39;bad&#39;" in text
    assert " src=" not in text
    assert "http:" not in text
    assert decode("--html", page, "--cell", "ApiVersionsRequest/3", "02 41 42").return_value == 1


def test_a_page_that_cannot_be_written(tmp_path: Path) -> None:
    """The dump is printed, and the error names the file."""
    result = decode("--html", tmp_path / "missing" / "frame.html", REQUEST)
    assert isinstance(result.exception, FatalError)
    assert "frame.html cannot be written: No such file or directory" in str(result.exception)
    assert "header.clientId" in result.stdout
