"""The bridge to Java that is missing, or lacks a library of the system: each error has its own advice."""

import subprocess
import sys
from pathlib import Path

import pytest

START = """
from wireproof.model.oracle import OracleError
from wireproof.kafka.oracle import _jvm
try:
    _jvm.start(64, False)
except OracleError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("source", "shown", "advice"),
    [
        ("raise ModuleNotFoundError(name='jpype')", "is not installed", " install "),
        (
            "raise ImportError('libstdc++.so.6: cannot open')",
            "cannot be loaded: libstdc++.so.6",
            "library of the system",
        ),
    ],
)
def test_the_bridge_cannot_be_imported(source: str, shown: str, advice: str, tmp_path: Path) -> None:
    """A package that is installed is not to be installed again."""
    (tmp_path / "jpype.py").write_text(source)
    path = ":".join([str(tmp_path), *filter(None, sys.path)])
    ran = subprocess.run(
        [sys.executable, "-c", START], capture_output=True, text=True, check=True, env={"PYTHONPATH": path}
    )
    assert shown in ran.stdout
    assert advice in ran.stdout
    assert ("pip install" in ran.stdout) == ("ModuleNotFound" in source)
