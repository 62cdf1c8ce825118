"""The inputs of `wireproof schema downgrade`: the bundled definitions of all releases, and their matrix."""

from functools import cache

from kafkawire.schema import SchemaSet
from wireproof.downgrade import (
    BEFORE_THE_KIP,
    KIP_915_SINCE,
    LATER,
    DowngradeRow,
    downgrade_rows,
    log_readers,
    only_records,
    only_writer,
)
from wireproof.fatal import FatalError
from wireproof.releases import ReleaseError, load_snapshot, table
from wireproof.run import ExitCode

__all__ = ["coordinator_schemas", "downgrade_matrix", "reading_releases", "selected_rows"]

_OLD, _LIKE = BEFORE_THE_KIP


@cache
def coordinator_schemas(release: str) -> SchemaSet:
    """Return the definitions of a release; 3.4.0 has those of 3.3.2.

    Raises:
        ReleaseError: there is no such release.
    """
    return load_snapshot(table().find(_LIKE if release == _OLD else release))


@cache
def reading_releases() -> tuple[str, ...]:
    """Return the releases of the matrix, oldest first: the table's, and the last one before KIP-915."""
    known = [release.version for release in reversed(table().releases)]
    place = known.index(KIP_915_SINCE)
    return *known[:place], _OLD, *known[place:]


@cache
def downgrade_matrix() -> tuple[DowngradeRow, ...]:
    """Return the whole matrix."""
    writers = [coordinator_schemas(release) for release in reading_releases() if release != _OLD]
    readers = {reader: coordinator_schemas(reader.release) for reader in log_readers(reading_releases())}
    return tuple(downgrade_rows(writers, readers, writers[-1]))


def selected_rows(writer: str | None, reader: str | None, record: str | None) -> list[DowngradeRow]:
    """Return the rows of one writer, with the cells of one reader, of the records with this text in the name.

    Args:
        writer: a release, ``later``, or None for all.
        reader: a release, or None for all.
        record: None for all.

    Raises:
        FatalError: a release is not in the matrix, or no record matches.
    """
    rows = list(downgrade_matrix())
    if record is not None:
        rows = only_records(rows, record)
        if not rows:
            names = ", ".join(sorted({row.record.record for row in downgrade_matrix()}))
            raise FatalError(
                f"no record has {record!r} in its name", f"Names: {names}.", ExitCode.NOTHING_RAN
            )
    if writer is not None:
        chosen = writer if writer == LATER else _release(writer)
        rows = only_writer(rows, chosen)
        if not rows:
            raise FatalError(
                f"{chosen} writes none of these records", "Leave out --record.", ExitCode.NOTHING_RAN
            )
    return rows if reader is None else [row.read_by(_release(reader)) for row in rows]


def _release(word: str) -> str:
    if word == _OLD:
        return word
    try:
        return table().find(word).version
    except ReleaseError as error:
        known = ", ".join(reading_releases())
        raise FatalError(str(error), f"Releases of the matrix: {known}.", ExitCode.USAGE) from error
