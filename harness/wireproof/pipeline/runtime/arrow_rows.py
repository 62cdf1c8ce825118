"""Rows between Spark and its Python workers: batches of bounded bytes, workers of bounded memory, what they
cache of releases, and processes of their own for input that crashes them."""

import gc
import os
import pickle
import resource
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from kafkawire.schema import MessageLayout, MessageSpec, SchemaSet, resolve
from wireproof.kafka.releases import load_snapshot, table
from wireproof.traffic.corpus import FrameReader
from wireproof.traffic.redaction import Pseudonymizer
from wireproof.traffic.wire import FrameIdentifier, InnerMessageReader

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


PYTHON_WORKER_MB: Final = 1024
"""Of data (RLIMIT_DATA), beyond what a worker holds when it begins: modules, and what pyarrow sets aside.
32 MiB are two batches; the rest is for the objects of one frame, which take ten times its bytes where its
fields are small. A frame of 100 MiB of records fits."""

_STATUS: Final = Path("/proc/self/status")
_COUNTED: Final = "VmData:"


_COLLECTED_AFTER: Final = 100_000
"""Objects made: a frame's values hold no cycle, and to look for one after each 700 objects, as Python does,
takes a tenth of a worker's time."""


def begin_partition() -> None:
    """Begin a partition: limit the worker's memory, and freeze cached releases for the garbage collector."""
    bound_memory()
    gc.freeze()
    gc.set_threshold(_COLLECTED_AFTER)


def bound_memory(limit_mb: int = PYTHON_WORKER_MB) -> None:
    """Let this process take no more than that beyond what it holds now, so that what asks for more is a
    `MemoryError` and not the machine's end.

    To be called where a worker begins with a partition; a bound that is there is never widened.
    """
    pa.allocate_buffer(1)  # its first one sets a GiB aside, which is not touched, but counted
    limit = _held_bytes() + (limit_mb << 20)
    now, most = resource.getrlimit(resource.RLIMIT_DATA)
    if now == resource.RLIM_INFINITY or limit < now:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def _held_bytes() -> int:
    """The bytes that the limit counts now; 0 where the system does not report them."""
    try:
        lines = _STATUS.read_text("utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(_COUNTED)), 0)


MOST_DEATHS: Final = 100
"""Inputs of one partition that may end a process: where there are more, it is not they who do it."""

In = TypeVar("In")
Out = TypeVar("Out")


class CrashIsolation(Generic[In, Out]):
    """Does work in a child of this process. Where that dies, another does each half again, down to the one
    input that it died of.

    A plain fork, and no pool: a pool keeps threads in this process, and one that broke could wait for ever.

    Args:
        work: an output for each input; outputs are pickled.
        instead: the output for an input that ends the process.
    """

    def __init__(self, work: Callable[[Sequence[In]], Sequence[Out]], instead: Callable[[In], Out]) -> None:
        self._work = work
        self._instead = instead
        self._deaths = 0

    def __call__(self, inputs: Sequence[In]) -> Sequence[Out]:
        """The output for each input, in their order.

        Raises:
            ChildProcessError: more than `MOST_DEATHS` inputs ended it.
        """
        outputs = self._there(inputs)
        if outputs is not None:
            return outputs
        if self._deaths == MOST_DEATHS:
            raise ChildProcessError("a process beside a Python worker ends, whatever it is given")
        if len(inputs) == 1:
            self._deaths += 1
            return [self._instead(inputs[0])]
        half = len(inputs) // 2
        return [*self(inputs[:half]), *self(inputs[half:])]

    def _there(self, inputs: Sequence[In]) -> Sequence[Out] | None:
        """The outputs of a child process; None where it died."""
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(reader)
                with os.fdopen(writer, "wb") as pipe:
                    pickle.dump(self._work(inputs), pipe)
                os._exit(0)
            finally:
                os._exit(1)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        outputs: Sequence[Out] | None = pickle.loads(said) if status == 0 else None
        return outputs


Row: TypeAlias = Sequence[Any]
"""The values of one row, in the order of its columns."""

_MOST_ROWS: Final = 2_000
_MOST_BYTES: Final = 8 << 20
"""A batch ends with the row that reaches either: 100 MiB of one frame are a batch of their own."""

_TASKS_A_CORE: Final = 4


def rows_of(batches: Iterable[pa.RecordBatch], names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The named columns of every row."""
    for batch in batches:
        columns = [batch.column(batch.schema.get_field_index(name)).to_pylist() for name in names]
        yield from zip(*columns, strict=True)


def batches_of(rows: Iterable[Row], schema: StructType, sized: int | None = None) -> Iterator[pa.RecordBatch]:
    """Batches of rows.

    Args:
        sized: the column that holds most of the bytes.
    """
    arrow = to_arrow_schema(schema)
    held: list[Row] = []
    size = 0
    for row in rows:
        held.append(row)
        if sized is not None:
            size += len(row[sized] or b"")
        if len(held) >= _MOST_ROWS or size >= _MOST_BYTES:
            yield _batch(held, arrow)
            held, size = [], 0
    if held:
        yield _batch(held, arrow)


def writing(
    make: Callable[[Iterator[pa.RecordBatch]], Iterable[Row]], schema: StructType, sized: str | None = None
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for `mapInArrow` out of one that gives rows.

    Args:
        sized: the column that holds most of the bytes.
    """
    place = None if sized is None else schema.names.index(sized)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        begin_partition()
        yield from batches_of(make(batches), schema, place)

    return run


def spread(rows: "DataFrame", *keys: str) -> "DataFrame":
    """The rows, those with the same keys in one task, on every core: for rows that are few and cost much.

    Spark puts few rows into one task, however long Python takes for each.
    """
    return rows.repartition(_TASKS_A_CORE * rows.sparkSession.sparkContext.defaultParallelism, *keys)


def _batch(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    columns: Mapping[str, Any] = dict(zip(schema.names, zip(*rows, strict=True), strict=True))
    arrays = [pa.array(columns[field.name], type=field.type) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


_MOST_RELEASES: Final = 4
"""A worker that reads more of them in turn makes some again: one takes about 30 MiB."""


@lru_cache(_MOST_RELEASES)
def schemas_of(release: str) -> SchemaSet:
    """The definitions of a release."""
    return load_snapshot(table().find(release))


@lru_cache(_MOST_RELEASES)
def _specs(release: str) -> dict[str, MessageSpec]:
    return {spec.name: spec for _, spec in schemas_of(release)}


def layout_of(release: str, message: str, version: int) -> MessageLayout:
    """The layout of a message that the release has."""
    return resolve(_specs(release)[message], version)


def header_of(release: str, layout: MessageLayout) -> MessageLayout | None:
    """The layout of the header before a message; None of messages that have none."""
    return None if layout.header_version is None else naming_of(release).header(layout)


@lru_cache(_MOST_RELEASES)
def naming_of(release: str) -> FrameIdentifier:
    """The names of a release."""
    return FrameIdentifier(schemas_of(release))


@lru_cache(_MOST_RELEASES)
def frame_reader_of(release: str, key: bytes) -> FrameReader:
    """The frame reader of a release, with the key of the capture's redaction."""
    return FrameReader(naming_of(release), InnerMessageReader(schemas_of(release)), Pseudonymizer(key))
