"""Entries and coverage -> the corpus on disk, by the code that one machine writes it with."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from wireproof.pipeline.runtime.release_cache import naming_of
from wireproof.pipeline.tables.stages.entries_table import candidate_of
from wireproof.pipeline.tables.stages.readings_table import name_of
from wireproof.traffic.corpus import (
    CorpusHead,
    CorpusWriter,
    CoverageReportBuilder,
    Reasons,
    entry_from,
    read_coverage_report,
    replace_coverage_report,
)
from wireproof.traffic.wire import StreamDirection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["write_corpus", "write_coverage_report"]


def write_corpus(
    entries: "DataFrame", folder: Path, heads: Mapping[str, Callable[[str, str], CorpusHead]]
) -> tuple[int, int]:
    """Write all entries; the numbers of entries and files. Entries come from the executors one partition at
    a time.

    Args:
        heads: release to what makes the head of a file.

    Raises:
        OSError: the folder cannot be written.
    """
    adding = {release: CorpusWriter(folder, head) for release, head in heads.items()}
    order = ("release", "module", "message", "version", "provenance", "number")
    for row in entries.orderBy(*order).toLocalIterator():
        entry = entry_from(candidate_of(row), row["name"], row["release"])
        adding[row["release"]].add(row["module"], [entry])
    files = sum(each.write() for each in adding.values())
    return sum(each.entries for each in adding.values()), files


def write_coverage_report(
    frames: "DataFrame", readings: "DataFrame", folder: Path, releases: Mapping[str, Reasons]
) -> None:
    """Write the account of each release: which pairs its listeners advertise, and which were answered.

    Args:
        releases: by release, the reasons why pairs were not answered, as the captures record them.

    Raises:
        OSError: the folder cannot be written.
    """
    counts = {release: CoverageReportBuilder(naming_of(release)) for release in releases}
    asked = (f.col("direction") == int(StreamDirection.TO_BROKER)) & (
        f.col("paired_offset").isNotNull() | f.col("module").isNull() & f.col("api_key").isNotNull()
    )
    pairs = frames.where(asked).select("release", "listener", "api_key", "request_version").distinct()
    for release, listener, api_key, version in pairs.toLocalIterator():
        counts[release].add_answer(listener, api_key, version)
    contents = readings.where("has_content").select("release", "listener", "api_key", "version").distinct()
    for release, listener, api_key, version in contents.toLocalIterator():
        named = name_of(release, StreamDirection.TO_CLIENT, api_key, version)
        counts[release].add_content(listener, named)
    offers = readings.select("release", "listener", f.explode("advertised").alias("range")).distinct()
    for release, listener, (api_key, lowest, highest) in offers.toLocalIterator():
        counts[release].add_advertised(listener, api_key, lowest, highest)
    for release, reasons in releases.items():
        reach = counts[release].report
        reach.explain(reasons)
        whole = read_coverage_report(folder, release)
        whole.add(reach)
        replace_coverage_report(folder, whole)
