"""The archive of our own code that goes to a cluster's machines."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from wireproof.pipeline.job_plan import PipelineError
from wireproof.pipeline.runtime.code_distribution import code_archive, distribute_files

STRANGER = """
import sys
sys.path.insert(0, sys.argv[1])
import wireproof.traffic.corpus.collection, wireproof.traffic.wire.connection_decoder
from kafkawire.compiler import compile_layout
from kafkawire.schema import resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
spec = load_snapshot(table().find("4.3.1")).find("MetadataRequest")[1]
value = compile_layout(resolve(spec, 12)).decode(bytes([0, 1, 1, 0]))
print(wireproof.__file__.startswith(sys.argv[1]), len(value))
"""


def test_the_archive_is_named_by_what_it_holds(tmp_path: Path) -> None:
    """Made twice it is one file, with code and schemas, and with no program in another language."""
    first, second = code_archive(tmp_path), code_archive(tmp_path)
    assert first == second
    assert [each.name for each in tmp_path.iterdir()] == [first.name]
    names = zipfile.ZipFile(first).namelist()
    assert {"wireproof/traffic/wire/__init__.py", "wireproof/kafka/releases/table.toml"} <= set(names)
    assert "kafkawire/snapshots/4.3.1.json" in names
    assert not [name for name in names if name.endswith((".java", ".jar", ".go", ".rs"))]


def test_what_workers_import_needs_nothing_else(tmp_path: Path) -> None:
    """Codec, frames, corpus and schemas work out of the archive with the standard library alone."""
    archive = str(code_archive(tmp_path))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", STRANGER, archive], capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["True", "3"], done.stderr


def test_what_cannot_be_sent_is_said(spark: SparkSession, tmp_path: Path) -> None:
    """In a line, with what to do."""
    with pytest.raises(PipelineError) as caught:
        distribute_files(spark, [tmp_path / "nowhere.jar"])
    assert caught.value.message.startswith("what a job takes along cannot be sent: FileNotFoundException: ")
    assert "\n" not in caught.value.message
    assert "SPARK_LOCAL_DIRS" in caught.value.advice
