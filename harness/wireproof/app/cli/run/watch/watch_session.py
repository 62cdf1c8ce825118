"""``wireproof run --watch``: the options that it refuses, and the parts of it put together."""

import sys
from pathlib import Path
from typing import Final

from rich.console import Console

from wireproof.app.assembly.prerequisites import as_fatal_error
from wireproof.app.assembly.watch.file_watcher import FileWatcher
from wireproof.app.assembly.watch.ignored_files import IgnoredFiles
from wireproof.app.assembly.watch.watch_requests import RequestInbox
from wireproof.app.cli.events.stop_signals import StopSignals
from wireproof.app.cli.run.watch.terminal_keys import keys_of_terminal
from wireproof.app.cli.run.watch.watch_loop import WatchLoop
from wireproof.app.cli.run.watch.watch_round import WatchRound
from wireproof.base.exit_codes import ExitCode
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.proof.config import RunConfig
from wireproof.proof.testees import TesteeFiles, testee_files
from wireproof.verdict.report.output_formats import RUN_FORMATS

__all__ = ["watch", "watched_files"]

_STANDARD_OUTPUT: Final = "-"


def watch(config: RunConfig, *, quiet: bool, verbose: bool) -> ExitCode:
    """Prove a testee again whenever one of its files changes, until a key or a signal ends that.

    Raises:
        FatalError: the options make no sense together, or the first round cannot begin.
    """
    files = watched_files(config)
    inbox, console = RequestInbox(), Console(stderr=True)
    ignored = IgnoredFiles(files.folder, _outputs(config))
    with (
        StopSignals() as signals,
        FileWatcher(files.folder, inbox, ignored.ignores, files.program),
        keys_of_terminal(sys.stdin.fileno() if sys.stdin is not None else -1, inbox) as has_keys,
    ):
        loop = WatchLoop(
            files.folder,
            inbox,
            WatchRound(config, files, inbox, signals, console, quiet=quiet, verbose=verbose),
            say=lambda line: echo(line, err=True),
            clear=console.clear,
            only_failed=config.last_failed,
            has_keys=has_keys,
        )
        return loop.run(lambda: signals.stopped)


def watched_files(config: RunConfig) -> TesteeFiles:
    """Return the files of the testee.

    Raises:
        FatalError: the configuration cannot be watched.
    """
    if config.testee is None:
        raise _refused(
            "it needs --testee: wireproof's own codec has no folder to watch",
            "Type: wireproof run --watch --testee FOLDER",
        )
    if config.shard != (1, 1):
        raise _refused("a shard is for jobs that run once", "Leave out --shard.")
    printed = [form.option for form in RUN_FORMATS if _is_printed(getattr(config, form.name))]
    printed += ["--events"] if _is_printed(config.events) else []
    if printed:
        raise _refused(
            f"{' and '.join(printed)} would write a report of each round to standard output",
            "Name a file: each round replaces it.",
        )
    with as_fatal_error():
        files = testee_files(config.testee)
    if files is None:
        raise _refused(f"{config.testee} has no folder to watch", "Name the folder of a testee.")
    return files


def _refused(reason: str, advice: str) -> FatalError:
    return FatalError(f"--watch: {reason}", advice, ExitCode.USAGE)


def _is_printed(value: str | bool | None) -> bool:
    return value is True or value == _STANDARD_OUTPUT


def _outputs(config: RunConfig) -> list[Path]:
    """Return the files that the run writes."""
    named = [getattr(config, form.name) for form in RUN_FORMATS] + [config.events]
    return [Path(each) for each in named if isinstance(each, str)]
