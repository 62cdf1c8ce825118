"""A capture to tables and a corpus: the stages one after the other, each a table on disk before the next.

The output folder:

    job.json           what was asked for, and, when all is whole, the counts
    tables/NAME/       Parquet; see `tables`
    corpus/            as `wireproof corpus add` writes it

A job that was broken off goes on behind the last table that is whole. One that is whole is not touched.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from wireproof.corpus import Head, Reasons
from wireproof.pipeline.job.corpus_output import write_corpus, write_reach
from wireproof.pipeline.job.job_progress import JobProgress
from wireproof.pipeline.job.output_folder import AGAIN, close_job
from wireproof.pipeline.job.row_counts import Accounts, count, imbalances
from wireproof.pipeline.job_errors import ImbalanceError, StageError
from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
from wireproof.pipeline.runtime.spark_failures import SPARK_ERRORS, cause_of, is_death
from wireproof.pipeline.tables.report.classes_table import classes_of, met_by
from wireproof.pipeline.tables.report.sizes_table import sizes_of
from wireproof.pipeline.tables.report.traffic_tables import clients_of, coverage_of, disagreements_of
from wireproof.pipeline.tables.schemas import (
    CANDIDATES,
    CHOSEN,
    CHUNKS,
    CLASSES,
    CLIENTS,
    COVERAGE,
    DISAGREEMENTS,
    DIVERGENCES,
    ENTRIES,
    FRAMES,
    LOOKS,
    QUARANTINE,
    SHOWN,
    SIZES,
    Table,
)
from wireproof.pipeline.tables.stages.corpus_choice import (
    choose_entries,
    entries_of,
    redact,
    shown_by,
    wanted,
)
from wireproof.pipeline.tables.stages.divergences_table import divergences_of
from wireproof.pipeline.tables.stages.frames_table import read_frames
from wireproof.pipeline.tables.stages.packet_chunks import PacketFile, read_packet_chunks
from wireproof.pipeline.tables.stages.quarantine_table import quarantine_of
from wireproof.pipeline.tables.stages.readings_table import look_at
from wireproof.pipeline.tables.stages.segment_chunks import SegmentFile, read_chunks

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["CORPUS", "Job", "JobPlan", "table_folder"]

CORPUS: Final = "corpus"
_TABLES: Final = "tables"
_PROPERTY: Final = "wireproof.table"
"""Of the jobs in Spark's event log: the table that they make."""


@dataclass(frozen=True, slots=True)
class JobPlan:
    """What a job is to do.

    Attributes:
        key: of the redaction.
        largest_bytes: no larger frame becomes an entry.
        heads: for each release what makes the head of a file of the corpus.
        reasons: for each release why pairs were not answered, as its captures tell.
        about: what makes this job another one than the one before, for `job.json`.
    """

    segments: Sequence[SegmentFile]
    packets: Sequence[PacketFile]
    key: bytes
    largest_bytes: int
    heads: Mapping[str, Callable[[str, str], Head]]
    reasons: Mapping[str, Reasons]
    about: Mapping[str, Any]


def table_folder(folder: Path, table: Table) -> Path:
    """Where a table lies in the output folder of a job."""
    return folder / _TABLES / table.name


