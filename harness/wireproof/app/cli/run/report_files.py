"""The options of the output formats, and the reports that a command writes at its end."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import click

from wireproof.app.cli.options import Decorator, run_options
from wireproof.base.fatal import FatalError
from wireproof.base.files import remove_file, write_output
from wireproof.base.text.output import document, echo
from wireproof.proof.config import ReportOption, ReportPaths
from wireproof.proof.run import ExitCode, RunEvent
from wireproof.verdict.report.output_formats import RUN_FORMATS, run_renderer

_STANDARD_OUTPUT: Final = "-"
_STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable with the file whose text GitHub shows on the page of a job."""


class _Summary(Protocol):
    """The part of a summary that the end of a command fills.

    Attributes:
        stopped: the reason why the command ended early; empty if it did not.
    """

    stopped: str


def report_options(formats: Sequence[ReportOption] = RUN_FORMATS) -> Decorator:
    """Return the decorator that gives a command the options of the reports that it writes at its end."""
    return run_options(*(form.name for form in formats))


@contextmanager
def report_files(paths: ReportPaths) -> Iterator[list[Callable[[RunEvent], None]]]:
    """Yield the listeners for the requested reports of a run; see `written_reports`.

    Raises:
        FatalError: a file cannot be written, or two reports go to standard output.
    """
    wanted = {form.name: getattr(paths, form.name) for form in RUN_FORMATS}
    if not any(wanted.values()):
        with written_reports(paths.events, wanted, None, RUN_FORMATS, run_renderer):
            yield []
        return
    from wireproof.verdict.report.run_summary import RunSummary

    summary = RunSummary()
    with written_reports(paths.events, wanted, summary, RUN_FORMATS, run_renderer):
        yield [summary]


@contextmanager
def written_reports(
    events: str | None,
    wanted: Mapping[str, Any],
    summary: _Summary | None,
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
        summary: None if no report is requested.
        formats: those of the command.
        renderer_of: the renderer of a format for the summary.
        printed: another report goes to standard output.

    Raises:
        FatalError: the place of a file cannot be written at the start, or two reports go to standard output.
    """
    places: dict[ReportOption, str] = {}
    for form in formats:
        if place := wanted[form.name]:
            places[form] = _STANDARD_OUTPUT if form.is_flag else place
    by_option = {form.name: place for form, place in places.items()}
    _each_its_own({**by_option, "events": events, "format json": _STANDARD_OUTPUT if printed else None})
    if summary is None or not places:
        yield
        return
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
    """Refuse two reports in one place: they would destroy each other.

    Raises:
        FatalError: two options name the same file, or standard output.
    """
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
            raise FatalError(f"{' and '.join(names)} both want {place}", advice, ExitCode.USAGE)


def _clear(place: str) -> None:
    """Prepare the place of a report: create its folder and remove an old report."""
    if place == _STANDARD_OUTPUT:
        return
    path = Path(place).resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and not _is_step_summary(path):
            remove_file(path)
    except OSError as error:
        raise FatalError(f"cannot write {place}: {error.strerror}", "", ExitCode.USAGE) from error


def _write(form: ReportOption, place: str, text: str) -> None:
    """Write a report.

    Raises:
        OSError: a file cannot be written.
    """
    summary = os.environ.get(_STEP_SUMMARY, "")
    if form.to_step_summary and summary:
        _append(Path(summary), text)
    if place == _STANDARD_OUTPUT:
        document(text)
    elif not _is_step_summary(Path(place).resolve()):
        write_output(Path(place), text)


def _is_step_summary(path: Path) -> bool:
    summary = os.environ.get(_STEP_SUMMARY, "")
    return bool(summary) and path == Path(summary).resolve()


def _append(path: Path, text: str) -> None:
    """Append the text: other commands of the same step may have written to the file."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(text)
