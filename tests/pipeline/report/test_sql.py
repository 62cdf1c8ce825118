"""The queries of docs/guides/spark.md, word for word."""

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from wireproof.pipeline.job.spark_job import Job, RowCounts

PAGE = (Path(__file__).parents[3] / "docs" / "guides" / "spark.md").read_text("utf-8")
SECTION = PAGE.partition("## Ask the tables yourself")[2]
QUERIES = dict(re.findall(r"\n([A-Z][^\n]*):\n\n```sql\n(.*?)```", SECTION, re.DOTALL))
RECIPE = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)[0]


@pytest.fixture(scope="module")
def answers(spark: SparkSession, sample: tuple[RowCounts, Job, Path]) -> dict[str, list[Any]]:
    """The rows of each query, by its heading, after the page's own way to get at the tables."""
    recipe = RECIPE.partition("spark = start()\n")[2].partition("spark.sql")[0]
    exec(recipe.replace("out/tables", str(sample[2] / "tables")), {"Path": Path, "spark": spark})  # noqa: S102 - the page's own lines
    return {heading: spark.sql(query).collect() for heading, query in QUERIES.items()}


def test_every_query_has_an_answer(answers: dict[str, list[Any]]) -> None:
    """None is left out here, and none is empty."""
    assert len(answers) == SECTION.count("```sql") == 6
    assert all(answers.values())


def test_old_versions_of_clients(answers: dict[str, list[Any]]) -> None:
    """Kafka's own client speaks one version of Fetch; the sweep all from 4 on."""
    rows = {
        (row.client, row.api): row
        for row in answers["Which clients still speak an old version, before a broker stops to"]
    }
    assert (rows["wireproof", "Fetch"].oldest, rows["wireproof", "Fetch"].newest) == (4, 18)
    own = rows["apache-kafka-java 4.3.1", "Fetch"]
    assert (own.oldest, own.newest) == (18, 18)


def test_errors_of_clients(answers: dict[str, list[Any]]) -> None:
    """A failed login, of a client that had not sent its name yet."""
    rows = answers["Which errors they get, and from which listener"]
    (login,) = [row for row in rows if row.client == "" and row.code.endswith("/58")]
    assert (login.listener, login.api, login.error_answers) == ("SASL", "SaslAuthenticate", 3)


def test_values_that_no_frame_has(answers: dict[str, list[Any]]) -> None:
    """A name of the longest length is not in the sample; a throttle time of 0 is."""
    missing = {
        (row["field"], row["class"])
        for row in answers["Which values no frame of a message has had yet, whatever its version"]
    }
    assert ("topics[].name", "length-32767") in missing
    assert ("throttleTimeMs", "0") not in missing


def test_savings_by_message(answers: dict[str, list[Any]]) -> None:
    """Metadata, of which the proposal itself speaks, is where most is saved."""
    first = answers["What KIP-625 would save, by message"][0]
    assert first.message == "MetadataResponse"
    assert 0.2 * first.bytes < first.saved < 0.5 * first.bytes
    assert first.percent == round(100 * first.saved / first.bytes, 1)


def test_largest_frames(answers: dict[str, list[Any]], sample: tuple[RowCounts, Job, Path]) -> None:
    """Those that are too large for the corpus are the first."""
    sizes = [row.size_bytes for row in answers["The largest frames, and where they stand"]]
    assert sum(size > 64 * 1024 for size in sizes) == sample[0].large
    assert sizes == sorted(sizes, reverse=True)


def test_traffic_by_minute(answers: dict[str, list[Any]], sample: tuple[RowCounts, Job, Path]) -> None:
    """All frames are in one of the minutes."""
    rows = answers["When which listener had how much traffic"]
    assert sum(row.frames for row in rows) == sample[0].frames
    assert {row.listener for row in rows} == {"CLIENT", "CONTROLLER", "INTERNAL", "SASL"}
