"""``wireproof report``, ``merge``, ``diff`` and ``trend``, as a user types them."""

import json
from pathlib import Path

import pytest

from tests.support.reports.sample_events import CELL, EVENTS, FINISHED, STARTED
from wireproof.app.cli.app import command_line
from wireproof.base.exit_codes import ExitCode
from wireproof.proof.run.core.cell_events import CellResult
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.events.event_json import EventFile


def written(path: Path, *events: RunEvent) -> Path:
    with path.open("w", encoding="utf-8") as stream:
        write = EventFile(stream)
        for event in events:
            write(event)
    return path


def typed(*words: object) -> int:
    return int(command_line([str(word) for word in words], standalone_mode=False) or 0)


def test_a_report_is_what_the_run_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Its exit code, the terminal's summary, JUnit and Markdown come from the event file alone."""
    events = written(tmp_path / "events.ndjson", *EVENTS)
    junit, markdown = tmp_path / "junit.xml", tmp_path / "summary.md"
    code = typed("report", events, "--junit", junit, "--markdown", markdown, "--annotations")
    captured = capsys.readouterr()

    assert code == FINISHED.exit_code
    assert "2 of 2 cells" in captured.err
    assert "::error " in captured.out
    assert "### wireproof: " in markdown.read_text()
    assert "<testsuites" in junit.read_text()


def test_a_run_that_was_killed_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The report names the file without an end, and the exit code is never 0."""
    events = written(tmp_path / "events.ndjson", STARTED)
    code = typed("report", events, "--markdown", "-")
    captured = capsys.readouterr()

    assert code == ExitCode.BELOW_FLOOR
    assert "1 event file without an end" in captured.err
    assert "**Stopped:** 1 event file without an end" in captured.out


def test_merged_shards_are_an_event_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """`merge` writes to a file or to standard output; what it writes is read like any run."""
    one = written(tmp_path / "1.ndjson", *EVENTS)
    output = tmp_path / "all.ndjson"

    assert typed("merge", one, "--output", output) == 0
    assert typed("merge", one, "--output", "-") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == output.read_text().splitlines()
    assert json.loads(lines[-1])["event"] == "footer"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.ndjson", "all.ndjson"]


def test_merge_never_writes_to_what_it_reads(tmp_path: Path):
    """An older file stays as it was if anything is wrong with the shards."""
    from wireproof.base.exit_codes import FatalError

    one = written(tmp_path / "1.ndjson", *EVENTS)
    with pytest.raises(Exception, match="is one of the files to merge"):
        typed("merge", one, "--output", one)
    older = tmp_path / "old.ndjson"
    older.write_text("old")
    bad = tmp_path / "bad.ndjson"
    bad.write_text("garbage\n")
    with pytest.raises(Exception, match="line 1") as caught:
        typed("merge", one, bad, "--output", older)

    assert isinstance(caught.value.__context__, FatalError)
    assert older.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.ndjson", "bad.ndjson", "old.ndjson"]


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_a_difference_ends_with_its_exit_code(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """1 for new findings, 0 for none; the output names the cell."""
    right = written(tmp_path / "right.ndjson", STARTED, CellResult(CELL, {}, 0, 0, 0.1), FINISHED)
    wrong = written(tmp_path / "wrong.ndjson", *EVENTS)

    assert typed("diff", right, wrong, "--format", form) == ExitCode.DIVERGENCE
    out = capsys.readouterr().out
    assert "FetchRequest" in out
    assert form != "json" or json.loads(out)["regressed"] is True
    assert typed("diff", wrong, wrong, "--format", form) == ExitCode.PROVEN


def test_a_trend_leaves_out_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """It names the file, and shows the others in the order of their names."""
    written(tmp_path / "2026-02.ndjson", *EVENTS)
    written(tmp_path / "2026-01.ndjson", STARTED)
    (tmp_path / "2026-03.ndjson").write_text("garbage\n")
    code = typed("trend", tmp_path)
    captured = capsys.readouterr()

    assert code == ExitCode.PROVEN
    assert [line.split()[0] for line in captured.out.splitlines()] == ["run", "2026-01", "2026-02"]
    assert "left out: " in captured.err
    assert "2026-03.ndjson" in captured.err


def test_a_folder_without_a_run_is_an_error(tmp_path: Path):
    """Not an empty table."""
    with pytest.raises(Exception, match="has no event file"):
        typed("trend", tmp_path)
