"""A capture on Spark: the tables of a job add up, and its corpus is the one that one machine writes."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console

from small_capture import METADATA, NAMING, PRODUCE, SmallCapture, brokers, topics
from wireproof.cli.corpus_add import add_capture, capture_key, golden_head
from wireproof.cli.segment_files import segment_files
from wireproof.frames import Direction
from wireproof.pipeline.accounts import Accounts, imbalances
from wireproof.pipeline.errors import OutputError, StageError
from wireproof.pipeline.job import Job, JobPlan
from wireproof.pipeline.kafka import KafkaClasses
from wireproof.pipeline.output import open_output, read_job
from wireproof.pipeline.progress import JobProgress
from wireproof.pipeline.reading import SegmentFile
from wireproof.pipeline.tables import TABLES
from wireproof.releases import table

RELEASE = "4.3.1"
SAMPLE = Path(__file__).parents[2] / "corpus" / "sample"
LARGEST = 64 * 1024


def plan_of(capture: Path, largest: int = LARGEST) -> JobPlan:
    """All that `wireproof pipeline run` would make of a capture."""
    paths = segment_files(capture)
    files = [SegmentFile(str(path), path.name, RELEASE, path.stem.partition("-")[2]) for path in paths]
    heads = {RELEASE: partial(golden_head, table().find(RELEASE))}
    return JobPlan(files, capture_key(paths), largest, heads, {RELEASE: {}}, {"capture": str(capture)})


def run(spark: SparkSession, kafka: KafkaClasses, plan: JobPlan, output: Path) -> tuple[Accounts, Job]:
    with open_output(output, plan.about):
        job = Job(spark, kafka, plan, output, JobProgress(Console(quiet=True)))
        return job.run(), job


def held(folder: Path) -> Mapping[Path, bytes]:
    """Every file of a folder."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def counted(frame: DataFrame, *columns: str) -> Mapping[Any, int]:
    return {tuple(row[:-1]): row[-1] for row in frame.groupBy(*columns).count().toLocalIterator()}


@pytest.fixture(scope="module")
def sample(
    spark: SparkSession, kafka_classes: KafkaClasses, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Accounts, Job, Path]:
    """The capture that the repository holds."""
    output = tmp_path_factory.mktemp("sample") / "out"
    return (*run(spark, kafka_classes, plan_of(SAMPLE), output), output)


def test_the_corpus_is_that_of_one_machine(sample: tuple[Accounts, Job, Path], tmp_path: Path) -> None:
    """Entries and the account of coverage, byte for byte."""
    _, _, output = sample
    add_capture(SAMPLE, tmp_path / "corpus", LARGEST, "")
    assert held(output / "corpus") == held(tmp_path / "corpus")


def test_nothing_is_lost_between_two_tables(sample: tuple[Accounts, Job, Path]) -> None:
    """The counts add up, are those of the tables, and are written down."""
    accounts, job, output = sample
    assert not list(imbalances(accounts))
    assert accounts.chunk_bytes == accounts.frame_bytes > 2_000_000
    assert accounts.frames == accounts.agreed == job.tables["looks"].count() > 11_000
    assert accounts.entries == job.tables["entries"].count() > 2_000
    assert read_job(output)["counts"] == asdict(accounts)


def test_tables_are_as_they_are_described(spark: SparkSession, sample: tuple[Accounts, Job, Path]) -> None:
    """What lies on disk has the columns of `tables`, in their order and with their types."""
    for each in TABLES:
        found = spark.read.parquet(str(sample[2] / "tables" / each.name)).schema
        assert [(field.name, field.dataType.simpleString()) for field in found] == [
            (field.name, field.dataType.simpleString()) for field in each.schema
        ]


def test_what_is_held_up_has_its_reason(sample: tuple[Accounts, Job, Path]) -> None:
    """The same counts as one machine tells."""
    found = counted(sample[1].tables["quarantine"], "stage", "reason")
    assert found["frames", "requests of our own that no broker took"] > 0
    accounts = sample[0]
    assert sum(found.values()) == accounts.unnamed + accounts.large
    assert accounts.large == found["shown", "frames above 65536 bytes"] > 0


def test_a_count_that_does_not_add_up_is_told(sample: tuple[Accounts, Job, Path]) -> None:
    """Each sum of its own."""
    whole = asdict(sample[0])
    for name in ("chunk_bytes", "frames", "divergences", "shown_frames", "chosen"):
        assert len(list(imbalances(Accounts(**{**whole, name: whole[name] + 1})))) == 1, name


