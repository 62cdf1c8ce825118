"""The matrix of all releases, from the bundled definitions: without jars, Java or a network."""

from functools import cache

from kafkawire.schema import SchemaSet
from wireproof.definitions.downgrade.downgrade_matrix import (
    BEFORE_THE_KIP,
    DowngradeRow,
    downgrade_rows,
    log_readers,
)
from wireproof.kafka.releases import load_snapshot, table

__all__ = ["coordinator_schemas", "downgrade_matrix", "reading_releases"]

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
    place = known.index(_LIKE) + 1
    return *known[:place], _OLD, *known[place:]


@cache
def downgrade_matrix() -> tuple[DowngradeRow, ...]:
    """Return the whole matrix."""
    writers = [coordinator_schemas(release) for release in reading_releases() if release != _OLD]
    readers = {reader: coordinator_schemas(reader.release) for reader in log_readers(reading_releases())}
    return tuple(downgrade_rows(writers, readers, writers[-1]))
