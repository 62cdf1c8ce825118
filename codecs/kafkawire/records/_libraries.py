"""The libraries of checksums and compressions, imported where they are first needed.

Importing `kafkawire.records` needs none of them: gzip and CRC-32 are in the standard library, and a set that
uses no zstd never asks for zstandard.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from kafkawire.native_module import native_state
from kafkawire.records.model import Header, Record

RECORD_PACKAGES: Final = {
    "cramjam": "cramjam",
    "google-crc32c": "google_crc32c",
    "lz4": "lz4",
    "zstandard": "zstandard",
}
"""The packages of the extra `records`, and the module of each."""

INSTALL: Final = f"Type: pip install {' '.join(RECORD_PACKAGES)}"


class MissingLibraryError(ImportError):
    """A library that a batch needs is not installed, or cannot be loaded; the bytes were not judged."""


@cache
def library(name: str, needed_for: str) -> Any:
    """The module of this name.

    Raises:
        MissingLibraryError: it is not installed, or cannot be loaded.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingLibraryError(
            f"{needed_for} needs the Python package {name}, which is not installed. {INSTALL}"
        ) from error
    except ImportError as error:
        raise MissingLibraryError(
            f"{needed_for} needs the Python package {name}, which is installed and cannot be loaded: {error}"
        ) from error


@cache
def crc32c() -> Callable[[bytes], int]:
    """CRC-32C (Castagnoli) of bytes: the checksum of magic 2."""
    compute: Callable[[bytes], int] = library("google_crc32c", "the checksum of a batch").value
    return compute


def missing_libraries() -> tuple[str, ...]:
    """The packages that some record set would need and that are not installed."""
    return tuple(package for package, module in RECORD_PACKAGES.items() if find_spec(module) is None)


@cache
def native_records() -> Any:
    """Return the native reader and writer of these record classes; None without the native module."""
    module = native_state().module
    return None if module is None else module.Records(tuple.__new__, Record, Header)