class Job:
    """Makes the tables of a job in a folder that `open_output` holds.

    Args:
        kafka: the classes of every release of the plan, shipped.
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
        """Those that were made."""
        return self._made

    def run(self) -> Accounts:
        """Make every table and the corpus.

        Raises:
            StageError: a stage failed, or something was lost between two tables; those before are whole.
        """
        plan, kafka = self._plan, self._kafka
        chunks = self._table(CHUNKS, self._chunks)
        frames = self._table(FRAMES, lambda: read_frames(chunks))
        looks = self._table(
            LOOKS,
            lambda: look_at(frames, kafka, plan.key),
            lambda: look_at(frames, kafka, plan.key, isolated=True),
        )
        self._table(DIVERGENCES, lambda: divergences_of(looks, frames, kafka))
        shown = self._table(SHOWN, lambda: shown_by(looks, plan.largest_bytes))
        candidates = self._table(
            CANDIDATES,
            lambda: redact(wanted(looks, shown), looks, frames, kafka, plan.key, plan.largest_bytes),
        )
        chosen = self._table(CHOSEN, lambda: choose_entries(candidates))
        entries = self._table(ENTRIES, lambda: entries_of(chosen, candidates))
        self._table(QUARANTINE, lambda: quarantine_of(chunks, frames, looks, candidates, plan.largest_bytes))
        self._answer(frames, looks, shown, candidates, chosen)
        with _told("the corpus cannot be made", AGAIN):
            accounts = count(self._made, plan.largest_bytes)
            _balance(accounts)
            self._corpus(entries, frames, looks)
        close_job(self._folder, asdict(accounts))
        return accounts

    def _chunks(self) -> "DataFrame":
        plan, kinds = self._plan, []
        if plan.segments:
            kinds.append(read_chunks(self._spark, plan.segments))
        if plan.packets:
            kinds.append(read_packet_chunks(self._spark, plan.packets))
        return reduce(lambda one, other: one.unionAll(other), kinds)

    def _answer(
        self,
        frames: "DataFrame",
        looks: "DataFrame",
        shown: "DataFrame",
        candidates: "DataFrame",
        chosen: "DataFrame",
    ) -> None:
        """The tables that answer what people ask."""
        met = met_by(shown, candidates)
        classes = self._table(CLASSES, lambda: classes_of(met))
        self._table(COVERAGE, lambda: coverage_of(looks, met, classes, chosen, sorted(self._plan.heads)))
        self._table(CLIENTS, lambda: clients_of(looks))
        self._table(SIZES, lambda: sizes_of(frames), lambda: sizes_of(frames, looks))
        self._table(DISAGREEMENTS, lambda: disagreements_of(self._made[DIVERGENCES.name]))

    def _corpus(self, entries: "DataFrame", frames: "DataFrame", looks: "DataFrame") -> None:
        """The corpus, which is there when it is whole."""
        arriving, folder = self._folder / f".{CORPUS}", self._folder / CORPUS
        for each in (arriving, folder):  # of an earlier start, which came no further
            shutil.rmtree(each, ignore_errors=True)
        arriving.mkdir()
        write_corpus(entries, arriving, self._plan.heads)
        write_reach(frames, looks, arriving, self._plan.reasons)
        arriving.replace(folder)

    def _table(
        self,
        table: Table,
        make: "Callable[[], DataFrame]",
        carefully: "Callable[[], DataFrame] | None" = None,
    ) -> "DataFrame":
        """The table as it is on disk, made if it is not whole there.

        Args:
            carefully: makes it where a worker died of what it was given, as of a frame that crashes a codec.
        """
        place = table_folder(self._folder, table)
        if (place / "_SUCCESS").is_file():
            with _told(
                f"{place} cannot be read", "Delete this folder and type the same again: it is made anew."
            ):
                made = self._read(table, place)
                self._progress.held(table.name, made.count())
        else:
            what = f"the table {table.name} cannot be made"
            with _told(what, AGAIN), self._progress.making(self._spark, table.name) as rows:
                self._spark.sparkContext.setLocalProperty(_PROPERTY, table.name)
                self._spark.sparkContext.setJobDescription(table.about)
                try:
                    self._write(make(), place)
                except SPARK_ERRORS as error:
                    if carefully is None or not is_death(error):
                        raise
                    self._progress.say(f"{table.name}: {cause_of(error)}. Made again, with more care.")
                    self._write(carefully(), place)
                made = self._read(table, place)
                rows.append(made.count())
        self._made[table.name] = made
        return made

    def _write(self, rows: "DataFrame", place: Path) -> None:
        rows.write.mode("overwrite").parquet(str(place))

    def _read(self, table: Table, place: Path) -> "DataFrame":
        return self._spark.read.schema(table.schema).parquet(str(place))


def _balance(accounts: Accounts) -> None:
    for words in imbalances(accounts):
        raise ImbalanceError(
            f"the counts do not add up: {words}", "Nothing is written to the corpus. Report it."
        )


@contextmanager
def _told(what: str, advice: str) -> Iterator[None]:
    """Failures in a line: what Spark or the system said that could not be done."""
    try:
        yield
    except SPARK_ERRORS as error:
        raise StageError(f"{what}: {cause_of(error)}", advice) from error
    except OSError as error:
        words = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        raise StageError(f"{what}: {words}", advice) from error
