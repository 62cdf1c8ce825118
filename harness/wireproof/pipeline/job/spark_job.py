"""A capture -> tables and a corpus: each table is on disk before the next is made.

The output folder:

    job.json           the plan and, when the job is complete, the counts
    tables/NAME/       Parquet; see `tables`
    corpus/            as `wireproof corpus add` writes it

An interrupted job continues after its last complete table. A complete job is not changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as parquet  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from wireproof.base.files.own_folders import MARKER, OwnFolder, remove_own_folder
from wireproof.base.files.replacement import remove_file
from wireproof.pipeline.job.job_progress import JobProgress
from wireproof.pipeline.job.output_folder import AGAIN, close_job
from wireproof.pipeline.job_plan import ImbalanceError, JobPlan, StageError
from wireproof.pipeline.runtime.code_distribution import SPARK_ERRORS, cause_of, is_death
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.release_cache import naming_of
from wireproof.pipeline.tables import TABLES
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table, TableInputs, sum_where, union
from wireproof.pipeline.tables.stages.chunks_table import DAMAGED
from wireproof.pipeline.tables.stages.entries_table import ENTRIES, candidate_of
from wireproof.pipeline.tables.stages.frames_table import FRAMES
from wireproof.pipeline.tables.stages.readings_table import AGREE, READINGS, name_of
from wireproof.traffic.corpus.candidates import entry_from
from wireproof.traffic.corpus.corpus_file import CorpusHead
from wireproof.traffic.corpus.corpus_folder import CorpusWriter, read_coverage_report, replace_coverage_report
from wireproof.traffic.corpus.coverage_report import CoverageReportBuilder, Reasons
from wireproof.traffic.wire.connection_decoder import LOST_IN_CAPTURE
from wireproof.traffic.wire.segment_format import EntryKind, StreamDirection

_DATA: Final = int(EntryKind.DATA)


@dataclass(frozen=True, slots=True)
class RowCounts:
    """The row counts and sums of a job's tables.

    Attributes:
        chunks: entries of the segment files.
        chunk_bytes: bytes on the wire.
        damaged: damaged parts of the files, each of which lost at least one entry.
        frame_bytes: bytes in rows of `frames`, including bytes that are not frames.
        frames, named_bytes: rows of frames with a name, and their bytes.
        unnamed: rows without a name.
        lost_bytes: bytes that cannot be read because bytes before them are missing.
        readings, agreed, faults: all frames that were read; frames on which both codecs agree; frames that
            our codec does not read.
        large: frames on which both codecs agree, but which are too large for the corpus.
        divergences: rows of the table.
        fingerprints, fingerprint_frames: rows, and the number of frames with these fingerprints.
        candidates, unredacted: messages that may become entries, and those that may not.
        chosen, entries: rows of the corpus entries: their places, and the entries with their bytes.
        covered, sized_bytes: the frames of all cells, and the bytes of all their fields.
    """

    chunks: int
    chunk_bytes: int
    damaged: int
    frames: int
    unnamed: int
    frame_bytes: int
    named_bytes: int
    lost_bytes: int
    readings: int
    agreed: int
    faults: int
    large: int
    divergences: int
    fingerprints: int
    fingerprint_frames: int
    candidates: int
    unredacted: int
    chosen: int
    entries: int
    covered: int
    sized_bytes: int


def count(tables: Mapping[str, DataFrame], rows: Mapping[str, int], largest_bytes: int) -> RowCounts:
    """The counts of a job whose tables are complete.

    Args:
        rows: the number of rows of each table.
    """
    one, named, agree = f.count("*"), f.col("reason").isNull(), f.col("verdict") == AGREE
    large = agree & (f.col("size_bytes") > largest_bytes)
    framed = f.col("kind").isin(*c.FRAMED)
    sums: Mapping[str, Sequence[Column]] = {
        "chunks": [
            one,
            f.sum(f.when(f.col("kind") == _DATA, f.length("payload")).otherwise(0)),
            f.count_if(f.col("kind") == DAMAGED),
        ],
        "frames": [
            f.count_if(named),
            f.count_if(~named),
            f.sum("size_bytes"),
            sum_where(named, "size_bytes"),
            sum_where(f.col("reason").isin(*LOST_IN_CAPTURE), "size_bytes"),
        ],
        "readings": [one, f.count_if(agree), f.count_if(f.col("fault").isNotNull()), f.count_if(large)],
        "divergences": [],
        "fingerprints": [one, f.sum("frames")],
        "candidates": [f.count_if(named), f.count_if(~named)],
        "chosen": [],
        "entries": [],
        "coverage": [sum_where(framed, "frames")],
        "sizes": [f.sum("bytes")],
    }
    # One Spark job sums all tables, because a job costs more than the sums of a small table. A table without
    # sums counts by its rows.
    each = (_summed(tables[name], name, columns) for name, columns in sums.items() if columns)
    found: dict[str, list[int]] = dict(union(each).coalesce(1).toLocalIterator())
    numbers = [number for name in sums for number in found.get(name, [rows[name]])]
    return RowCounts(**dict(zip(RowCounts.__slots__, numbers, strict=True)))


def imbalances(counts: RowCounts) -> Iterator[str]:
    """Each sum that does not add up, as a sentence."""
    a = counts
    for left, right, words in (
        (a.chunk_bytes, a.frame_bytes, "bytes in chunks, {} in frames and beside them"),
        (a.frames, a.readings, "frames with a name, {} read"),
        (a.readings - a.agreed, a.divergences, "frames on which there is no agreement, {} divergences"),
        (a.agreed - a.large, a.fingerprint_frames, "frames agreed upon, {} with fingerprints"),
        (a.chosen, a.entries, "messages chosen, {} entries"),
        (a.readings, a.covered, "frames read, {} in the coverage"),
        (a.named_bytes, a.sized_bytes, "bytes in frames with a name, {} in the sizes of their fields"),
    ):
        if left != right:
            yield f"{left:,} {words.format(f'{right:,}')}"


def _summed(table: DataFrame, name: str, sums: Sequence[Column]) -> DataFrame:
    """Return one row with the name of a table and its sums; the sums of an empty table are 0."""
    numbers = [f.coalesce(each.cast("bigint"), f.lit(0).cast("bigint")) for each in sums]
    return table.agg(f.array(*numbers).alias("numbers")).select(f.lit(name), "numbers")


def write_corpus(
    entries: DataFrame, folder: Path, heads: Mapping[str, Callable[[str, str], CorpusHead]]
) -> tuple[int, int]:
    """Write all entries; return the numbers of entries and files. Entries come from the executors one
    partition at a time.

    Args:
        heads: for each release, the function that makes the head of a file.

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
    frames: DataFrame, readings: DataFrame, folder: Path, releases: Mapping[str, Reasons]
) -> None:
    """Write the report of each release: the pairs that its listeners advertise, and the answered pairs.

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
"""The property of jobs in Spark's event log that names the table that they make."""


