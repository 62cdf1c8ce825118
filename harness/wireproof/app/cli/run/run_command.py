"""``wireproof run``, and the configuration of a command: command line, configuration file, ``--profile``."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import click
from click.core import ParameterSource
from rich.console import Console

from wireproof.app.assembly.run_plan import RunPlan, plan_run
from wireproof.app.cli.event_loop import listen
from wireproof.app.cli.options import (
    Decorator,
    documented_command,
    jar_options,
    run_option,
    run_options,
    selection_options,
)
from wireproof.app.cli.run.report_files import (
    last_failed_line,
    plan_lines,
    recording_listeners,
    report_files,
    report_options,
)
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted, echo, echo_lines
from wireproof.model.cell import Phase
from wireproof.proof.config.option_table import OPTIONS
from wireproof.proof.config.run_config import OptionLayer, RunConfig, file_layer
from wireproof.proof.config.selection import PROFILES
from wireproof.proof.run.core.run_events import RunEvent
from wireproof.verdict.report.lines.cause_outcome import CauseOutcome
from wireproof.verdict.report.run.terminal_report import TerminalReport

CONFIG_EPILOG: Final = (
    "Options can also be set in wireproof.toml, or in the table [tool.wireproof] of pyproject.toml. Names "
    "there have underscores instead of dashes, such as message_version. The command line overrides the file."
)

_TYPED: Final = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def given_options(context: click.Context) -> dict[str, Any]:
    """The options of `RunConfig` that the user typed, and the profile."""
    return {
        name: value
        for name, value in context.params.items()
        if name in (*OPTIONS, "profile") and context.get_parameter_source(name) in _TYPED
    }


def config_of(context: click.Context, defaults: Mapping[str, Any] | None = None) -> RunConfig:
    """The configuration of a command: the command line, then the file, then the defaults.

    Args:
        defaults: the defaults of the command that differ from those of `RunConfig`.
    """
    file = file_layer()
    config = RunConfig.merged([OptionLayer(defaults or {}), file, OptionLayer(given_options(context))])
    if file.values:
        echo(f"{file.origin} sets {', '.join(file.values)}", err=True)
    return config


profile_option: Decorator = click.option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    help="Use a set of options; options on the command line override it. pr: the same cases in each run, no "
    "random phase, --edges, --shrink-total 5, --budget 300. nightly: --mutations all, --examples 500, the "
    "day as --seed. release: --release all, --mutations all.",
)


_WITHOUT_EFFECT: Final = ("examples", "cases", "first_case", "jars")
"""Options about cases that a run without Java does not make."""


def check_no_java(config: RunConfig, given: Mapping[str, Any]) -> None:
    """Refuse typed options that have no effect in a run without Java."""
    if config.no_java is None:
        return
    for name in _WITHOUT_EFFECT:
        if name in given:
            word = name.replace("_", "-")
            raise click.UsageError(f"--{word} has no effect with --no-java: leave it out")
    if set(given.get("phase", ())) - {Phase.MUTATIONS.value}:
        words = f"--no-java allows only --phase {Phase.MUTATIONS.value}, which adds the malformed entries"
        raise click.UsageError(words)


@documented_command("run", dict.fromkeys(ExitCode, ""), epilog=CONFIG_EPILOG)
@profile_option
@run_options("release", "schemas", "schemas_jar")
@selection_options
@run_options("edges", "phase", "mutations", "examples", "cases", "first_case", "seed", "every_hang", "testee")
@run_options("no_java", "twin", "jobs", "budget", "shrink", "shrink_total", "maxfail")
@click.option("-x", "maxfail", flag_value=1, type=int, help="Stop after the first finding: --maxfail 1.")
@run_options("last_failed", "cause", "cause_from")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Print the codec, the releases, the phases and the number of cells, and prove nothing.",
)
@click.option(
    "--watch",
    "is_watching",
    is_flag=True,
    help="Prove the testee again whenever a file of its folder changes: first what failed last, then the "
    "rest. Keys: Enter runs again, a all cells, f only those that failed, q quits. Build output, caches and "
    "what .gitignore names start no round.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print only findings and the verdict, at the end.")
@click.option(
    "--verbose",
    "-v",
    is_flag=True,
    help="Print each module, excuse, leniency and claim too. `wireproof report EVENTS` prints them later.",
)
@run_option("events")
@report_options()
@run_option("ledger")
@jar_options
def command(*, dry_run: bool, is_watching: bool, quiet: bool, verbose: bool, **_: Any) -> int:
    """Prove a codec against Kafka's own classes, cell by cell.

    For each cell the run first compares the layout with Kafka's class. Then the codec and Kafka encode and
    decode the same cases: named boundary cases, instances that Kafka makes, whole frames, random instances
    and malformed bytes. Bytes and values must agree. By default the run proves our own codec, in all
    its forms: compiled, interpreted, and native where it is installed. It writes each failure to
    .wireproof/failures at once.

    The summary counts the classes of values that the cases met. The run is incomplete if the cases do not
    meet a class that their phases require.

    \b
    wireproof run                                 the newest release, every module
    wireproof run --release 3.9 --module clients
    wireproof run --cell '4.4.0/Fetch*/*' --phase enumerated
    wireproof run --cell '4.4.0/Fetch*/*' --phase bulk --cases 1000000
    wireproof run --testee python-kafka-python --message 'Fetch*'
    wireproof run --testee python-kafka-python --profile pr --junit report.xml
    wireproof run --testee ./my-codec --last-failed -x
    wireproof run --testee ./my-codec --watch
    wireproof run --testee ./my-codec --cause reads-string-null-not-allowed-empty
    wireproof run --testee python-kafka-python --no-java golden-4.4.0
    """
    context = click.get_current_context()
    config = config_of(context)
    check_no_java(config, given_options(context))
    if is_watching:
        if dry_run:
            raise click.UsageError("--watch and --dry-run exclude each other: a dry run proves nothing.")
        from wireproof.app.cli.run.watch_session import watch

        return watch(config, quiet=quiet, verbose=verbose)
    if dry_run:
        echo_lines(plan_lines(plan_run(config)))
        return ExitCode.PROVEN
    with report_files(config.reports) as reports:
        return _run(config, reports, quiet=quiet, verbose=verbose)


def _run(
    config: RunConfig, reports: Sequence[Callable[[RunEvent], None]], *, quiet: bool, verbose: bool
) -> int:
    plan = plan_run(config)
    if config.last_failed:
        echo(last_failed_line(plan), err=True)
    engine = plan.engine()
    outcome = None if plan.cause is None else CauseOutcome(plan.cause.id, plan.cause.deviation)
    with _listeners(plan, quiet=quiet, verbose=verbose) as listeners:
        tried = [] if outcome is None else [outcome]
        code = listen(engine, plan.cells, plan.started(), [*tried, *listeners, *reports])
    if outcome is not None:
        echo(outcome.line(), err=True)
    if engine.enough and engine.totals.cells_done < len(plan.cells):
        left = counted(len(plan.cells) - engine.totals.cells_done, "cell")
        echo(
            f"stopped after {counted(config.maxfail or 0, 'finding')} (--maxfail): {left} not judged",
            err=True,
        )
    return int(code)


@contextlib.contextmanager
def _listeners(plan: RunPlan, *, quiet: bool, verbose: bool) -> Iterator[list[Callable[[RunEvent], None]]]:
    """Open the listeners of the run. The event file is closed at the end."""

    with contextlib.ExitStack() as stack:
        report = TerminalReport(Console(stderr=True), quiet=quiet, brief=not verbose)
        yield [*recording_listeners(plan, stack), report]
