"""A job for a cluster, as a program: frames of the corpus through our codec in workers, and through Kafka's.

    python cluster_job.py MASTER        or        spark-submit --master MASTER cluster_job.py

It writes one line of JSON to standard output: rows, rows in which the two agree, executors, and where the
workers found wireproof.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql.functions import col, collect_set, count, count_if

from kafkawire.schema import resolve
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.pipeline.runtime.artifacts import load_artifacts
from wireproof.pipeline.runtime.code_distribution import distribute_code
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.spark_session import start
from wireproof.traffic.corpus.corpus_entry import GoldenEntry
from wireproof.traffic.corpus.corpus_folder import open_set

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

RELEASE = "4.3.1"
CORPUS = Path(__file__).parents[3] / "corpus" / "golden" / RELEASE / "clients"
MESSAGES = ("MetadataRequest", "MetadataResponse", "ApiVersionsRequest", "ApiVersionsResponse")
NAMES = ("release", "module", "message", "version", "header_version", "data")
GIVEN = "release string, module string, message string, version int, header_version int, data binary"
DECODED = f"{GIVEN}, own_sha256 binary, home string, executor string"


def rows() -> Iterator[tuple[object, ...]]:
    """The frames of two APIs, requests and responses."""
    schemas = load_snapshot(table().find(RELEASE))
    for name in MESSAGES:
        for _, part in open_set(CORPUS / f"{name}.ndjson").parts():
            for entry in part.entries:
                assert isinstance(entry, GoldenEntry)
                layout = resolve(schemas.find(name)[1], int(entry.cell.rpartition("/")[2]))
                cell = (RELEASE, part.head.module, layout.name, layout.version, layout.header_version)
                yield (*cell, entry.frame)


def decode(batches: "Iterator[pyarrow.RecordBatch]") -> "Iterator[pyarrow.RecordBatch]":
    """In a worker: what our own codec makes of each frame."""
    import hashlib
    import os

    import pyarrow

    import wireproof
    from kafkawire.canonical import canonical
    from kafkawire.compiler import compile_layout
    from kafkawire.headers import FrameCodec
    from kafkawire.schema import resolve
    from wireproof.kafka.releases.release_table import table
    from wireproof.kafka.releases.snapshots import load_snapshot

    schemas = load_snapshot(table().find("4.3.1"))
    for batch in batches:
        digests = []
        for row in batch.to_pylist():
            body = resolve(schemas.find(row["message"])[1], row["version"])
            name = "RequestHeader" if row["message"].endswith("Request") else "ResponseHeader"
            head = resolve(schemas.find(name)[1], row["header_version"])
            header, value = FrameCodec(compile_layout(head), compile_layout(body)).decode(row["data"])
            binary = canonical(head).to_binary(header) + canonical(body).to_binary(value)
            digests.append(hashlib.sha256(binary).digest())
        size = batch.num_rows
        here = pyarrow.array([wireproof.__file__] * size), pyarrow.array([os.getcwd()] * size)
        columns = [*batch.columns, pyarrow.array(digests, pyarrow.binary()), *here]
        yield pyarrow.RecordBatch.from_arrays(
            columns, [*batch.schema.names, "own_sha256", "home", "executor"]
        )


def main(master: str | None) -> None:
    """Run it."""
    store = JarStore()
    artifacts = load_artifacts([table().find(RELEASE)], store)
    spark = start(master)
    distribute_code(spark, store.cache_dir / "pipeline")
    kafka = KafkaClasses.distribute(spark, artifacts)
    frames = spark.createDataFrame(list(rows()), GIVEN).repartition(4)
    decoded = frames.mapInArrow(decode, DECODED)
    judged = decoded.withColumn("kafka", kafka.reframe(*map(col, NAMES)))
    summary = judged.agg(
        count("*").alias("rows"),
        count_if(col("kafka.value_sha256") == col("own_sha256")).alias("agreed"),
        collect_set("home").alias("homes"),
        collect_set("executor").alias("executors"),
    ).first()
    assert summary is not None
    sys.stdout.write(json.dumps(summary.asDict()) + "\n")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
