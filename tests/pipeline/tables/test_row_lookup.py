"""Bytes of few frames are fetched without moving all frames; of many as well, and the same ones."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from wireproof.pipeline.job.spark_job import Job, RowCounts
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import fetch


@pytest.fixture
def no_guess(spark: SparkSession) -> Iterator[SparkSession]:
    """Spark takes every table for a large one, as it does with those of a large capture."""
    name = "spark.sql.autoBroadcastJoinThreshold"
    before = spark.conf.get(name)
    assert before is not None
    spark.conf.set(name, "-1")
    yield spark
    spark.conf.set(name, before)


def plan(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().executedPlan())


def digests(frame: DataFrame) -> list[object]:
    columns: list[Any] = [*c.LOCATION_NAMES, "verdict", f.sha2("data", 256), "header_version"]
    return [tuple(row) for row in frame.select(*columns).orderBy(*c.LOCATION_NAMES).toLocalIterator()]


@pytest.mark.parametrize(
    ("few_rows", "most_rows", "join"),
    [
        (1000, None, "BroadcastHashJoin"),
        (10, None, "SortMergeJoin"),
        (1000, 20_000, "BroadcastHashJoin"),
        (10, 20_000, "SortMergeJoin"),
        (10, 10, "BroadcastHashJoin"),
    ],
    ids=["few", "many", "few-of-many", "many-of-many", "known-to-be-few"],
)
def test_few_rows_go_to_the_table(
    few_rows: int,
    most_rows: int | None,
    join: str,
    no_guess: SparkSession,
    sample: tuple[RowCounts, Job, Path],
) -> None:
    """And many are met by shuffling both; either way each has its frame.

    What is known to be few is not counted, as the last case shows with a number that is not true.
    """
    tables = sample[1].tables
    wanted = tables["readings"].where("message = 'FetchRequest'").select(*c.LOCATION_NAMES, "verdict")
    found = fetch(
        wanted, (tables["frames"], ["data", "header_version"]), most_rows=most_rows, few_rows=few_rows
    )
    assert join in plan(found)
    assert 10 < found.count() == wanted.count() <= 1000
    whole = tables["frames"].join(wanted, list(c.LOCATION_NAMES))
    assert digests(found) == digests(whole)
