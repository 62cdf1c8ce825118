"""Libraries are imported when a batch needs them, and the error of a missing one has the command to type."""

import subprocess
import sys
from pathlib import Path

import pytest

from kafkawire.records import MissingLibraryError
from kafkawire.records._libraries import RECORD_PACKAGES, library


def test_a_missing_library_is_an_error() -> None:
    """The error names the package and the command. The command works where kafkawire is used alone."""
    packages = " ".join(RECORD_PACKAGES)
    with pytest.raises(MissingLibraryError, match=rf"no_such_package.*pip install {packages}$"):
        library("no_such_package", "a test")


def test_a_library_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error has the cause, and does not advise to install what is installed."""
    (tmp_path / "halfway.py").write_text("raise ImportError('libfoo.so.1: cannot open shared object file')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingLibraryError, match=r"cannot be loaded: libfoo\.so\.1") as caught:
        library("halfway", "a test")
    assert "pip install" not in str(caught.value)


def test_importing_needs_no_library() -> None:
    """The import of the package, and reading without compression, import none of them."""
    code = (
        "import sys; from kafkawire.records import Message, decode_records, encode_records\n"
        "decode_records(encode_records([Message(value=b'v')]))\n"
        "print(*({'google_crc32c', 'cramjam', 'lz4', 'zstandard'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""
