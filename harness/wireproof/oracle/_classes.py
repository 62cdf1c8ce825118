"""Where the compiled helper classes are: in the wheel, or built from the sources of a checkout."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from wireproof.model.oracle import OracleError
from wireproof.oracle._compile import CompileError, compile_jar, source_digest

__all__ = ["helper_jar"]

JAR_NAME: Final = "wireproof-oracle.jar"

_HERE: Final = Path(__file__).parent
_SOURCES: Final = _HERE.parents[2] / "java" / "src" / "main" / "java"


def helper_jar(cache_dir: Path, ecj: Callable[[], Path] | None) -> Path:
    """The jar of the helper classes.

    A wheel has it as package data. In a checkout it is compiled from the sources beside it, once for each
    state of them, into ``<cache>/oracle/``.

    Raises:
        OracleError: there is neither, or the sources do not compile.
    """
    packaged = _HERE / JAR_NAME
    if packaged.is_file():
        return packaged
    if not _SOURCES.is_dir():
        raise OracleError(
            f"{packaged} is missing: this installation of wireproof is damaged", "Install it again."
        )
    built = cache_dir / "oracle" / f"{source_digest(_SOURCES)}-{JAR_NAME}"
    if built.is_file():
        return built
    try:
        return compile_jar(_SOURCES, built, ecj)
    except CompileError as error:
        raise OracleError(
            f"the Java classes of the oracle cannot be compiled: {error}",
            "Install a JDK of version 17 or newer, or type: pip install 'wireproof[java]'",
        ) from error
    except OSError as error:
        raise OracleError(f"the cache {built.parent} cannot be written: {error}") from error
