"""`corpus add`: what a capture saw becomes entries, redacted, few, the same each time."""

import io
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from tests.support.capture.small_capture import (
    API_VERSIONS,
    METADATA,
    PRODUCE,
    RELEASE,
    RecordedConnection,
    SmallCapture,
    brokers,
    topics,
)
from wireproof.app.assembly.corpus.corpus_add import add_capture
from wireproof.app.cli.app import command_line
from wireproof.app.cli.corpus.corpus_command import command
from wireproof.base.exit_codes import FatalError
from wireproof.traffic.corpus.corpus_entry import Entry, GoldenEntry, Provenance
from wireproof.traffic.corpus.corpus_folder import open_set
from wireproof.traffic.wire.segment_format import StreamDirection

SECRET = "s3cr3t"


def added(capture: Path, output: Path, release: str = "") -> str:
    """What the adding said; nobody verifies what was added."""
    said = io.StringIO()
    with redirect_stderr(said):
        add_capture(capture, output, 64 * 1024, release)
    return said.getvalue()


def entries(output: Path) -> list[GoldenEntry]:
    found: list[Entry] = [each for _, part in open_set(output).parts() for each in part.entries]
    assert all(isinstance(each, GoldenEntry) for each in found)
    return [each for each in found if isinstance(each, GoldenEntry)]


def sources(output: Path) -> set[tuple[str, str, str]]:
    """Cell, provenance and client of each entry."""
    return {
        (each.cell.partition("/")[2], str(each.provenance), each.about.get("client", ""))
        for each in entries(output)
    }


