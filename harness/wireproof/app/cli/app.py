"""The click command `wireproof`. It loads the module of a subcommand only when that subcommand runs."""

import contextlib
import errno
import io
import os
import sys
import traceback
from importlib import import_module
from typing import Any, Final, NamedTuple, NoReturn

import click

from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.extras import extra_of, install_advice
from wireproof.base.text.wording import did_you_mean, echo, printable, shortened
from wireproof.base.version import own_version, page_url

TRACEBACK: Final = "WIREPROOF_TRACEBACK"
"""The environment variable that makes an unexpected exception print its traceback."""

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_NO_ROOM: Final = frozenset({*_FULL, errno.EFBIG, errno.EROFS})


class OutputClosedError(Exception):
    """The reader of standard output closed it. click itself would return 1."""


def code_of(error: BaseException) -> ExitCode:
    """Report an exception that ends the command; return the exit code.

    A missing package of an extra and a full disk are conditions of the machine. Any other exception is a
    fault of wireproof: the line names the place in the code.
    """
    if module := _missing_module(error):
        advice = install_advice(extra_of(module) or "")
        _report(f"this command needs the package {module}, which is not installed", advice)
        return ExitCode.MISSING
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        place = f" {error.filename}" if error.filename else ""
        _report(f"cannot write{place}: {error.strerror}", "Make room and run the command again.")
        return ExitCode.BROKEN
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
    words = " ".join(str(error).split())[:300]
    _report(
        f"wireproof itself failed: {type(error).__name__}: {words}{place}",
        f"This is a fault of wireproof, not of the codec. {TRACEBACK}=1 prints where; please report it.",
    )
    return ExitCode.BROKEN


def _missing_module(error: BaseException) -> str:
    """The module of an extra whose absence raised the exception; empty if something else did."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ModuleNotFoundError) and cause.name and extra_of(cause.name):
            return cause.name
        cause = cause.__cause__
    return ""


def _report(message: str, advice: str) -> None:
    with contextlib.suppress(OSError):  # standard error may be closed or full, too
        sys.stderr.write(shortened(printable(f"Error: {message}\n{advice}\n")))
        sys.stderr.flush()


class _Command(NamedTuple):
    """A subcommand: its sentence in the help, and its place in this package: a module, and its name there."""

    sentence: str
    place: str


_GROUPS: Final = {
    "Test a codec": {
        "run": _Command("Prove a codec against Kafka's own classes.", "run.run_command"),
        "replay": _Command("Try one case again, by its id or from a file.", "run.replay_command"),
        "judge": _Command(
            "Run a client program against a real broker, and judge each request that it sends.",
            "capture.judge_command",
        ),
        "proxy": _Command(
            "Stand between clients and a broker, and vary answers as the protocol allows.",
            "capture.proxy_command",
        ),
        "testee": _Command(
            "Manage codecs under test: list them, start one, check adapters, run several.",
            "testee.testee_command",
        ),
        "matrix": _Command(
            "Compare codecs: the messages that each one gets right, and the differences.",
            "matrix.matrix_command",
        ),
        "power": _Command(
            "Test the harness by mutation: plant bugs in a codec and check that each is found.",
            "power.power_command",
        ),
        "campaign": _Command(
            "Prove a codec with millions of instances on Spark, on this machine or on a cluster.",
            "spark.campaign_command",
        ),
    },
    "Read the results": {
        "report": _Command(
            "Report a run from its event files: those of its shards too.", "run.event_commands:report"
        ),
        "explain": _Command(
            "Explain a word of a report: a check, phase, kind, exit code, fault or known Kafka bug.",
            "explain_command",
        ),
        "diff": _Command(
            "Compare two runs by their event files: causes and findings, new and gone.",
            "run.event_commands:diff",
        ),
        "trend": _Command("Show how a codec changed over the runs in a folder.", "run.event_commands:trend"),
        "merge": _Command("Merge the event files of a run's shards into one.", "run.event_commands:merge"),
    },
    "Look at messages": {
        "show": _Command(
            "Show a cell: its layout, its boundary cases and an annotated default instance.",
            "cells.show_command",
        ),
        "decode": _Command(
            "Explain every byte of a frame or a message: an annotated hexdump, and the value.",
            "cells.decode_command",
        ),
        "cells": _Command(
            "List the cells: every message of a release at every version.", "cells.cells_command"
        ),
        "schema": _Command(
            "Examine message definitions: try a draft; list changes, and what they break.",
            "schema.schema_command",
        ),
    },
    "Known deviations": {
        "ledger": _Command("Manage the known deviations of a codec.", "ledger.ledger_command")
    },
    "Data": {
        "corpus": _Command(
            "Make, verify and maintain a corpus: entries for runs without Java.", "corpus.corpus_command"
        ),
        "capture": _Command(
            "Start a real broker, drive it through a recording proxy, and record the traffic.",
            "capture.capture_command",
        ),
        "pcap": _Command("Convert captures to and from packet files (pcap, pcapng).", "capture.pcap_command"),
        "pipeline": _Command(
            "Read large captures with Spark: tables, a corpus, a report.", "spark.pipeline_command"
        ),
    },
    "Kafka and set-up": {
        "releases": _Command("List the releases, and fetch their jars.", "releases_command"),
        "broker": _Command("Build an image of a broker.", "releases_command:broker"),
        "doctor": _Command(
            "Check the installation: list missing parts, each with the command that adds it.",
            "doctor_command",
        ),
        "completion": _Command(
            "Print the script by which a shell completes the words of wireproof.",
            "options:completion_command",
        ),
    },
}
"""The subcommands, as the help groups them."""

_COMMANDS: Final = {name: command for group in _GROUPS.values() for name, command in group.items()}


class FailedCommand(click.ClickException):
    """A `FatalError` in the form that click reports. A full disk is not a mistake in the command."""

    def __init__(self, error: FatalError) -> None:
        super().__init__(str(error))
        full = isinstance(error.__cause__, OSError) and error.__cause__.errno in _FULL
        code = ExitCode.BROKEN if full else error.exit_code
        self.exit_code = int(code)  # type: ignore[misc] # click reads it from the instance too


class _Lazy(click.Group):
    """A group that imports the module of a subcommand when it runs. Its help imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].place.partition(":")
        command = getattr(import_module(f"wireproof.app.cli.{module}"), name or "command")
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise OutputClosedError from error
            raise
        except FatalError as error:
            raise FailedCommand(error) from error
        return result

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            advice = did_you_mean(args[0], _COMMANDS)
            raise click.UsageError(f"{error.message} {advice}".strip(), ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, _COMMANDS))
        for group, commands in _GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), each.sentence) for name, each in commands.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        formatter.write(f"The documentation: {page_url('index.md')}\n")


