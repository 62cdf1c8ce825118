"""The command that tries a testee without a greeting can be pasted into a shell, in any folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.process.testee_container import Container
from wireproof.proof.testees.session import greeted_process
from wireproof.proof.testees.session.process_session import ProcessSession
from wireproof.proof.testees.testee_errors import TesteeError


def line_of(way: ChildProcess) -> str:
    testee = ProcessSession("mine", way, "wireproof 0.1.0")
    with pytest.raises(TesteeError) as raised:
        testee.hello()
    return re.search("Try it by hand: (.*)", str(raised.value))[1]  # type: ignore[index]


def test_the_line_works_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command may have a relative program, an argument with a space, a quote, and a folder with a
    space."""
    monkeypatch.setattr(greeted_process, "_HELLO_S", 1.0)  # this testee waits for the end of its input
    folder = tmp_path / "it's a testee"
    folder.mkdir()
    (folder / "adapter.py").write_text("import sys; print(sys.argv[1:], sys.stdin.read())")
    line = line_of(ChildProcess((sys.executable, "adapter.py", "a b", "$HOME 'x'"), folder))

    ran = subprocess.run(["sh", "-c", line], cwd="/", capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert """['a b', "$HOME 'x'"]""" in ran.stdout
    assert '"op": "hello"' in ran.stdout


def test_the_line_of_a_container_is_quoted() -> None:
    """The command of the container is quoted too."""
    assert Container("image", "run", ("a b",)).by_hand.endswith("--network none image 'a b'")
