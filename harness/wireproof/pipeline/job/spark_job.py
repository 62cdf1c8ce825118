"""A capture -> tables and a corpus: each table is on disk before the next is made.

The output folder:

    job.json           the plan and, when the job is complete, the counts
    tables/NAME/       Parquet; see `tables`
    corpus/            as `wireproof corpus add` writes it

An interrupted job continues after its last complete table. A complete job is not changed.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

from wireproof.base.files import MARKER, OwnFolder, remove_file, remove_own_folder
from wireproof.pipeline.job.job_progress import JobProgress
from wireproof.pipeline.job.output_folder import AGAIN, close_job
from wireproof.pipeline.job.row_counts import RowCounts, count, imbalances
from wireproof.pipeline.job_plan import ImbalanceError, JobPlan, StageError
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.release_cache import naming_of
from wireproof.pipeline.runtime.spark_failures import SPARK_ERRORS, cause_of, is_death
from wireproof.pipeline.tables import TABLES
from wireproof.pipeline.tables.definition import Table, TableInputs
from wireproof.pipeline.tables.stages.entries_table import ENTRIES, candidate_of
from wireproof.pipeline.tables.stages.frames_table import FRAMES
from wireproof.pipeline.tables.stages.readings_table import READINGS, name_of
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
    from pyspark.sql import DataFrame, SparkSession


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


CORPUS: Final = "corpus"
_TABLES: Final = "tables"
_PROPERTY: Final = "wireproof.table"
"""Of the jobs in Spark's event log: the table that they make."""


def table_folder(folder: Path, table: Table) -> Path:
    """Return the folder of a table in the output folder of a job."""
    return folder / _TABLES / table.name


class Job:
    """Makes the tables of a job in a folder that `open_output` holds.

    Args:
        kafka: the classes of every release of the plan.
    """

    def __init__(
        self, spark: "SparkSession", kafka: KafkaClasses, plan: JobPlan, folder: Path, progress: JobProgress
    ) -> None:
        self._spark = spark
        self._kafka = kafka
        self._plan = plan
        self._folder = folder
        self._progress = progress
        self._made: dict[str, DataFrame] = {}

    @property
    def folder(self) -> Path:
        """The output folder."""
        return self._folder

    @property
    def tables(self) -> "Mapping[str, DataFrame]":
        """The tables that were made."""
        return self._made

    def run(self) -> RowCounts:
        """Make every table and the corpus.

        Raises:
            StageError: a table cannot be made, or rows were lost between two tables; the tables before it are
                complete.
        """
        inputs = TableInputs(self._spark, self._kafka, self._plan, self._made)
        for table in TABLES:
            self._made[table.name] = self._table(table, inputs)
        with _failures("the corpus cannot be made", AGAIN):
            counts = count(self._made, self._plan.largest_bytes)
            _balance(counts)
            self._corpus(inputs)
        close_job(self._folder, asdict(counts))
        remove_file(self._folder / CORPUS / MARKER)
        return counts

    def _corpus(self, inputs: TableInputs) -> None:
        """Write the corpus; its folder appears when it is complete."""
        corpus = self._folder / CORPUS
        if not remove_own_folder(corpus) and corpus.exists():  # else of an earlier, incomplete start
            raise StageError(
                f"{corpus} exists and has no marker of a job that was broken off",
                "Move it away, and type the same again.",
            )
        arriving = OwnFolder(CORPUS, self._folder, mode=0o777)
        try:
            write_corpus(inputs[ENTRIES], arriving.path, self._plan.heads)
            write_coverage_report(inputs[FRAMES], inputs[READINGS], arriving.path, self._plan.reasons)
            arriving.publish(corpus, marked=True)
        finally:
            arriving.remove()

    def _table(self, table: Table, inputs: TableInputs) -> "DataFrame":
        """The table on disk; make it unless it is complete there."""
        place = table_folder(self._folder, table)
        if (place / "_SUCCESS").is_file():
            with _failures(
                f"{place} cannot be read",
                "Delete this folder and repeat the command: it makes the folder again.",
            ):
                made = self._read(table, place)
                self._progress.held(table.name, made.count())
            return made
        what = f"the table {table.name} cannot be made"
        with _failures(what, AGAIN), self._progress.making(self._spark, table.name) as rows:
            self._spark.sparkContext.setLocalProperty(_PROPERTY, table.name)
            self._spark.sparkContext.setJobDescription(table.about)
            try:
                self._write(table.make(inputs), place)
            except SPARK_ERRORS as error:
                if table.make_isolated is None or not is_death(error):
                    raise
                self._progress.say(f"{table.name}: {cause_of(error)}. Made again, in isolated processes.")
                self._write(table.make_isolated(inputs), place)
            made = self._read(table, place)
            rows.append(made.count())
        return made

    def _write(self, rows: "DataFrame", place: Path) -> None:
        rows.write.mode("overwrite").parquet(str(place))

    def _read(self, table: Table, place: Path) -> "DataFrame":
        return self._spark.read.schema(table.schema).parquet(str(place))


def _balance(counts: RowCounts) -> None:
    for words in imbalances(counts):
        raise ImbalanceError(
            f"the counts do not add up: {words}", "Nothing is written to the corpus. Report it."
        )


@contextmanager
def _failures(what: str, advice: str) -> Iterator[None]:
    """Report failures of Spark and of the system in one line."""
    try:
        yield
    except SPARK_ERRORS as error:
        raise StageError(f"{what}: {cause_of(error)}", advice) from error
    except OSError as error:
        words = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        raise StageError(f"{what}: {words}", advice) from error