def _show_version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        echo(f"wireproof {own_version()}")
        ctx.exit()


@click.group(
    name="wireproof",
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=f"Exit codes: {', '.join(f'{code:d} {code.sentence}' for code in sorted(ExitCode))}.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version.",
)
def command_line() -> None:
    """Prove a Kafka wire-protocol codec: bytes and values against Kafka's own generated classes, for every
    message at every version.

    Human-readable output goes to standard error, machine-readable output to standard output.
    """


def main() -> NoReturn:
    """Entry point of the `wireproof` script."""
    _take_any_text()
    code = _run()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError as error:
        if error.errno != errno.EPIPE:
            code = code or code_of(error)
        _forget_output()
    sys.exit(code)


def _run() -> int:
    """Run the command that the arguments name; return the exit code."""
    try:
        return int(command_line(standalone_mode=False) or 0)
    except click.ClickException as error:
        _show(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return int(ExitCode.INTERRUPTED)
    except OutputClosedError:
        _forget_output()  # a reader such as `head` ended early: not an error
        return int(ExitCode.PROVEN)
    except Exception as error:  # noqa: BLE001 - the last place that can report an exception with an exit code
        return code_of(error)


class _Verbatim(io.StringIO):
    """A stream that keeps escape sequences. click removes them from streams that are not terminals."""

    def isatty(self) -> bool:
        return True


def _show(error: click.ClickException) -> None:
    """Print the error as click does, with the foreign text in it made printable; shorten all but a help."""
    text = _Verbatim()
    error.show(text)
    words = printable(text.getvalue())
    sys.stderr.write(words if isinstance(error, click.exceptions.NoArgsIsHelpError) else shortened(words))


def _take_any_text() -> None:
    """Let both streams write characters that their encoding lacks, lone surrogates too, as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _forget_output() -> None:
    """Discard the unwritten buffers: writing them when the interpreter ends would fail again."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(quiet, stream.fileno())
