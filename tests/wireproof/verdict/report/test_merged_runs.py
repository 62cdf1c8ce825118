"""The event files of shards, read as one run."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.environments import small_environment
from tests.support.reports.sample_events import PROBLEM, STARTED
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Cell, Phase
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import LedgerFinding, ReportedEvent, RunFooter, RunHeader
from wireproof.verdict.report.events.event_json import EventFile
from wireproof.verdict.report.events.event_reader import MergeError, RunFiles
from wireproof.verdict.report.run_summary import RunSummary

CELLS = [small_environment.cell("PingRequest", version) for version in range(4)]
OPTIONS = RunOptions(phases=(Phase.ENUMERATED, Phase.FRAME), shrink_s=0)


def write_run(path: Path, cells: Sequence[Cell], wrong: Any = None, **header: Any) -> Path:
    """Run the small release, and write the events of the cells to a file."""
    started = replace(STARTED, cells=len(cells), cells_offered=len(CELLS), phases=OPTIONS.phases, **header)
    with path.open("w", encoding="utf-8") as stream:
        write = EventFile(stream)
        write(started)
        for event in small_environment.engine(small_environment.make(wrong=wrong), OPTIONS).run(cells):
            write(event)
    return path


def footer_of(files: RunFiles) -> RunFooter:
    *_, last = files.events()
    assert isinstance(last, RunFooter)
    return last


def plain(footer: RunFooter) -> RunFooter:
    return replace(footer, duration_s=0.0)


@pytest.mark.parametrize("wrong", [None, small_environment.NullAsEmpty], ids=["right", "wrong"])
def test_shards_add_up_to_the_whole_run(wrong: object, tmp_path: Path):
    """The footer of the merged shards is that of the run of all their cells, exit code included."""
    whole = write_run(tmp_path / "whole", CELLS, wrong)
    shards = [write_run(tmp_path / str(n), CELLS[n::3], wrong) for n in range(3)]
    merged = RunFiles(shards)
    first, *events, last = merged.events()

    assert isinstance(first, RunHeader)
    assert first.cells == len(CELLS)
    assert isinstance(last, RunFooter)
    assert plain(last) == plain(footer_of(RunFiles([whole])))
    assert last.exit_code == (ExitCode.PROVEN if wrong is None else ExitCode.DIVERGENCE)
    assert not merged.unfinished
    assert not [event for event in events if isinstance(event, RunHeader | RunFooter)]


def test_a_single_file_is_as_it_was_written(tmp_path: Path):
    """Its header, events and footer are the run's own."""
    path = write_run(tmp_path / "one", CELLS[:2])
    events: list[ReportedEvent] = list(RunFiles([path]).events())
    summary = RunSummary()
    for event in events:
        summary(event)

    assert summary.started is not None
    assert summary.started.command == STARTED.command
    assert summary.cells.keys() == set(CELLS[:2])


def test_a_shard_without_an_end_is_never_proven(tmp_path: Path):
    """Even if the events of all its cells are there: its ledger was not judged."""
    paths = [write_run(tmp_path / str(n), CELLS[n::2]) for n in range(2)]
    lines = paths[1].read_text().splitlines(keepends=True)
    paths[1].write_text("".join(lines[:-1]))
    files = RunFiles(paths)

    assert footer_of(files).exit_code is ExitCode.BELOW_FLOOR
    assert files.unfinished == [paths[1]]

    paths[1].write_text("".join(lines[:-2]))
    footer = footer_of(files)
    assert footer.exit_code is ExitCode.BELOW_FLOOR
    assert (footer.totals.cells_done, footer.totals.cells_selected) == (3, 4)


def test_one_file_without_an_end_is_never_proven(tmp_path: Path):
    """A run that was killed has the cells that it judged, and the exit code for an incomplete run."""
    path = write_run(tmp_path / "killed", CELLS)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    files = RunFiles([path])

    assert footer_of(files).exit_code is ExitCode.BELOW_FLOOR
    assert files.unfinished == [path]


def test_a_worse_exit_code_of_a_shard_stays(tmp_path: Path):
    """The events alone do not show that a shard was interrupted."""
    paths = [write_run(tmp_path / str(n), CELLS[n::2]) for n in range(2)]
    paths[0].write_text(paths[0].read_text().replace('"exitCode":0', '"exitCode":130'))

    assert footer_of(RunFiles(paths)).exit_code is ExitCode.INTERRUPTED


def test_a_problem_of_the_ledger_counts_once(tmp_path: Path):
    """Each shard reports an entry that has expired."""
    paths = [write_run(tmp_path / str(n), CELLS[n::2]) for n in range(2)]
    for path in paths:
        *lines, last = path.read_text().splitlines(keepends=True)
        with path.open("w") as stream:
            stream.write("".join(lines))
            EventFile(stream)(LedgerFinding(PROBLEM))
            stream.write(last)
    files = RunFiles(paths)

    assert sum(isinstance(event, LedgerFinding) for event in files.events()) == 1
    footer = footer_of(files)
    assert (footer.totals.ledger_problems, footer.exit_code) == (1, ExitCode.LEDGER)


def test_a_file_that_is_named_twice_is_refused(tmp_path: Path):
    """Its cells would count twice, and half of a run would be a whole one."""
    path = write_run(tmp_path / "1.ndjson", CELLS[:1])
    with pytest.raises(MergeError, match=r"1\.ndjson is named twice"):
        list(RunFiles([path, tmp_path / "a" / ".." / "1.ndjson"]).events())


def test_shards_with_a_cell_in_common_are_refused(tmp_path: Path):
    """Its cases would count twice."""
    paths = [write_run(tmp_path / "a", CELLS[:2]), write_run(tmp_path / "b", CELLS[1:])]

    with pytest.raises(MergeError, match=f"both have {CELLS[1].id}: the shards of a run have no cell in"):
        list(RunFiles(paths).events())


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"seed": 9}, "seed is 0 in .*, 9 in "),
        ({"testee": "./other"}, "testee is none in .*, ./other in "),
        ({"subjects": ("a", "b")}, r"subjects is kafkawire\[compiled\] in .*, a, b in "),
        ({"version": "0.0.9"}, "version is 0.1.0 in .*, 0.0.9 in "),
    ],
)
def test_files_of_two_runs_are_refused(header: dict[str, object], words: str, tmp_path: Path):
    """The error names what differs, and both files."""
    paths = [write_run(tmp_path / "a", CELLS[:2]), write_run(tmp_path / "b", CELLS[2:], **header)]

    with pytest.raises(MergeError, match=words):
        list(RunFiles(paths).events())


def test_an_error_names_the_file(tmp_path: Path):
    """Its line, too."""
    path = tmp_path / "events.ndjson"
    path.write_text("garbage\n")

    with pytest.raises(MergeError, match=r"events\.ndjson: line 1: "):
        list(RunFiles([path]).events())
