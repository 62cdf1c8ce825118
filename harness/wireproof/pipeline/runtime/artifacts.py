"""The files that a job sends for Kafka's classes. They are prepared and checked before Spark starts.

Executors get each release's jars and a book of its layouts as files. These jars are on no class path, because
each release has a class loader of its own. Our classes that Spark calls are compiled against the installed
Spark, and are on the executors' class path.
"""

import hashlib
import os
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from kafkawire.schema import MessageSpec, SchemaSet, resolve
from wireproof.base.extras import install, install_advice
from wireproof.base.files.replacement import replace_file
from wireproof.kafka.oracle.java_release import compiled_jar, encode_plan, helper_jar
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import Release, ReleaseError
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.layout_parts import HEADERS
from wireproof.model.oracle import OracleError
from wireproof.pipeline.job_plan import PipelineError

_INT = struct.Struct(">i")
_NO_HEADER: Final = -1


def encode_book(
    schemas: SchemaSet, packages: Mapping[str, str], jars: Sequence[str], shared: Sequence[str]
) -> bytes:
    """All layouts of a release, as `java/spark` reads them.

    Args:
        schemas: with the header version of each request and response.
        packages: module to the Java package of its generated classes; modules without one are left out.
        jars: the file names of the release's own jars.
        shared: the file names of the jars that all releases share.
    """
    modules = [
        _text(name) + _text(packages[name]) + _counted(map(_message, specs.values()))
        for name, specs in schemas.modules.items()
        if name in packages
    ]
    texts = _counted(map(_text, jars)), _counted(map(_text, shared))
    return b"".join((_text(schemas.release), *texts, _counted(modules)))


def _message(spec: MessageSpec) -> bytes:
    cells = [_cell(spec, version) for version in spec.valid_versions]
    return _text(spec.name) + _text(HEADERS.get(spec.kind, "")) + _counted(cells)


def _cell(spec: MessageSpec, version: int) -> bytes:
    layout = resolve(spec, version)
    header = _NO_HEADER if layout.header_version is None else layout.header_version
    return _INT.pack(version) + _INT.pack(header) + _block(encode_plan(layout))


def _counted(parts: Iterable[bytes]) -> bytes:
    each = list(parts)
    return _INT.pack(len(each)) + b"".join(each)


def _text(text: str) -> bytes:
    return _block(text.encode("utf-8"))


def _block(data: bytes) -> bytes:
    return _INT.pack(len(data)) + data


INSTALL_SPARK: Final = install_advice("pipeline")

_HERE: Final = Path(__file__).parents[1]
_PACKED: Final = _HERE / "java"
_CHECKOUT: Final = _HERE.parents[2] / "java" / "spark" / "src" / "main" / "java"

_CLASS_FILES: Final = 17
"""The oldest Java that Spark 4 supports."""

_COMPILED_AGAINST: Final = ("spark-sql-api_*.jar", "spark-core_*.jar", "scala-library-*.jar")


@dataclass(frozen=True, slots=True)
class JobArtifacts:
    """Files of this machine that a job needs on its executors.

    Attributes:
        books: release to the book of its layouts.
        jars: the jars of the releases, and the jars that releases share.
        class_path: the jars of our own classes, for the executors' class path.
    """

    books: Mapping[str, Path]
    jars: Sequence[Path]
    class_path: Sequence[Path]

    @property
    def files(self) -> list[Path]:
        """The files that executors get unchanged."""
        return [*self.books.values(), *self.jars]


def load_artifacts(releases: Sequence[Release], store: JarStore) -> JobArtifacts:
    """Return the files for some releases. Jars are fetched if the cache lacks them, and checked."""
    try:
        shared = store.support_jars()
        loads = [_load_release(release, store, shared) for release in releases]
        class_path = _class_path(store.cache_dir, lambda: store.tool_jar("ecj"))
    except (ReleaseError, OracleError) as error:
        raise PipelineError(error.message, error.advice) from error
    except OSError as error:
        raise PipelineError(f"the cache {store.cache_dir} cannot be written: {error}") from error
    jars = dict.fromkeys([*shared, *(jar for _, jars in loads for jar in jars)])
    books = {release.version: book for release, (book, _) in zip(releases, loads, strict=True)}
    return JobArtifacts(books, list(jars), class_path)


def spark_home() -> Path:
    """The Spark that pyspark will start: ``SPARK_HOME``, else pyspark's own."""
    if home := os.environ.get("SPARK_HOME"):
        return Path(home)
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise PipelineError("pyspark is not installed", INSTALL_SPARK)
    return Path(spec.origin).parent


def _load_release(release: Release, store: JarStore, shared: Sequence[Path]) -> tuple[Path, list[Path]]:
    """The book of a release and its jars."""
    jars = [*store.release_jars(release).values(), *store.extra_jars(release).values()]
    packages = {module.name: module.package for module in release.modules}
    book = encode_book(
        load_snapshot(release), packages, [jar.name for jar in jars], [jar.name for jar in shared]
    )
    return _kept(store.cache_dir / "pipeline", f"wireproof-{release.version}", book), jars


def _kept(folder: Path, name: str, book: bytes) -> Path:
    """Keep a book under the digest of its content, so that a name means the same file on every executor."""
    path = folder / f"{name}-{hashlib.sha256(book).hexdigest()[:16]}.plans"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(path, book)
    return path


def _class_path(cache_dir: Path, ecj: Callable[[], Path]) -> list[Path]:
    """The jar of the oracle's classes, and the jar of the classes that Spark calls."""
    helper = helper_jar(cache_dir, ecj)
    sources = _PACKED if _PACKED.is_dir() else _CHECKOUT
    if not sources.is_dir():
        raise PipelineError(
            f"{sources} is missing: this installation of wireproof is damaged", "Install it again."
        )
    spark = _spark_jars()
    api = next(jar for jar in spark if jar.name.startswith("spark-sql-api"))
    digest = hashlib.sha256(helper.read_bytes()).hexdigest()[:8]
    name = f"{digest}-{api.stem.rpartition('-')[2]}-wireproof-spark.jar"
    return [helper, compiled_jar(sources, cache_dir / "pipeline", name, ecj, [helper, *spark], _CLASS_FILES)]


def _spark_jars() -> list[Path]:
    """The jars of Spark that our classes are compiled against."""
    folder = spark_home() / "jars"
    found = [jar for pattern in _COMPILED_AGAINST for jar in folder.glob(pattern)]
    if len(found) < len(_COMPILED_AGAINST):
        raise PipelineError(
            f"{folder} has no {' or no '.join(_COMPILED_AGAINST)}",
            f"Type: {install('pipeline')}, or set SPARK_HOME to a Spark of version 4.",
        )
    return found