def wrong(folder: Path) -> Path:
    """A capture with all that can be wrong in one: one connection each."""
    small = SmallCapture(folder)
    sound = small.talk()
    sound.exchanged(METADATA, 8, topics("t"), brokers("host", "t"))
    sound.closed()
    padded = small.talk()
    codec = NAMING.codec(NAMING.request(PRODUCE, 9))  # type: ignore[arg-type]  # it has a name
    header = {"requestApiKey": PRODUCE, "requestApiVersion": 9, "correlationId": 1, "clientId": "x"}
    whole = codec.encode(header, {"acks": 1, "timeoutMs": 5, "topicData": []})
    body = whole[4:-2] + b"\x81\x00\x00"
    padded.sent(Direction.TO_BROKER, len(body).to_bytes(4, "big") + body)
    answer = NAMING.codec(NAMING.response(PRODUCE, 9))  # type: ignore[arg-type]  # it has a name
    padded.sent(Direction.TO_CLIENT, answer.encode({"correlationId": 1}, {"responses": []}))
    padded.closed()
    for content in (
        b"\x00\x03\x00\x08\x00\x00\x00\x01\x00\x01x\x7f",
        b"\x7f\x00\x00\x00\x00\x00\x00\x02\xff\xff",
    ):
        garbage = small.talk()
        garbage.sent(Direction.TO_BROKER, len(content).to_bytes(4, "big") + content)
        garbage.sent(Direction.TO_CLIENT, b"\x00\x00\x00\x05" + content[4:8] + b"?")
        garbage.closed()
    http = small.talk()
    http.sent(Direction.TO_BROKER, b"GET / HTTP/1.1\r\n\r\n")
    small.close()
    with small.path.open("ab") as file:
        file.write(b"\x00\x00\x10\x00torn")
    return folder


@pytest.fixture(scope="module")
def odd(
    spark: SparkSession, kafka_classes: KafkaClasses, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Accounts, Job]:
    """The job of a capture in which much is wrong."""
    folder = tmp_path_factory.mktemp("odd")
    return run(spark, kafka_classes, plan_of(wrong(folder / "capture")), folder / "out")


def test_bad_input_is_held_up_and_the_job_goes_on(odd: tuple[Accounts, Job]) -> None:
    """Each with its reason, at the stage that could not go on with it."""
    found = counted(odd[1].tables["quarantine"], "stage", "message")
    assert found == {
        ("chunks", None): 1,
        ("frames", None): 3,
        ("looks", "MetadataRequest"): 1,
        ("looks", "MetadataResponse"): 1,
        ("looks", "ProduceRequest"): 1,
    }
    reasons = {row.reason for row in odd[1].tables["quarantine"].select("reason").toLocalIterator()}
    assert {words for words in reasons if "HTTP" in words or "unknown-api" in words or "torn" in words}
    assert "our codec writes it otherwise" in reasons


def test_frames_that_are_not_read_alike_are_divergences(odd: tuple[Accounts, Job]) -> None:
    """With the verdict, and where the two differ."""
    rows = list(odd[1].tables["divergences"].orderBy("message").toLocalIterator())
    assert [(row.message, row.verdict) for row in rows] == [
        ("MetadataRequest", "read by neither"),
        ("MetadataResponse", "read by neither"),
        ("ProduceRequest", "written otherwise by both"),
    ]
    assert rows[2].path == "topicData"
    assert "Kafka writes other bytes" in rows[2].summary


def test_what_is_right_among_it_becomes_entries(odd: tuple[Accounts, Job]) -> None:
    """The sound exchange, and the answer to the request that is none."""
    messages = sorted(row.message for row in odd[1].tables["entries"].toLocalIterator())
    assert messages == ["MetadataRequest", "MetadataResponse", "ProduceResponse"]


def test_a_job_that_is_whole_is_not_touched(sample: tuple[Accounts, Job, Path]) -> None:
    """Nor is a folder that is something else, or the output of another job."""
    _, _, output = sample
    with pytest.raises(OutputError, match="whole"), open_output(output, plan_of(SAMPLE).about):
        pass
    with pytest.raises(OutputError, match="no output of a job"), open_output(output / "corpus", {}):
        pass


def test_two_at_once_do_not_write_one_folder(tmp_path: Path) -> None:
    """The second one is told, and another job's beginnings are not gone on with."""
    output, about = tmp_path / "out", {"files": 1}
    with open_output(output, about), pytest.raises(OutputError, match="in use"), open_output(output, about):
        pass
    with pytest.raises(OutputError, match="another job"), open_output(tmp_path / "out", {"files": 2}):
        pass


def test_a_job_that_was_broken_off_goes_on(
    spark: SparkSession, kafka_classes: KafkaClasses, tmp_path: Path
) -> None:
    """Behind the last table that is whole: it is not made again, and what is damaged is told by its name."""
    capture = wrong(tmp_path / "capture")
    plan, output = plan_of(capture), tmp_path / "out"
    run(spark, kafka_classes, plan, output)
    said = json.loads((output / "job.json").read_text("utf-8"))
    (output / "job.json").write_text(json.dumps({"job": said["job"], "about": said["about"]}), "utf-8")
    (output / "tables" / "shown" / "_SUCCESS").unlink()
    frames = sorted((output / "tables" / "frames").iterdir())
    times = [path.stat().st_mtime_ns for path in frames]
    accounts, _ = run(spark, kafka_classes, plan, output)
    assert asdict(accounts) == said["counts"]
    assert [path.stat().st_mtime_ns for path in frames] == times
    (output / "job.json").write_text(json.dumps({"job": said["job"], "about": said["about"]}), "utf-8")
    for path in output.glob("tables/looks/*.parquet"):
        path.write_bytes(b"PAR1 no longer")
    (output / "tables" / "shown" / "_SUCCESS").unlink()
    with pytest.raises(StageError, match=r"looks cannot be read.*\n.*Delete"):
        run(spark, kafka_classes, plan, output)
