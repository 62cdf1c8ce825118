"""``--junit``, ``--markdown``, ``--annotations``: what a run writes at its end, however it ends."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

import click

from wireproof.fatal import FatalError
from wireproof.output import document
from wireproof.run import ExitCode, RunEvent

__all__ = ["Makers", "events_option", "report_files", "report_options", "written_reports"]

_Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

_STANDARD_OUTPUT: Final = "-"
_STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""Of GitHub: the file whose text is shown on the page of a job."""
Makers: TypeAlias = Mapping[str, tuple[str, str]]
"""Each report by its option: the module, loaded when it is asked for, and what makes the text."""

_MAKERS: Final = {
    "junit": ("wireproof.report.run.junit_report", "junit_xml"),
    "markdown": ("wireproof.report.run.markdown_report", "markdown_summary"),
    "annotations": ("wireproof.report.run.annotations_report", "annotations"),
}


class _Account(Protocol):
    """What the reports are made of.

    Attributes:
        stopped: why there was no end, in words; empty where there was one.
    """

    stopped: str


events_option: _Decorator = click.option(
    "--events",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write every event as a line of JSON; - is standard output.",
)


def report_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of the reports that a run writes at its end."""
    path = click.Path(dir_okay=False, allow_dash=True)
    options: tuple[_Decorator, ...] = (
        click.option(
            "--junit",
            type=path,
            metavar="FILE",
            help="Write JUnit XML at the end, a test case for each cell; - is standard output.",
        ),
        click.option(
            "--markdown",
            type=path,
            metavar="FILE",
            help="Write a summary for a pull request at the end; - is standard output. It is added to "
            f"${_STEP_SUMMARY} as well, where that is set.",
        ),
        click.option(
            "--annotations",
            is_flag=True,
            help="Write GitHub annotations to standard output at the end: an error for each cause, a warning "
            "for what expires soon in the ledger.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


@contextmanager
def report_files(options: dict[str, Any]) -> Iterator[list[Callable[[RunEvent], None]]]:
    """Listeners for the reports that are asked for of a run (`written_reports`).

    Raises:
        FatalError: a file cannot be written, or two things want standard output.
    """
    if all(options[name] is None for name in ("junit", "markdown")) and not options["annotations"]:
        with written_reports(options, None, {}):
            yield []
        return
    from wireproof.report.run_summary import Account

    account = Account()
    with written_reports(options, account, _MAKERS):
        yield [account]


@contextmanager
def written_reports(options: dict[str, Any], account: _Account | None, makers: Makers) -> Iterator[None]:
    """The files that are asked for are written when the context ends, however it ends.

    What an earlier run left in these files is gone from the start: a run that is killed leaves no report.
    Takes its options out of the dict.

    Args:
        account: None where nothing is asked for.

    Raises:
        FatalError: a file cannot be written, or two things want standard output.
    """
    wanted = {name: options.pop(name) for name in ("junit", "markdown")}
    wanted["annotations"] = _STANDARD_OUTPUT if options.pop("annotations") else None
    places = {name: place for name, place in wanted.items() if place is not None}
    printed = _STANDARD_OUTPUT if options.get("form") == "json" else None
    _each_its_own({**places, "events": options.get("events"), "format json": printed})
    if account is None or not places:
        yield
        return
    for place in places.values():
        _clear(place)
    try:
        yield
    except click.ClickException as error:
        account.stopped = error.format_message()
        raise
    except FatalError as error:
        account.stopped = str(error)
        raise
    except BaseException as error:
        account.stopped = f"{type(error).__name__}: {error}".rstrip(": ")
        raise
    finally:
        for name, place in places.items():
            module, maker = makers[name]
            _write(name, place, getattr(import_module(module), maker)(account))


def _each_its_own(places: dict[str, str | None]) -> None:
    """Two reports in one place would destroy each other.

    Raises:
        FatalError: two options name the same file, or standard output.
    """
    options: dict[str, list[str]] = {}
    for name, place in places.items():
        if place is not None:
            real = place if place == _STANDARD_OUTPUT else str(Path(place).resolve())
            if Path(real).exists() and not Path(real).is_file():
                continue  # a device, such as /dev/null, takes any number
            options.setdefault(real, []).append(f"--{name}")
    for real, names in options.items():
        if len(names) > 1:
            place = "standard output" if real == _STANDARD_OUTPUT else real
            advice = "Name a file for each of them."
            raise FatalError(f"{' and '.join(names)} both want {place}", advice, ExitCode.USAGE)


def _clear(place: str) -> None:
    """Make room for a report: its folder is there, and no old report is."""
    if place == _STANDARD_OUTPUT:
        return
    path = Path(place).resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and not _is_step_summary(path):
            path.unlink()
    except OSError as error:
        raise FatalError(f"cannot write {place}: {error.strerror}", "", ExitCode.USAGE) from error


def _write(name: str, place: str, text: str) -> None:
    summary = os.environ.get(_STEP_SUMMARY, "")
    try:
        if name == "markdown" and summary:
            _append(Path(summary), text)
        if place == _STANDARD_OUTPUT:
            document(text)
        elif not _is_step_summary(Path(place).resolve()):
            _replace(Path(place).resolve(), text)
    except OSError as error:
        raise FatalError(
            f"cannot write {error.filename or place}: {error.strerror}", "", ExitCode.USAGE
        ) from error


def _is_step_summary(path: Path) -> bool:
    summary = os.environ.get(_STEP_SUMMARY, "")
    return bool(summary) and path == Path(summary).resolve()


def _append(path: Path, text: str) -> None:
    """Other commands of the same step may have written there."""
    with path.open("a", encoding="utf-8") as stream:
        stream.write(text)


def _replace(path: Path, text: str) -> None:
    """Whoever reads it sees nothing or all of it; what is no plain file is written to as it is."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
