"""Distribute files and our own Python code, which a cluster's machines do not have.

Executors get one archive of our packages, and Python imports from it as it stands. What it does not hold are
packages with compiled code (pyarrow, the compressions): those belong into the Python that the workers are
started with (docs/guides/spark.md).
"""

import hashlib
import sys
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wireproof.base.files import replace_file
from wireproof.kafka.releases import snapshot_folder
from wireproof.pipeline.job_plan import PipelineError
from wireproof.pipeline.runtime.spark_failures import SPARK_ERRORS, cause_of
from wireproof.pipeline.runtime.spark_session import is_alone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PACKAGES: Final = ("kafkawire", "wireproof")
_SUFFIXES: Final = (".py", ".toml")
_SNAPSHOTS: Final = "kafkawire/snapshots"
_NOT_IMPORTED: Final = ("shipped", "workload", "java")
"""Folders of the wheel that hold programs in other languages."""

_ROOM: Final = "Spark keeps a copy in spark.local.dir (SPARK_LOCAL_DIRS, else /tmp): see that there is room."
_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)


def code_archive(folder: Path) -> Path:
    """An archive of kafkawire and wireproof as they are installed here, schema snapshots included.

    Its name has a digest of what it holds: a second call gives the same file.

    Raises:
        PipelineError: the folder cannot be written.
    """
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in sorted(_sources()):
            entry = zipfile.ZipInfo(name, _ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    content = packed.getvalue()
    path = folder / f"wireproof-code-{hashlib.sha256(content).hexdigest()[:16]}.zip"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.is_file():
            replace_file(path, content)
    except OSError as error:
        raise PipelineError(f"{path} cannot be written: {error.strerror}") from error
    return path


def distribute_code(spark: "SparkSession", folder: Path) -> None:
    """Let the Python workers of a cluster import wireproof; those of this machine alone do already.

    Args:
        folder: where the archive is put, such as the cache.

    Raises:
        PipelineError: the folder cannot be written, or Spark cannot keep its copy.
    """
    context = spark.sparkContext
    if is_alone(str(context.getConf().get("spark.master"))):
        return
    archive = code_archive(folder)
    before = list(sys.path)
    with _failures():
        context.addPyFile(str(archive))
    # Spark puts the copy before what is installed here, and takes it away when the session ends.
    sys.path[:] = before


def distribute_files(spark: "SparkSession", files: Iterable[Path], class_path: Iterable[Path] = ()) -> None:
    """Send files along with the jobs to come; what was sent already is not sent again.

    Args:
        class_path: jars for the executors' class path.

    Raises:
        PipelineError: Spark cannot keep its copy.
    """
    context = spark.sparkContext
    with _failures():
        for path in files:
            context.addFile(str(path))
        for path in class_path:
            context._jsc.addJar(str(path))


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except SPARK_ERRORS as error:
        raise PipelineError(f"what a job takes along cannot be sent: {cause_of(error)}", _ROOM) from error


def _sources() -> Iterator[tuple[str, bytes]]:
    for package in _PACKAGES:
        yield from _below(files(package), package)
    for snapshot in snapshot_folder().glob("*.json"):
        yield f"{_SNAPSHOTS}/{snapshot.name}", snapshot.read_bytes()


def _below(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            if each.name not in _NOT_IMPORTED:
                yield from _below(each, f"{name}/{each.name}")
        elif each.name.endswith(_SUFFIXES):
            yield f"{name}/{each.name}", each.read_bytes()
