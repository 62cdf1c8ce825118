"""A capture on Spark: the tables of a job add up, and its corpus is the one that one machine writes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from tests.pipeline.small_jobs import LARGEST, QUIET, RELEASE, SAMPLE, plan_of, run, wrong
from tests.support.capture.small_capture import METADATA, SmallCapture, brokers, topics
from wireproof.app.assembly.corpus.corpus_add import add_capture, golden_head, segment_files
from wireproof.app.cli.spark.pipeline_command import exit_code_of, plan_job
from wireproof.base.exit_codes import ExitCode
from wireproof.base.files.own_folders import MARK, MARKER
from wireproof.kafka.releases.release_table import table
from wireproof.pipeline.job.output_folder import open_output, read_job
from wireproof.pipeline.job.spark_job import Job, RowCounts, imbalances
from wireproof.pipeline.job_plan import JobPlan, OutputError, PacketFile, StageError
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.tables import TABLES
from wireproof.pipeline.tables.stages.chunks_table import read_packet_chunks
from wireproof.pipeline.tables.stages.frames_table import read_frames
from wireproof.traffic.wire.packets.packet_writer import PacketWriter
from wireproof.traffic.wire.segment_format import EntryKind, SegmentEntry
from wireproof.traffic.wire.segment_reader import read_segment


def held(folder: Path) -> Mapping[Path, bytes]:
    """Every file of a folder."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def counted(frame: DataFrame, *columns: str) -> Mapping[Any, int]:
    return {tuple(row[:-1]): row[-1] for row in frame.groupBy(*columns).count().toLocalIterator()}


def test_the_corpus_is_that_of_one_machine(sample: tuple[RowCounts, Job, Path], tmp_path: Path) -> None:
    """Entries and the account of coverage, byte for byte."""
    _, _, output = sample
    add_capture(SAMPLE, tmp_path / "corpus", LARGEST, "")
    assert held(output / "corpus") == held(tmp_path / "corpus")


def test_nothing_is_lost_between_two_tables(sample: tuple[RowCounts, Job, Path]) -> None:
    """The counts add up, are those of the tables, and are written down."""
    accounts, job, output = sample
    assert not list(imbalances(accounts))
    assert accounts.chunk_bytes == accounts.frame_bytes > 2_000_000
    assert accounts.frames == accounts.agreed == job.tables["readings"].count() > 11_000
    assert accounts.entries == job.tables["entries"].count() > 2_000
    assert read_job(output)["counts"] == asdict(accounts)


def test_tables_are_as_they_are_described(spark: SparkSession, sample: tuple[RowCounts, Job, Path]) -> None:
    """The tables on disk have the columns of `tables`, in their order and with their types."""
    for each in TABLES:
        found = spark.read.parquet(str(sample[2] / "tables" / each.name)).schema
        assert [(field.name, field.dataType.simpleString()) for field in found] == [
            (field.name, field.dataType.simpleString()) for field in each.schema
        ]


def test_what_is_held_up_has_its_reason(sample: tuple[RowCounts, Job, Path]) -> None:
    """The counts are those of one machine."""
    found = counted(sample[1].tables["quarantine"], "stage", "reason")
    assert found["frames", "requests of our own that no broker took"] > 0
    accounts = sample[0]
    assert sum(found.values()) == accounts.unnamed + accounts.large
    assert accounts.large == found["fingerprints", "frames above 65536 bytes"] > 0


def test_a_count_that_does_not_add_up_is_reported(sample: tuple[RowCounts, Job, Path]) -> None:
    """Each sum of its own."""
    whole = asdict(sample[0])
    for name in ("chunk_bytes", "frames", "divergences", "fingerprint_frames", "chosen"):
        assert len(list(imbalances(RowCounts(**{**whole, name: whole[name] + 1})))) == 1, name


def packets_of(segments: Sequence[Path], path: Path) -> PacketFile:
    """A capture as a tap on the wire would have seen it."""
    brokers: set[str] = set()
    with path.open("wb") as out:
        writer = PacketWriter(out, "test", None)
        for file in segments:
            with file.open("rb") as source:
                for part in read_segment(source):
                    assert isinstance(part, SegmentEntry)
                    writer.feed(file.stem, part)
                    if part.kind is EntryKind.OPEN:
                        brokers.add(str(part.facts["broker"]))
    ends = (each.rpartition(":") for each in sorted(brokers))
    return PacketFile(str(path), path.name, RELEASE, tuple((host, int(port)) for host, _, port in ends))


