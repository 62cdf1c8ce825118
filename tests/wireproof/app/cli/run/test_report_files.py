"""Where the reports of a run go, and what is there when the run does not get to its end."""

from pathlib import Path
from typing import Any

import pytest
from junitparser import JUnitXml

from wireproof.app.cli.run.report_files import report_files
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.config.report_paths import ReportPaths
from wireproof.proof.run.core.cell_events import FailedCase
from wireproof.proof.run.core.run_events import RunFooter, RunHeader, Totals

CELL = Cell("4.4.0", "clients", "FetchRequest", 12)
FAILED = FailedCase(CELL, Phase.ENUMERATED, f"{CELL.id}/enumerated/a", (Divergence("bytes", "tiny", "no"),))
EVENTS = (
    RunHeader("0", ("wireproof",), 0, ("4.4.0",), {}, ("tiny",), (), 1, {}),
    FAILED,
    RunFooter(Totals(1, 1, 1, failed_cases=1), 1.0, ExitCode.DIVERGENCE),
)


@pytest.fixture(autouse=True)
def _no_github(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")


def options(**given: Any) -> ReportPaths:
    return ReportPaths(**given)


def write_reports(wanted: ReportPaths) -> None:
    with report_files(wanted) as listeners:
        for event in EVENTS:
            for listener in listeners:
                listener(event)


def stop(wanted: ReportPaths, error: BaseException) -> None:
    """A run that finds something and is then stopped."""
    with report_files(wanted) as (listener,):
        for event in EVENTS[:2]:
            listener(event)
        raise error


def messages(path: Path) -> list[str]:
    return [
        result.message for suite in JUnitXml.fromfile(str(path)) for case in suite for result in case.result
    ]


def test_without_an_option_nothing_is_written(tmp_path, capsys, monkeypatch):
    """Not even where a CI server would read it: only what was asked for."""
    summary = tmp_path / "summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    write_reports(options())

    assert capsys.readouterr().out == ""
    assert not summary.exists()


def test_each_report_is_in_its_file(tmp_path):
    """Folders are made; nothing else lies there."""
    wanted = options(junit=str(tmp_path / "a" / "j.xml"), markdown=str(tmp_path / "a" / "m.md"))
    write_reports(wanted)

    assert messages(tmp_path / "a" / "j.xml") == ["[bytes]: no"]
    assert (tmp_path / "a" / "m.md").read_text().startswith("### wireproof: tiny")
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["j.xml", "m.md"]


@pytest.mark.parametrize(
    ("wanted", "begins"),
    [({"junit": "-"}, "<?xml"), ({"markdown": "-"}, "### wire"), ({"annotations": True}, "::error title=")],
)
def test_a_report_may_go_to_standard_output(wanted, begins, capsys):
    """There it is all there is."""
    write_reports(options(**wanted))

    assert capsys.readouterr().out.startswith(begins)


@pytest.mark.parametrize(
    "wanted", [{"junit": "-", "markdown": "-"}, {"annotations": True, "events": "-"}], ids=str
)
def test_standard_output_is_for_one(wanted):
    """Two streams in one are of no use to anybody."""
    with pytest.raises(FatalError, match="both want standard output") as caught:
        write_reports(options(**wanted))
    assert caught.value.exit_code == 2


def test_a_file_is_for_one(tmp_path):
    """However it is spelled; a device takes any number of reports."""
    name = str(tmp_path / "report")
    with pytest.raises(FatalError, match=r"--junit and --events both want .*report") as caught:
        write_reports(options(junit=name, events=f"{tmp_path}/./report"))
    assert caught.value.exit_code == 2
    write_reports(options(junit="/dev/null", markdown="/dev/null"))


def test_what_an_earlier_run_left_is_gone_from_the_start(tmp_path):
    """A run that is killed leaves no report that says otherwise."""
    path = tmp_path / "j.xml"
    path.write_text("all is green")
    with report_files(options(junit=str(path))):
        assert not path.exists()
    assert path.exists()


def test_what_stopped_the_run_stands_in_the_report(tmp_path):
    """A second Ctrl-C, a fault of ours, something that is missing: found until then, and why it ended."""
    path = tmp_path / "j.xml"
    for error, words in (
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (ZeroDivisionError("by 0"), "ZeroDivisionError: by 0"),
        (FatalError("no cell matches", "Look.", ExitCode.NOTHING_RAN), "no cell matches"),
    ):
        with pytest.raises(type(error)):
            stop(options(junit=str(path)), error)
        assert messages(path) == ["[bytes]: no", words]


def test_what_cannot_be_written_is_reported_before_the_run(tmp_path):
    """Not after half an hour."""
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(FatalError, match="cannot write") as caught,
        report_files(options(junit=str(tmp_path / "file" / "j.xml"))),
    ):
        pytest.fail("it ran")
    assert caught.value.exit_code == 2


def test_a_file_that_cannot_be_written_at_the_end_leaves_the_verdict(tmp_path, capsys):
    """The folder is gone: the exit code is that of the run, and the other reports are written."""
    folder = tmp_path / "gone"
    with report_files(options(html=str(folder / "page.html"), junit=str(tmp_path / "j.xml"))):
        folder.rmdir()

    assert "cannot write" in capsys.readouterr().err
    assert (tmp_path / "j.xml").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["j.xml"]


def test_a_full_disk_leaves_the_verdict(capsys):
    write_reports(options(html="/dev/full"))

    assert "cannot write /dev/full (--html): No space left on device." in capsys.readouterr().err


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    """The file is replaced at once, the link to it is not."""
    (tmp_path / "link.md").symlink_to(tmp_path / "real.md")
    write_reports(options(markdown=str(tmp_path / "link.md")))

    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "real.md").read_text().startswith("### wireproof")


def test_a_device_is_written_to_and_not_replaced():
    """`/dev/null` and its like."""
    write_reports(options(markdown="/dev/null"))

    assert Path("/dev/null").is_char_device()


def test_the_page_of_the_job_gets_the_summary_too(tmp_path, monkeypatch):
    """It is added to what other commands wrote there; once, where it is the file that was named."""
    summary = tmp_path / "summary"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    write_reports(options(markdown=str(tmp_path / "m.md")))
    write_reports(options(markdown=str(summary)))

    assert summary.read_text() == "before\n" + 2 * (tmp_path / "m.md").read_text()
