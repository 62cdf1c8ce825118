"""The files that a run writes: its reports, events and failures; and its plan in words."""

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import click

from wireproof.app.assembly.run_plan import RunPlan
from wireproof.app.cli.event_loop import opened
from wireproof.app.cli.options import Decorator, run_options
from wireproof.base.exit_codes import FatalError, as_fatal
from wireproof.base.files.replacement import remove_file, write_output
from wireproof.base.text.wording import counted, document, echo
from wireproof.proof.config.report_paths import ReportOption, ReportPaths
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.events.event_json import EventFile
from wireproof.verdict.report.failure_files import LAST_FAILED, FailedCells, FailureFiles, read_failed_cells
from wireproof.verdict.report.lines.cause_outcome import LAST_CAUSES, CauseRecord
from wireproof.verdict.report.output_formats import RUN_FORMATS, run_renderer
from wireproof.verdict.report.run_summary import RunSummary

_STANDARD_OUTPUT: Final = "-"
_STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable with the file whose text GitHub shows on the page of a job."""


class _Summary(Protocol):
    """The part of a summary that the end of a command fills."""

    stopped: str


def report_options(formats: Sequence[ReportOption] = RUN_FORMATS) -> Decorator:
    """Return the decorator that gives a command the options of the reports that it writes at its end."""
    return run_options(*(form.name for form in formats))


@contextmanager
def report_files(paths: ReportPaths) -> Iterator[list[Callable[[RunEvent], None]]]:
    """Yield the listeners for the requested reports of a run; see `written_reports`."""
    wanted = {form.name: getattr(paths, form.name) for form in RUN_FORMATS}
    summary = RunSummary()
    with written_reports(paths.events, wanted, summary, RUN_FORMATS, run_renderer):
        yield [summary] if any(wanted.values()) else []


@contextmanager
def written_reports(
    events: str | None,
    wanted: Mapping[str, Any],
    summary: _Summary,
    formats: Sequence[ReportOption],
    renderer_of: Callable[[ReportOption], Callable[[Any], str]],
    *,
    printed: bool = False,
) -> Iterator[None]:
    """Write the requested files when the context ends, even if it ends with an exception.

    The files of an earlier run are removed at the start: a run that is killed leaves no report. A file that
    cannot be written at the end, on a full disk for instance, is reported on standard error. The verdict and
    the other files do not change.

    Args:
        events: the file of the events; None for no such file.
        wanted: the file of each format by its name; true for a format that goes to standard output.
        formats: the formats of the command.
        renderer_of: the renderer of a format for the summary.
        printed: whether another report goes to standard output.
    """
    places: dict[ReportOption, str] = {}
    for form in formats:
        if place := wanted[form.name]:
            places[form] = _STANDARD_OUTPUT if form.is_flag else place
    by_option = {form.name: place for form, place in places.items()}
    _each_its_own({**by_option, "events": events, "format json": _STANDARD_OUTPUT if printed else None})
    for place in places.values():
        _clear(place)
    try:
        yield
    except click.ClickException as error:
        summary.stopped = error.format_message()
        raise
    except FatalError as error:
        summary.stopped = str(error)
        raise
    except BaseException as error:
        summary.stopped = f"{type(error).__name__}: {error}".rstrip(": ")
        raise
    finally:
        for form, place in places.items():
            text = renderer_of(form)(summary)
            try:
                _write(form, place, text)
            except OSError as error:
                reason = error.strerror or type(error).__name__
                name = error.filename or place
                advice = "The verdict does not change. Write it from the events: wireproof report --help"
                echo(f"cannot write {name} ({form.option}): {reason}. {advice}", err=True)


def _each_its_own(places: dict[str, str | None]) -> None:
    """Refuse two reports in one place: they would destroy each other."""
    options: dict[str, list[str]] = {}
    for name, place in places.items():
        if place is not None:
            real = place if place == _STANDARD_OUTPUT else str(Path(place).resolve())
            if Path(real).exists() and not Path(real).is_file():
                continue  # a device, such as /dev/null, takes any number
            options.setdefault(real, []).append(f"--{name.replace('_', '-')}")
    for real, names in options.items():
        if len(names) > 1:
            place = "standard output" if real == _STANDARD_OUTPUT else real
            advice = "Name a file for each of them."
            raise FatalError(f"{' and '.join(names)} both want {place}", advice)


def _clear(place: str) -> None:
    """Prepare the place of a report: create its folder and remove an old report."""
    if place == _STANDARD_OUTPUT:
        return
    path = Path(place).resolve()
    with as_fatal(OSError, what=f"cannot write {place}: "):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and not _is_step_summary(path):
            remove_file(path)


def _write(form: ReportOption, place: str, text: str) -> None:
    summary = os.environ.get(_STEP_SUMMARY, "")
    if form.to_step_summary and summary:
        with open(summary, "a", encoding="utf-8") as stream:  # after what other commands of the step wrote
            stream.write(text)
    if place == _STANDARD_OUTPUT:
        document(text)
    elif not _is_step_summary(Path(place).resolve()):
        write_output(Path(place), text)


def _is_step_summary(path: Path) -> bool:
    summary = os.environ.get(_STEP_SUMMARY, "")
    return bool(summary) and path == Path(summary).resolve()


def recording_listeners(plan: RunPlan, stack: contextlib.ExitStack) -> list[Callable[[RunEvent], None]]:
    """Return the listeners. The stack closes the event file."""
    word = plan.subject.word
    listeners: list[Callable[[RunEvent], None]] = []
    if plan.config.events is not None:
        listeners.append(EventFile(stack.enter_context(opened(plan.config.events))))
    if plan.cause is None:  # a run of one cause must not replace the record of all
        listeners.append(CauseRecord(LAST_CAUSES))
    return [
        *listeners,
        FailureFiles(Path(".wireproof/failures"), word, plan.failure_record),
        FailedCells(LAST_FAILED, word),
    ]


def plan_lines(plan: RunPlan) -> Iterator[str]:
    """Yield a line for each part of the plan."""
    header = plan.started()
    rows = [
        ("codec", ", ".join(header.subjects)),
        ("runs in", header.where),
        ("against", header.authority),
        ("Kafka", ", ".join(header.releases)),
        ("jars", counted(len(header.jars), "jar") if header.jars else ""),
        ("phases", ", ".join(map(str, header.phases))),
        ("mutations", str(header.mutations)),
        ("examples", f"{plan.options.examples} random instances of a cell, seed {header.seed}"),
        ("ledger", counted(len(header.ledger), "entry", "entries") if header.ledger else "none"),
        ("processes", f"{plan.jobs}"),
        ("cells", f"{header.cells:,} of {header.cells_offered:,}"),
    ]
    for name, text in rows:
        if text:
            yield f"{name:10} {text}"
    modules = Counter((cell.release, cell.module) for cell in plan.cells)
    for (release, module), number in sorted(modules.items()):
        yield f"{'':10} {release} {module}: {counted(number, 'cell')}"
    if plan.config.last_failed:
        yield last_failed_line(plan)


def last_failed_line(plan: RunPlan) -> str:
    """Return what ``--last-failed`` selected, in words."""
    failed = read_failed_cells(LAST_FAILED, plan.subject.word)
    number = sum(cell.id in failed for cell in plan.cells)
    if not number:
        return "--last-failed: none of the selected cells failed last, so all of them are proven"
    return f"--last-failed: {counted(number, 'cell')} failed last"