def test_packets_become_what_segments_become(
    spark: SparkSession, sample: tuple[RowCounts, Job, Path], tmp_path: Path
) -> None:
    """A file of the same capture as packets, in parts of 16 KiB: as many frames, and the same ones.

    That file has holes, which stand where they were: the peer acknowledges what the tap does not have.
    """
    whole = [SAMPLE / "segments" / "1-CONTROLLER.wpseg"]
    packets = packets_of(whole, tmp_path / "tap.pcapng")
    frames = read_frames(read_packet_chunks(spark, [packets], 1 << 14)).cache()
    theirs = sample[1].tables["frames"].where(f.col("file").isin([path.name for path in whole]))
    about = ["direction", "message", "version", "client", "reason"]
    assert counted(frames, *about) == counted(theirs, *about)
    digest = f.sum(f.xxhash64("data") % 1000003).alias("digest")
    sums = [each.where("reason is null").agg(digest).first() for each in (frames, theirs)]
    assert sums[0] == sums[1]


def test_a_tap_that_was_cut_off_is_read_up_to_there(
    spark: SparkSession, kafka_classes: KafkaClasses, tmp_path: Path
) -> None:
    """The packet in which the file ends is reported, and a frame with a missing part is held up."""
    small = SmallCapture(tmp_path / "capture")
    for name in ("t", "u"):
        talk = small.talk()
        talk.exchanged(METADATA, 8, topics(name), brokers("host", name))
        talk.closed()
    packets = packets_of(segment_files(small.close()), tmp_path / "tap.pcap")
    whole = Path(packets.path).read_bytes()
    Path(packets.path).write_bytes(whole[:-70])
    heads = {RELEASE: partial(golden_head, table().find(RELEASE))}
    plan = JobPlan([], [packets], bytes(32), LARGEST, heads, {RELEASE: {}}, {})
    accounts, job = run(spark, kafka_classes, plan, tmp_path / "out")
    assert accounts.frames == 4
    assert counted(job.tables["quarantine"], "stage") == {("chunks",): 1}


def test_a_flipped_bit_loses_a_frame_and_not_the_rest(
    spark: SparkSession, kafka_classes: KafkaClasses, tmp_path: Path
) -> None:
    """The connection goes on at its next frame, and the verdict says that bytes are lost."""
    small = SmallCapture(tmp_path / "capture")
    talk = small.talk()
    for number in range(20):
        talk.exchanged(METADATA, 8, topics(f"t{number}"), brokers("host", f"t{number}"))
    talk.closed()
    folder = small.close()
    (path,) = segment_files(folder)
    with path.open("rb") as file:
        read = [part for part in read_segment(file) if isinstance(part, SegmentEntry)]
    broken = bytearray(path.read_bytes())
    broken[read[12].offset + 30] ^= 1
    path.write_bytes(broken)
    accounts, job = run(spark, kafka_classes, plan_of(folder), tmp_path / "out")
    assert (accounts.damaged, accounts.divergences) == (1, 0)
    assert accounts.frames == accounts.agreed >= 38
    assert counted(job.tables["quarantine"], "stage")["chunks",] == 1
    assert exit_code_of(accounts) is ExitCode.BELOW_FLOOR


def test_bad_input_is_held_up_and_the_job_goes_on(odd: tuple[RowCounts, Job]) -> None:
    """Each with its reason, at the stage that could not go on with it."""
    found = counted(odd[1].tables["quarantine"], "stage", "message")
    assert found == {
        ("chunks", None): 1,
        ("frames", None): 3,
        ("readings", "MetadataRequest"): 1,
        ("readings", "MetadataResponse"): 1,
        ("readings", "ProduceRequest"): 1,
    }
    reasons = {row.reason for row in odd[1].tables["quarantine"].select("reason").toLocalIterator()}
    assert {words for words in reasons if "HTTP" in words or "unknown-api" in words or "torn" in words}
    assert "our codec writes it otherwise" in reasons


