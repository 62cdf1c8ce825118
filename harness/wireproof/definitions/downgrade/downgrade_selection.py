"""The rows of the downgrade matrix that the options of the command select."""

from wireproof.base.fatal import FatalError
from wireproof.definitions.downgrade import (
    BEFORE_THE_KIP,
    LATER,
    DowngradeRow,
    downgrade_matrix,
    only_records,
    only_writer,
    reading_releases,
)
from wireproof.kafka.releases import ReleaseError, table
from wireproof.proof.run import ExitCode


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
    if word == BEFORE_THE_KIP[0]:
        return word
    try:
        return table().find(word).version
    except ReleaseError as error:
        known = ", ".join(reading_releases())
        raise FatalError(str(error), f"Releases of the matrix: {known}.", ExitCode.USAGE) from error