def files(folder: Path) -> Mapping[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def greet(talk: RecordedConnection) -> None:
    """The client says what it is, and the broker what it can do."""
    software = {"clientSoftwareName": "libtest", "clientSoftwareVersion": "1.2"}
    keys = [{"apiKey": 3, "minVersion": 7, "maxVersion": 8}, {"apiKey": 18, "minVersion": 3, "maxVersion": 3}]
    talk.exchanged(API_VERSIONS, 3, software, {"errorCode": 0, "apiKeys": keys})


def small(folder: Path) -> SmallCapture:
    """A client that says what it is, and asks for a topic."""
    capture = SmallCapture(folder)
    talk = capture.talk(f"client of {SECRET}")
    greet(talk)
    host = f"{SECRET}.example.com"
    talk.exchanged(METADATA, 8, topics(f"topic {SECRET}"), brokers(host, f"topic {SECRET}"))
    talk.closed()
    return capture


def test_captures_of_several_clusters_are_added_as_one(tmp_path: Path) -> None:
    """A folder of captures gives what each of them has, each thing once, and why pairs were not answered."""
    for name in ("1", "1+zk"):
        small(tmp_path / "captures" / name).close()
    asking = SmallCapture(tmp_path / "captures" / "3")
    talk = asking.talk("other")
    talk.exchanged(API_VERSIONS, 0, {}, {"errorCode": 35, "apiKeys": []})
    talk.closed()
    asking.close()
    books = [
        {"listener": "CLIENT", "pairs": [{"request": "MetadataRequest", "version": 7, "reason": "because"}]}
    ]
    (tmp_path / "captures" / "1" / "capture.json").write_text(
        json.dumps({"workloads": [{"listeners": books}]})
    )
    out = tmp_path / "corpus"
    said = added(tmp_path / "captures", out)
    cells = Counter(each.cell.partition("/")[2] for each in entries(out))
    assert cells["ApiVersionsResponse/0"] == 1
    assert cells["MetadataResponse/8"] == 1
    assert "1+zk/segments/1-CLIENT.wpseg: " in said
    assert "MetadataRequest 7: because" in said


def test_requests_and_responses_become_entries(tmp_path: Path) -> None:
    """With listener, client, time, what was replaced; and the corpus is whole."""
    out = tmp_path / "corpus"
    said = added(small(tmp_path / "capture").close(), out)
    assert sources(out) == {
        (cell, "captured", "libtest 1.2")
        for cell in (
            "ApiVersionsRequest/3",
            "ApiVersionsResponse/3",
            "MetadataRequest/8",
            "MetadataResponse/8",
        )
    }
    (metadata,) = [each for each in entries(out) if each.cell == f"{RELEASE}/MetadataResponse/8"]
    assert metadata.name == "message/telling"
    assert dict(metadata.about) == {
        "listener": "CLIENT",
        "client": "libtest 1.2",
        "time": "2027-01-15T08:00:00.005Z",
        "redaction": {"brokers[].host": 1, "topics[].name": 1},
    }
    assert CliRunner().invoke(command, ["lint", str(out)], standalone_mode=False).return_value == 0
    assert "CLIENT: 2 of 3 advertised pairs answered, 2 with neither an error nor nothing in it" in said
    assert "1 pairs: not asked for" in said


def test_secrets_are_nowhere(tmp_path: Path) -> None:
    """Not in names and contents of files, nor in what the command says; the same topic has one new name."""
    out = tmp_path / "corpus"
    said = added(small(tmp_path / "capture").close(), out)
    for name, data in files(out).items():
        assert SECRET not in name
        assert SECRET.encode() not in data
        assert SECRET.encode().hex().encode() not in data
    assert SECRET not in said
    names = {
        topic["name"] for each in entries(out) if "Metadata" in each.cell for topic in each.value["topics"]
    }
    assert len(names) == 1


def test_the_same_capture_gives_the_same_corpus(tmp_path: Path) -> None:
    """Bit by bit, in a new folder; and added once more it changes nothing."""
    capture = small(tmp_path / "capture").close()
    added(capture, tmp_path / "1")
    added(capture, tmp_path / "2")
    assert files(tmp_path / "1") == files(tmp_path / "2")
    assert "0 entries added, 0 files changed" in added(capture, tmp_path / "1")
    assert files(tmp_path / "1") == files(tmp_path / "2")


def test_another_capture_adds_what_is_new(tmp_path: Path) -> None:
    """An answer of the same kind adds nothing, an error does; what was there stays."""
    out = tmp_path / "corpus"
    added(small(tmp_path / "first").close(), out)
    before = set(entries(out))
    second = SmallCapture(tmp_path / "second")
    talk = second.talk()
    greet(talk)
    talk.exchanged(METADATA, 8, topics("another"), brokers("elsewhere.example", "another"))
    talk.exchanged(METADATA, 8, topics("missing"), brokers("elsewhere.example", "missing", error=3))
    talk.closed()
    added(second.close(), out)
    new = [each for each in entries(out) if each not in before]
    assert before < set(entries(out))
    assert [(each.cell, each.name) for each in new] == [
        (f"{RELEASE}/MetadataResponse/8", "topics[].errorCode/3")
    ]


def test_what_was_added_is_verified(tmp_path: Path) -> None:
    """The command ends as `corpus verify` does: with what was held against whom."""
    capture, out = small(tmp_path / "capture").close(), tmp_path / "corpus"
    asked = ["add", str(capture), "--output", str(out), "--no-java", "--jobs", "1"]
    result = CliRunner().invoke(command, asked, standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 0)
    assert "4 entries of 4 cells against our codec: 4 captured" in result.stderr


def test_few_of_many(tmp_path: Path) -> None:
    """Of a hundred exchanges that show the same one is taken."""
    capture = SmallCapture(tmp_path / "capture")
    talk = capture.talk()
    for number in range(100):
        talk.exchanged(METADATA, 8, topics(f"topic{number:05}"), brokers("host", f"topic{number:05}"))
    talk.closed()
    added(capture.close(), tmp_path / "corpus")
    assert len(entries(tmp_path / "corpus")) == 2


def test_our_own_requests_are_made_and_not_captured(tmp_path: Path) -> None:
    """What a broker took of them is broker-accepted, its answers are captured; what none took is left out."""
    capture = SmallCapture(tmp_path / "capture")
    talk = capture.talk("wireproof")
    talk.exchanged(METADATA, 8, topics("t"), brokers("host", "t"))
    talk.asked(METADATA, 7, topics("t"))
    talk.closed()
    said = added(capture.close(), tmp_path / "corpus")
    assert sources(tmp_path / "corpus") == {
        ("MetadataRequest/8", "broker-accepted", "wireproof"),
        ("MetadataResponse/8", "captured", "wireproof"),
    }
    assert "left out: 1 requests of our own that no broker took" in said


def test_a_request_that_wants_no_answer_is_captured(tmp_path: Path) -> None:
    """A Produce with acks 0, behind which another request is answered."""
    capture = SmallCapture(tmp_path / "capture")
    talk = capture.talk()
    talk.asked(PRODUCE, 9, {"acks": 0, "timeoutMs": 1, "topicData": []})
    talk.exchanged(METADATA, 8, topics("t"), brokers("host", "t"))
    talk.closed()
    added(capture.close(), tmp_path / "corpus")
    assert ("ProduceRequest/9", "captured", "") in sources(tmp_path / "corpus")


def test_what_cannot_be_read_is_quarantined_and_reported(tmp_path: Path) -> None:
    """A response that is no message, an unknown version, another protocol, each by its reason; the rest is
    taken."""
    capture = small(tmp_path / "capture")
    talk = capture.talk()
    talk.asked(METADATA, 8, topics("t"))
    talk.sent(StreamDirection.TO_CLIENT, b"\0\0\0\x06\0\0\0\x01\xff\xff")
    talk.sent(StreamDirection.TO_BROKER, b"\0\0\0\x0a\x00\x03\x00\x63\0\0\0\x02\xff\xff")
    talk.sent(StreamDirection.TO_CLIENT, b"\0\0\0\x05\0\0\0\x02\0")
    talk.closed()
    capture.talk().sent(StreamDirection.TO_BROKER, b"GET / HTTP/1.1\r\n\r\n")
    said = added(capture.close(), tmp_path / "corpus")
    assert "quarantined: 1 MetadataResponse 8: truncated, throttleTimeMs" in said
    assert "left out: 2 frames that the release does not know: unknown-version: api key 3, version 99" in said
    assert "look like HTTP" in said
    assert len(entries(tmp_path / "corpus")) == 4


def test_a_torn_segment_gives_what_is_before_the_tear(tmp_path: Path) -> None:
    """And the tear is reported."""
    capture = small(tmp_path / "capture")
    folder = capture.close()
    whole = capture.path.read_bytes()
    capture.path.write_bytes(whole[:-30])
    said = added(folder, tmp_path / "corpus")
    assert "damaged: 1-CLIENT.wpseg: bytes " in said
    assert len(entries(tmp_path / "corpus")) == 4


def test_the_reasons_of_a_sweep_are_reported(tmp_path: Path) -> None:
    """Why a pair has no answer stands in capture.json."""
    folder = small(tmp_path / "capture").close()
    pair: dict[str, Any] = {"request": "MetadataRequest", "version": 7, "reason": "silent: 5 s"}
    sweep = {"listeners": [{"listener": "CLIENT", "pairs": [pair]}]}
    (folder / "capture.json").write_text(json.dumps({"workloads": [sweep]}), "utf-8")
    assert "MetadataRequest 7: silent: 5 s" in added(folder, tmp_path / "corpus")


def stats(output: Path, *words: str) -> str:
    """What `corpus stats` prints."""
    result = CliRunner().invoke(command, ["stats", str(output), *words], standalone_mode=False)
    assert result.return_value == 0
    return result.stdout


def test_stats_count_what_there_is(tmp_path: Path) -> None:
    """Entries and cells by provenance, responses with content, pairs of each listener; with --missing
    every cell that no broker sent or took, with the reason."""
    out = tmp_path / "corpus"
    capture = small(tmp_path / "capture")
    talk = capture.talk("wireproof")
    talk.exchanged(METADATA, 7, topics("t"), brokers("host", "t", error=3))
    talk.closed()
    added(capture.close(), out)
    said = stats(out)
    assert "4.3.1: 6 entries: 1 broker-accepted, 5 captured\n" in said
    assert " cells: 5 captured, 1 only broker-accepted, 0 only oracle-made, " in said
    assert " cells of responses: 3 captured, 2 (1 %) with neither an error nor nothing in it" in said
    assert "CLIENT: 3 of 3 advertised pairs answered, 2 with" in said
    missing = dict(line.split("\t") for line in stats(out, "--missing").splitlines())
    assert "4.3.1/MetadataRequest/7" not in missing
    assert missing["4.3.1/MetadataRequest/0"] == "no listener that was captured advertises it"
    assert missing["4.3.1/TopicRecord/0"].startswith("it is not sent as a frame")


def sampled(capture: Path, output: Path, *words: str) -> str:
    """What `corpus sample` says."""
    asked = ["sample", str(capture), "--output", str(output), *words]
    result = CliRunner().invoke(command, asked, standalone_mode=False)
    assert result.exception is None
    return result.stderr


def test_a_sample_is_a_capture_that_may_be_shown(tmp_path: Path) -> None:
    """It gives the entries that the capture gives, but for other names, and has no secret; what cannot be
    redacted is not in it; and it is the same each time."""
    capture = small(tmp_path / "capture")
    talk = capture.talk(f"other {SECRET}")
    talk.asked(METADATA, 8, topics(f"topic {SECRET}"))
    talk.sent(StreamDirection.TO_CLIENT, b"\0\0\0\x06\0\0\0\x01\xff\xff")
    talk.closed()
    folder = capture.close()
    said = sampled(folder, tmp_path / "sample")
    assert "left out: " in said
    for data in files(tmp_path / "sample").values():
        assert SECRET.encode() not in data
        assert b"10.0.0." not in data
    added(folder, tmp_path / "1")
    added(tmp_path / "sample", tmp_path / "2")
    first, second = entries(tmp_path / "1"), entries(tmp_path / "2")
    assert [(each.cell, each.name, len(each.body)) for each in first] == [
        (each.cell, each.name, len(each.body)) for each in second
    ]
    sampled(folder, tmp_path / "again")
    assert files(tmp_path / "sample") == files(tmp_path / "again")


def refused(capture: Path, *words: str) -> tuple[int, str]:
    """The exit code and the words of a command that does not do it."""
    asked = ["add", str(capture), "--output", str(capture / "corpus"), *words]
    error = CliRunner().invoke(command, asked, standalone_mode=False).exception
    assert isinstance(error, FatalError | click.ClickException)
    assert not (capture / "corpus").exists()
    return error.exit_code, str(error)


def test_a_folder_without_a_capture_is_refused(tmp_path: Path) -> None:
    """With what should be there."""
    code, words = refused(tmp_path)
    assert code == 2
    assert "has no segments/*.wpseg" in words


def test_a_file_that_is_no_segment_is_refused(tmp_path: Path) -> None:
    """With what it begins with."""
    (tmp_path / "segments").mkdir()
    (tmp_path / "segments" / "1-CLIENT.wpseg").write_bytes(b"nothing of the kind")
    code, words = refused(tmp_path)
    assert code == 2
    assert "1-CLIENT.wpseg: it begins with 6e6f7468" in words
    sample = ["sample", str(tmp_path), "--output", str(tmp_path / "sample")]
    error = CliRunner().invoke(command, sample, standalone_mode=False).exception
    assert isinstance(error, FatalError)
    assert "1-CLIENT.wpseg: it begins with 6e6f7468" in str(error)


def test_the_release_must_be_known(tmp_path: Path) -> None:
    """One that is said twice in different words, or not at all, is asked for; an unknown one is named."""
    assert "several releases" in refused(small(tmp_path / "1").close(), "--release", "3.9.2")[1]
    assert "do not contain their release" in refused(SmallCapture(tmp_path / "2", release="").close())[1]
    assert "9.9.9" in refused(SmallCapture(tmp_path / "3", release="9.9.9").close())[1]


def test_a_release_may_be_called_by_its_line(tmp_path: Path) -> None:
    """4.3 is what the segments call 4.3.1."""
    capture = small(tmp_path / "capture").close()
    added(capture, tmp_path / "corpus", RELEASE.rpartition(".")[0])
    assert entries(tmp_path / "corpus")


def test_an_imported_capture_is_of_the_release_that_is_said(tmp_path: Path) -> None:
    """Where the segments do not say it."""
    capture = SmallCapture(tmp_path / "capture", release="")
    talk = capture.talk()
    talk.exchanged(METADATA, 8, topics("t"), brokers("host", "t"))
    added(capture.close(), tmp_path / "corpus", RELEASE)
    assert {each.provenance for each in entries(tmp_path / "corpus")} == {Provenance.CAPTURED}


def test_a_capture_of_nothing_is_reported(tmp_path: Path) -> None:
    """Exit code 3, where no frame of it could become an entry, and why; the corpus has its account alone."""
    capture = SmallCapture(tmp_path / "capture")
    talk = capture.talk("x")
    talk.sent(StreamDirection.TO_BROKER, b"GET / HTTP/1.1")
    talk.closed()
    words = ["corpus", "add", str(capture.close()), "--output", str(tmp_path / "corpus"), "--no-java"]
    done = CliRunner().invoke(command_line, words)
    assert done.exit_code == 3
    assert "look like HTTP" in done.stderr
    assert "no frame of the capture became an entry" in done.stderr
