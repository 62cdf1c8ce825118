"""Rows between Spark and its Python workers, in batches of bounded bytes."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from wireproof.pipeline.runtime.worker_limits import begin_partition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Row: TypeAlias = Sequence[Any]
"""The values of one row, in the order of its columns."""

_MOST_ROWS: Final = 2_000
_MOST_BYTES: Final = 8 << 20
"""A batch ends with the row that reaches one of the two limits. A frame of 100 MiB ends its batch."""

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


def table_of(rows: Iterable[Row], schema: StructType) -> pa.Table:
    return pa.Table.from_batches(batches_of(rows, schema), to_arrow_schema(schema))


def writing(
    make: Callable[[Iterator[pa.RecordBatch]], Iterable[Row]], schema: StructType, sized: str | None = None
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function for `mapInArrow`, made from a function that yields rows.

    Args:
        sized: the column that holds most of the bytes.
    """
    place = None if sized is None else schema.names.index(sized)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        begin_partition()
        yield from batches_of(make(batches), schema, place)

    return run


def spread(rows: "DataFrame", *keys: str) -> "DataFrame":
    """Distribute few but expensive rows over all cores; rows with the same keys are in one task.

    Without it, Spark puts few rows into one task, however long Python takes for each.
    """
    return rows.repartition(_TASKS_A_CORE * rows.sparkSession.sparkContext.defaultParallelism, *keys)


def _batch(rows: Sequence[Row], schema: pa.Schema) -> pa.RecordBatch:
    columns: Mapping[str, Any] = dict(zip(schema.names, zip(*rows, strict=True), strict=True))
    arrays = [pa.array(columns[field.name], type=field.type) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
