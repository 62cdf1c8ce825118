"""The options that `wireproof run --watch` refuses, and the files that it watches."""

from pathlib import Path
from typing import Final

import click
import pytest

from wireproof.app.cli.app import command_line
from wireproof.app.cli.run.watch_session import watched_files
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.proof.config.run_config import RunConfig
from wireproof.proof.testees.build.launch import TesteeFiles
from wireproof.proof.testees.build.scaffold import start_testee
from wireproof.proof.testees.description.manifest import shipped_folder

CORPUS: Final = Path(__file__).parents[6] / "corpus" / "golden" / "4.3.1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    start_testee(tmp_path / "my-codec", "python")
    return tmp_path.resolve()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "it needs --testee: wireproof's own codec has no folder to watch"),
        (["--testee", "my-codec", "--shard", "1/2"], "a shard is for jobs that run once"),
        (["--testee", "my-codec", "--annotations"], "--annotations would write a report of each round"),
        (["--testee", "my-codec", "--junit", "-"], "--junit would write"),
        (["--testee", "my-codec", "--junit", "a.xml", "--events", "-"], "--events would write"),
        (["--testee", "container:codec:1"], "container:codec:1 has no folder to watch"),
        (["--testee", "no-such"], "no-such is not a testee"),
    ],
)
def test_options_that_make_no_sense_together(options: list[str], words: str, folder: Path):
    """Nothing runs, and the error says what to do."""
    with pytest.raises(click.ClickException) as raised:
        command_line(["run", "--watch", "--no-java", str(CORPUS), *options], standalone_mode=False)
    assert words in raised.value.format_message()
    assert raised.value.exit_code == (ExitCode.MISSING if "no-such" in options else ExitCode.USAGE)
    assert len(raised.value.format_message().splitlines()) == 2


def test_a_dry_run_is_not_watched(folder: Path):
    """It proves nothing, so nothing can change."""
    with pytest.raises(click.UsageError, match="--watch and --dry-run"):
        command_line(["run", "--watch", "--dry-run", "--testee", "my-codec"], standalone_mode=False)


def test_the_files_of_each_kind_of_testee(folder: Path):
    """A folder, one with a version, a shipped one, a program, and Python code in this process."""
    program = folder / "bin" / "codec"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (folder / "link").symlink_to(folder / "my-codec")

    def files(testee: str) -> TesteeFiles:
        return watched_files(RunConfig(testee=testee))

    assert files("my-codec") == files("./my-codec@2.0") == files("link") == TesteeFiles(folder / "my-codec")
    assert files("python-kafka-python").folder == (shipped_folder() / "python-kafka-python").resolve()
    assert files("bin/codec") == TesteeFiles(program.parent, program)
    in_process = TesteeFiles(folder / "my-codec", in_process=True)
    assert files("python:my-codec/adapter.py") == in_process
    with pytest.raises(FatalError, match="has no folder"):
        files("python:sys:path")  # a module without a file
