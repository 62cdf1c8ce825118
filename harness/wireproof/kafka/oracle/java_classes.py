"""The compiled helper classes: in the wheel, or built from the sources of a checkout."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from wireproof.base.extras import install
from wireproof.kafka.oracle.java_runtime import CLASS_FILES, CompileError, compile_jar, source_digest
from wireproof.model.oracle import OracleError

JAR_NAME: Final = "wireproof-oracle.jar"

_HERE: Final = Path(__file__).parent
_JAVA: Final = _HERE.parents[3] / "java"
_SOURCES: Final = _JAVA / "src" / "main" / "java"
_WORKLOAD: Final = _HERE / "workload"
"""In the wheel: its sources, for they are compiled against Kafka, which nothing that is shipped contains."""


def helper_jar(cache_dir: Path, ecj: Callable[[], Path] | None) -> Path:
    """The jar of the helper classes.

    A wheel has it as package data. In a checkout it is compiled from the sources beside it, once for each
    state of them, into ``<cache>/oracle/``. Raises OracleError if there is neither, or the sources do not
    compile.
    """
    packaged = _HERE / JAR_NAME
    if packaged.is_file():
        return packaged
    if not _SOURCES.is_dir():
        raise OracleError(
            f"{packaged} is missing: this installation of wireproof is damaged", "Install it again."
        )
    return compiled_jar(_SOURCES, cache_dir / "oracle", JAR_NAME, ecj)


def workload_jar(cache_dir: Path, clients: Sequence[Path], ecj: Callable[[], Path] | None) -> Path:
    """The jar of the workload that drives Kafka's own clients, compiled once for each state of its sources.

    Args:
        clients: the newest kafka-clients and kafka-streams: at run time the program reports features that
            older ones lack.

    Raises:
        OracleError: the sources are gone, or do not compile.
    """
    checkout = _JAVA / "workload" / "src" / "main" / "java"
    sources = _WORKLOAD if _WORKLOAD.is_dir() else checkout
    if not sources.is_dir():
        raise OracleError(
            f"{sources} is missing: this installation of wireproof is damaged", "Install it again."
        )
    return compiled_jar(sources, cache_dir / "workload", f"{clients[0].stem}-workload.jar", ecj, clients)


def compiled_jar(
    sources: Path,
    folder: Path,
    name: str,
    ecj: Callable[[], Path] | None,
    class_path: Sequence[Path] = (),
    level: int = CLASS_FILES,
) -> Path:
    """The jar of Java sources, compiled once for each state of them.

    Args:
        folder: of the cache; the jar's name begins with a digest of the sources.
        name: how it goes on; says what the jar depends on beside its sources.

    Raises:
        OracleError: the sources do not compile, or the cache cannot be written.
    """
    built = folder / f"{source_digest(sources)}-{name}"
    if built.is_file():
        return built
    try:
        return compile_jar(sources, built, ecj, class_path=class_path, level=level)
    except CompileError as error:
        raise OracleError(
            f"the Java classes below {sources} cannot be compiled: {error}",
            f"Install a JDK of version 17 or newer, or type: {install('java')}",
        ) from error
    except OSError as error:
        raise OracleError(f"the cache {folder} cannot be written: {error}") from error