def test_releases_may_be_mixed(spark: SparkSession, kafka_classes: KafkaClasses, tmp_path: Path) -> None:
    """Each frame is read by the classes of its own broker, and becomes an entry of that release."""
    releases = (RELEASE, "3.9.2")
    for each in releases:
        small = SmallCapture(tmp_path / each, release=each)
        talk = small.talk()
        talk.exchanged(METADATA, 8, topics("t"), brokers("host", "t"))
        talk.closed()
        small.close()
    plan, _ = plan_job([tmp_path / each for each in releases], "", [], LARGEST, QUIET)
    accounts, job = run(spark, kafka_classes, plan, tmp_path / "out")
    assert accounts.agreed == 4
    assert counted(job.tables["entries"], "release", "message") == {
        (release, message): 1 for release in releases for message in ("MetadataRequest", "MetadataResponse")
    }
    corpus = tmp_path / "out" / "corpus"
    assert sorted(each.name for each in (corpus / "golden").iterdir()) == sorted(releases)


def test_frames_that_are_not_read_alike_are_divergences(odd: tuple[RowCounts, Job]) -> None:
    """With the verdict, and where the two differ."""
    rows = list(odd[1].tables["divergences"].orderBy("message").toLocalIterator())
    assert [(row.message, row.verdict) for row in rows] == [
        ("MetadataRequest", "read by neither"),
        ("MetadataResponse", "read by neither"),
        ("ProduceRequest", "written otherwise by both"),
    ]
    assert rows[2].path == "topicData"
    assert "Kafka writes other bytes" in rows[2].summary


def test_what_is_right_among_it_becomes_entries(odd: tuple[RowCounts, Job]) -> None:
    """The sound exchange, and the answer to the request that is none."""
    messages = sorted(row.message for row in odd[1].tables["entries"].toLocalIterator())
    assert messages == ["MetadataRequest", "MetadataResponse", "ProduceResponse"]


def test_a_job_that_is_whole_is_not_touched(sample: tuple[RowCounts, Job, Path]) -> None:
    """Nor is a folder that is something else, or the output of another job."""
    _, _, output = sample
    with pytest.raises(OutputError, match="whole"), open_output(output, plan_of(SAMPLE).about):
        pass
    with pytest.raises(OutputError, match="not the output of a job"), open_output(output / "corpus", {}):
        pass


def test_two_at_once_do_not_write_one_folder(tmp_path: Path) -> None:
    """The second one gets an error, and another job's beginnings are not continued."""
    output, about = tmp_path / "out", {"files": 1}
    with open_output(output, about), pytest.raises(OutputError, match="in use"), open_output(output, about):
        pass
    with pytest.raises(OutputError, match="another job"), open_output(tmp_path / "out", {"files": 2}):
        pass


def test_a_job_that_was_broken_off_goes_on(
    spark: SparkSession, kafka_classes: KafkaClasses, tmp_path: Path
) -> None:
    """It goes on after the last whole table, which is not made again; a damaged one is named. A corpus that
    it did not make stays."""
    capture = wrong(tmp_path / "capture")
    plan, output = plan_of(capture), tmp_path / "out"
    run(spark, kafka_classes, plan, output)
    said = json.loads((output / "job.json").read_text("utf-8"))
    (output / "job.json").write_text(json.dumps({"job": said["job"], "about": said["about"]}), "utf-8")
    (output / "tables" / "fingerprints" / "_SUCCESS").unlink()
    with pytest.raises(StageError, match="corpus exists and has no marker"):
        run(spark, kafka_classes, plan, output)
    assert list(output.glob("corpus/golden/*"))
    (output / "corpus" / MARKER).write_bytes(MARK)  # as a job leaves it that is broken off at its end
    (output / "tables" / "fingerprints" / "_SUCCESS").unlink()
    frames = sorted((output / "tables" / "frames").iterdir())
    times = [path.stat().st_mtime_ns for path in frames]
    accounts, _ = run(spark, kafka_classes, plan, output)
    assert asdict(accounts) == said["counts"]
    assert [path.stat().st_mtime_ns for path in frames] == times
    (output / "job.json").write_text(json.dumps({"job": said["job"], "about": said["about"]}), "utf-8")
    for path in output.glob("tables/readings/*.parquet"):
        path.write_bytes(b"PAR1 no longer")
    (output / "tables" / "fingerprints" / "_SUCCESS").unlink()
    with pytest.raises(StageError, match=r"readings cannot be read.*\n.*Delete"):
        run(spark, kafka_classes, plan, output)
