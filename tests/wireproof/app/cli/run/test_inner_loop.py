"""The options of ``wireproof run`` for the inner loop: dry runs, cells that failed last, limits, quiet."""

import json
from pathlib import Path
from typing import Final

import click
import pytest

from wireproof.app.cli.app import command_line
from wireproof.app.cli.run.run_command import command
from wireproof.base.exit_codes import ExitCode
from wireproof.proof.config.run_config import RunConfig
from wireproof.verdict.report.failure_files import LAST_FAILED

CORPUS: Final = Path(__file__).parents[5] / "corpus" / "golden" / "4.3.1"
MESSAGE: Final = ("--message", "ApiVersionsRequest")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> int:
    return int(command_line(["run", "--no-java", str(CORPUS), *MESSAGE, *words], standalone_mode=False) or 0)


def test_a_dry_run_prints_the_plan_and_proves_nothing(folder: Path, capsys: pytest.CaptureFixture[str]):
    """The plan has codec, releases, phases and cells; no file is written."""
    code = run("--dry-run", "--events", "events.ndjson", "--junit", "junit.xml")
    rows = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())

    assert code == ExitCode.PROVEN
    assert rows["codec"].startswith("kafkawire[compiled]")
    assert rows["Kafka"] == "4.3.1"
    assert rows["phases"] == "corpus"
    assert rows["cells"].split()[0] == rows["4.3.1"].split()[1]
    assert list(folder.iterdir()) == []


def test_the_cells_that_failed_last_are_selected(folder: Path, capsys: pytest.CaptureFixture[str]):
    """If the selected ones failed; else all of them, and a line says so."""
    LAST_FAILED.parent.mkdir()
    failed = {
        "": ["4.3.1/ApiVersionsRequest/3", "4.3.1/FetchRequest/12"],
        "./other": ["4.3.1/ApiVersionsRequest/2"],
    }
    LAST_FAILED.write_text(json.dumps({"format": 1, "failed": failed}))

    assert run("--last-failed", "--quiet") == ExitCode.PROVEN
    err = capsys.readouterr().err
    assert "--last-failed: 1 cell failed last" in err
    assert "1 of 1 cells" in err
    # The cell agrees now, so it left the record.
    assert json.loads(LAST_FAILED.read_text())["failed"] == {
        "": ["4.3.1/FetchRequest/12"],
        "./other": failed["./other"],
    }

    assert run("--last-failed", "--dry-run") == ExitCode.PROVEN
    assert "none of the selected cells failed last, so all of them are proven" in capsys.readouterr().out


def test_a_quiet_run_prints_its_verdict(folder: Path, capsys: pytest.CaptureFixture[str]):
    """Two lines on standard error, nothing on standard output."""
    assert run("--quiet") == ExitCode.PROVEN
    captured = capsys.readouterr()

    assert captured.out == ""
    assert len(captured.err.splitlines()) == 2
    assert "without a divergence" in captured.err


@pytest.mark.parametrize(("words", "most"), [([], None), (["-x"], 1), (["--maxfail", "3"], 3)])
def test_x_is_a_limit_of_one_finding(words: list[str], most: int | None):
    """Both spellings set the same option of the configuration."""
    from wireproof.app.cli.run.run_command import config_of

    with command.make_context("run", list(words)) as context:
        assert config_of(context).maxfail == most
    assert RunConfig(maxfail=most).maxfail == most


def test_a_limit_below_one_is_refused():
    """No run can stop before it found anything."""
    with pytest.raises(click.BadParameter):
        command.make_context("run", ["--maxfail", "0"])
