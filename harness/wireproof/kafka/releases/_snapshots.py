"""Schema snapshots: the schemas of a release in a format of our own, which needs no jar and no Java.

`write_snapshot` makes them from jars and an oracle; a test compares them with the jars. They are bundled with
the codec (`kafkawire.bundled`).
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from kafkawire.bundled import snapshots
from kafkawire.schema import SchemaSet, read_snapshot
from kafkawire.schema import write_snapshot as snapshot_text
from wireproof.base.files import replace_file
from wireproof.kafka.releases._errors import ReleaseError
from wireproof.kafka.releases._fork_overlay import lay_over
from wireproof.kafka.releases._headers import ask_headers, with_headers
from wireproof.kafka.releases._schemas import count_differences, load_schemas
from wireproof.kafka.releases._table import Release
from wireproof.model.cell import Cell

__all__ = ["load_snapshot", "snapshot_folder", "write_snapshot"]

WRITE_ADVICE: Final = "Write it from the jars: `wireproof releases --write-snapshot DIR`."


def snapshot_folder() -> Path:
    """The folder of the bundled snapshots, ``<release>.json``, where the codec is installed as files."""
    return Path(str(snapshots()))


def load_snapshot(release: Release, folder: Path | None = None) -> SchemaSet:
    """The schemas of a release or of a fork, header versions included, without jars.

    Raises:
        ReleaseError: there is no snapshot of the release, or it is damaged.
    """
    if release.fork is not None:
        return lay_over(release.fork, release.version, load_snapshot(release.original, folder))
    path = (folder or snapshots()).joinpath(f"{release.version}.json")
    try:
        schemas = read_snapshot(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ReleaseError(f"there is no schema snapshot of {release}: {path}", WRITE_ADVICE) from error
    except OSError as error:
        raise ReleaseError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ReleaseError(f"{path} is not a schema snapshot: {error}", WRITE_ADVICE) from error
    if schemas.release != release.version:
        raise ReleaseError(f"{path} is a snapshot of {schemas.release}, not of {release}", WRITE_ADVICE)
    if differences := count_differences(release, schemas, whole=True):
        raise ReleaseError(f"{path} is out of date: {'; '.join(differences)}", WRITE_ADVICE)
    return SchemaSet(
        release.version, {module.name: schemas.modules[module.name] for module in release.modules}
    )


def write_snapshot(
    release: Release,
    jars: Mapping[str, Path],
    header_version: Callable[[Cell], int | None],
    folder: Path | None = None,
) -> Path:
    """Write the snapshot of a release from its jars, and say where it is.

    Args:
        jars: all modules of the release, as `JarStore.release_jars` gives them.
        header_version: gives a request's or a response's header version (`Oracle.header_versions`).

    Raises:
        ReleaseError: a module is missing, the schemas are not as the release table says, or the folder
            cannot be written.
    """
    schemas = load_schemas(release, jars)
    if differences := count_differences(release, schemas, whole=True):
        raise ReleaseError("\n".join(differences), problems=tuple(differences))
    schemas = with_headers(schemas, ask_headers(schemas, header_version))
    path = _path(release, folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, snapshot_text(schemas))
    except OSError as error:
        raise ReleaseError(f"cannot write {path}: {error.strerror}") from error
    return path


def _path(release: Release, folder: Path | None) -> Path:
    return (snapshot_folder() if folder is None else folder) / f"{release.version}.json"
