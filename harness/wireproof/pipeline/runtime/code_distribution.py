"""Failures of Spark in one line, and the distribution of our code and files to the machines of a cluster."""

import hashlib
import re
import sys
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from wireproof.base.files.replacement import replace_file
from wireproof.kafka.releases.snapshots import snapshot_folder
from wireproof.pipeline.job_plan import PipelineError
from wireproof.pipeline.runtime.spark_session import is_alone
from wireproof.pipeline.runtime.worker_limits import PYTHON_WORKER_MB

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


SPARK_ERRORS: Final = (PySparkException, Py4JError)
"""The errors of an action whose tasks failed."""

_TRACEBACK: Final = "Traceback (most recent call last):"
_CRASHED: Final = "Python worker exited unexpectedly"
_CAUSED: Final = "Caused by: "
_LATEST: Final = "most recent failure: "
_STACK: Final = ("at ", "...", "Driver stacktrace", "An error occurred while calling")
_NAMES: Final = re.compile(r"^(?:[a-z_][\w]*\.)+(?=[A-Z])")
"""The packages before the name of a class of Java or Python."""

_DEAD: Final = (
    "a Python worker ended in the middle of its work: it crashed, or was killed, as by a system that is out "
    "of memory"
)
_REFUSED: Final = f"a Python worker asked for more memory than the {PYTHON_WORKER_MB:,} MiB that it may take"


def cause_of(error: Exception) -> str:
    """Return the message of the innermost cause of a Spark failure that has a message."""
    text = str(error)
    if _TRACEBACK in text:
        said = _raised(text.rpartition(_TRACEBACK)[2].splitlines())
        return _REFUSED if said == "MemoryError" else said
    if _CRASHED in text:
        return _DEAD
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = [
        line.removeprefix(_CAUSED)
        for line in lines
        if line.startswith(_CAUSED) and ": " in line[len(_CAUSED) :]
    ]
    words = [line.removeprefix(": ").rpartition(_LATEST)[2] for line in lines if not line.startswith(_STACK)]
    return _NAMES.sub("", [*words[:1], *causes][-1]) if words else type(error).__name__


def is_death(error: Exception) -> bool:
    """Return True if a Python worker ended during its work without a message."""
    return cause_of(error) == _DEAD


def _raised(lines: Sequence[str]) -> str:
    """The error below a traceback of Python: one line or several, perhaps followed by Java's calls."""
    first = next((place for place, line in enumerate(lines) if line.strip() and not line[0].isspace()), 0)
    said = takewhile(lambda line: line.strip() and not line.startswith("\t"), lines[first:])
    return _NAMES.sub("", " ".join(line.strip() for line in said))


class Action:
    """Computes every row of a table, and keeps none.

    Args:
        words: the name of the action in Spark's web interface.
    """

    def __init__(self, frame: "DataFrame", words: str) -> None:
        from pyspark import InheritableThread

        self.error: Exception | None = None
        self._frame = frame
        self._words = words
        self._group = uuid.uuid4().hex
        self._context = frame.sparkSession.sparkContext
        self._thread = InheritableThread(target=self._run)
        self._thread.daemon = True
        self._thread.start()

    def wait(self, timeout_s: float) -> bool:
        """Return True if the action has ended; `error` then has the failure, if any."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def cancel(self) -> None:
        """Let Spark end the tasks of the action. A later call ends a job that Spark does not have yet."""
        self._context.cancelJobGroup(self._group)

    def _run(self) -> None:
        self._context.setJobGroup(self._group, self._words, interruptOnCancel=True)
        try:
            self._frame.write.format("noop").mode("overwrite").save()
        except SPARK_ERRORS as error:
            self.error = error


_PACKAGES: Final = ("kafkawire", "wireproof")
_SUFFIXES: Final = (".py", ".toml")
_SNAPSHOTS: Final = "kafkawire/snapshots"
_NOT_IMPORTED: Final = ("shipped", "workload", "java")
"""Folders of the wheel that hold programs in other languages."""

_ROOM: Final = "Spark keeps a copy in spark.local.dir (SPARK_LOCAL_DIRS, else /tmp): see that there is room."
_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)


def code_archive(folder: Path) -> Path:
    """Return an archive of kafkawire and wireproof as they are installed here, schema snapshots included.

    Its name has a digest of its content, so a second call returns the same file.
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
    """Let the Python workers of a cluster import wireproof. Workers on this machine can already do so.

    Args:
        folder: the folder for the archive, such as the cache.
    """
    context = spark.sparkContext
    if is_alone(str(context.getConf().get("spark.master"))):
        return
    archive = code_archive(folder)
    before = list(sys.path)
    with _failures():
        context.addPyFile(str(archive))
    # Spark puts the copy before the installed packages in the path, and removes it when the session ends.
    sys.path[:] = before


def distribute_files(spark: "SparkSession", files: Iterable[Path], class_path: Iterable[Path] = ()) -> None:
    """Send files to the executors for later jobs. A file that was already sent is not sent again.

    Args:
        class_path: jars for the executors' class path.
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
