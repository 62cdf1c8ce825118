"""The click command `wireproof`. It loads the module of a subcommand only when that subcommand runs."""

import contextlib
import errno
import io
import os
import sys
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from wireproof.cli.crash_report import OutputClosedError, code_of
from wireproof.exit_codes import ExitCode
from wireproof.fatal import FatalError
from wireproof.foreign_text import printable, shortened
from wireproof.output import echo
from wireproof.suggestions import did_you_mean
from wireproof.version import own_version

__all__ = ["command_line", "main"]

_COMMANDS: Final = {
    "run": "Prove a codec against Kafka's own classes.",
    "report": "Report a run from its event files: those of its shards too.",
    "merge": "Merge the event files of a run's shards into one.",
    "diff": "Compare two runs by their event files: new, gone and unchanged causes.",
    "trend": "Show how a codec changed over the runs in a folder.",
    "cells": "List the cells: every message of a release at every version.",
    "show": "Show a cell: its layout, its boundary cases and an annotated default instance.",
    "schema": "Examine message definitions: try a draft; list changes, and what they break.",
    "decode": "Explain every byte of a frame or a message: an annotated hexdump, and the value.",
    "campaign": "Prove a codec with millions of instances on Spark, on this machine or on a cluster.",
    "power": "Test the harness by mutation: plant bugs in a codec and check that each is found.",
    "matrix": "Compare codecs: the messages that each one gets right, and the differences.",
    "testee": "Manage codecs under test: list them, start one, check adapters, run several.",
    "corpus": "Make, verify and maintain a corpus: entries for runs without Java.",
    "judge": "Run a client program against a real broker, and judge each request that it sends.",
    "pcap": "Convert captures to and from packet files (pcap, pcapng).",
    "pipeline": "Read large captures with Spark: tables, a corpus, a report.",
    "capture": "Start a real broker, drive it through a recording proxy, and record the traffic.",
    "broker": "Build an image of a broker.",
    "ledger": "Manage the known deviations of a codec.",
    "replay": "Try one case again, by its id or from a file.",
    "releases": "List the releases, and fetch their jars.",
    "explain": "Explain a name: a check, phase, kind, exit code, fault or known Kafka bug.",
    "completion": "Print the script by which a shell completes the words of wireproof.",
    "doctor": "Check the installation: list missing parts, each with the command that adds it.",
}


_MODULES: Final = {
    "run": "run.run_command",
    "report": "run.report_command",
    "merge": "run.merge_command",
    "diff": "run.diff_command",
    "trend": "run.trend_command",
    "replay": "run.replay_command",
    "cells": "cells.cells_command",
    "show": "cells.show_command",
    "schema": "schema.schema_command",
    "decode": "cells.decode_command",
    "campaign": "spark.campaign_command",
    "pipeline": "spark.pipeline_command",
    "power": "power.power_command",
    "matrix": "matrix.matrix_command",
    "testee": "testee.testee_command",
    "corpus": "corpus.corpus_command",
    "judge": "capture.judge_command",
    "pcap": "capture.pcap_command",
    "capture": "capture.capture_command",
    "broker": "capture.broker_command",
    "ledger": "ledger.ledger_command",
    "releases": "releases_command",
    "explain": "explain_command",
    "completion": "completion_command",
    "doctor": "doctor_command",
}
"""The module of each subcommand in this package."""


class FailedCommand(click.ClickException):
    """A `FatalError` in the form that click reports."""

    def __init__(self, error: FatalError) -> None:
        super().__init__(str(error))
        self.exit_code = int(error.exit_code)  # type: ignore[misc] # click reads it from the instance too


class _Lazy(click.Group):
    """A group that imports the module of a subcommand when it runs. Its help imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(f"wireproof.cli.{_MODULES[cmd_name]}").command
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
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


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
    """Run the command that the arguments name; the exit code."""
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
    """Print the error as click does, shortened, with the foreign text in it made printable."""
    text = _Verbatim()
    error.show(text)
    sys.stderr.write(shortened(printable(text.getvalue())))


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