def table_folder(folder: Path, table: Table) -> Path:
    return folder / _TABLES / table.name


def row_count(place: Path) -> int:
    """Return the number of rows of a table on disk, which the ends of its files have: no Spark job is needed.

    Raises:
        OSError: a file cannot be read.
        pyarrow.ArrowException: a file is damaged.
    """
    return sum(int(parquet.read_metadata(file).num_rows) for file in place.glob("*.parquet"))


@dataclass(slots=True)
class Job:
    """Makes the tables of a job in a folder that `open_output` has locked.

    Attributes:
        kafka: the classes of every release of the plan.
        folder: the output folder.
        tables: the tables that were made.
    """

    spark: SparkSession
    kafka: KafkaClasses
    plan: JobPlan
    folder: Path
    progress: JobProgress
    tables: dict[str, DataFrame] = field(default_factory=dict, init=False)
    _rows: dict[str, int] = field(default_factory=dict, init=False)

    def run(self) -> RowCounts:
        """Make every table and the corpus.

        Raises:
            StageError: a table cannot be made, or rows were lost between two tables; the tables before it are
                complete.
        """
        inputs = TableInputs(self.spark, self.kafka, self.plan, self.tables, self._rows)
        for table in TABLES:
            self.tables[table.name] = self._table(table, inputs)
        with _failures("the corpus cannot be made", AGAIN):
            counts = count(self.tables, self._rows, self.plan.largest_bytes)
            _balance(counts)
            self._corpus(inputs)
        close_job(self.folder, asdict(counts))
        remove_file(self.folder / CORPUS / MARKER)
        return counts

    def _corpus(self, inputs: TableInputs) -> None:
        """Write the corpus; its folder appears when it is complete."""
        corpus = self.folder / CORPUS
        if not remove_own_folder(corpus) and corpus.exists():  # else the rest of an incomplete start
            raise StageError(
                f"{corpus} exists and has no marker of a job that was broken off",
                "Move it away, and type the same again.",
            )
        arriving = OwnFolder(CORPUS, self.folder, mode=0o777)
        try:
            write_corpus(inputs[ENTRIES], arriving.path, self.plan.heads)
            write_coverage_report(inputs[FRAMES], inputs[READINGS], arriving.path, self.plan.reasons)
            arriving.publish(corpus, marked=True)
        finally:
            arriving.remove()

    def _table(self, table: Table, inputs: TableInputs) -> DataFrame:
        """Return the table on disk, and make it first if it is not complete."""
        place = table_folder(self.folder, table)
        if (place / "_SUCCESS").is_file():
            with _failures(
                f"{place} cannot be read",
                "Delete this folder and repeat the command: it makes the folder again.",
            ):
                made = self._read(table, place)
                self._rows[table.name] = row_count(place)
                self.progress.held(table.name, self._rows[table.name])
            return made
        what = f"the table {table.name} cannot be made"
        with _failures(what, AGAIN), self.progress.making(self.spark, table.name) as rows:
            self.spark.sparkContext.setLocalProperty(_PROPERTY, table.name)
            self.spark.sparkContext.setJobDescription(table.about)
            try:
                self._write(table.make(inputs), place)
            except SPARK_ERRORS as error:
                if table.make_isolated is None or not is_death(error):
                    raise
                self.progress.say(f"{table.name}: {cause_of(error)}. Made again, in isolated processes.")
                self._write(table.make_isolated(inputs), place)
            made = self._read(table, place)
            self._rows[table.name] = row_count(place)
            rows.append(self._rows[table.name])
        return made

    def _write(self, rows: DataFrame, place: Path) -> None:
        rows.write.mode("overwrite").parquet(str(place))

    def _read(self, table: Table, place: Path) -> DataFrame:
        return self.spark.read.schema(table.schema).parquet(str(place))


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
    except pa.ArrowException as error:
        raise StageError(f"{what}: {error}", advice) from error
    except OSError as error:
        words = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        raise StageError(f"{what}: {words}", advice) from error
