"""``wireproof run``."""

import contextlib
import math
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import click

from wireproof.cli.claims import claims_audit
from wireproof.cli.failures import FailureFiles
from wireproof.cli.identity import own_version
from wireproof.cli.ledger_file import LedgerInUse, ledger_option, use_ledger
from wireproof.cli.libraries import need_libraries
from wireproof.cli.options import (
    Fatal,
    jar_options,
    phases_of,
    release_option,
    selection_of,
    selection_options,
    testee_option,
)
from wireproof.cli.profiles import profile_option
from wireproof.cli.report_files import report_files, report_options
from wireproof.cli.store import open_store
from wireproof.cli.under_test import under_test
from wireproof.cli.wiring import TWINS, MisreadError, Prepared, make_bench, prepare, wanted_releases
from wireproof.model import RECORDS_MODULE, Cell, Phase
from wireproof.releases import ReleaseError, table
from wireproof.run import (
    Engine,
    ExitCode,
    Layouts,
    RunEvent,
    RunFinished,
    RunOptions,
    RunStarted,
    all_cells,
    carries_records,
    retired,
    select,
)
from wireproof.testees import TesteeError

__all__ = ["command"]

_CHOICES = [phase.value for phase in Phase if phase is not Phase.SHAPE]


@click.command("run")
@profile_option
@release_option
@selection_options
@click.option(
    "--phase",
    "phases",
    multiple=True,
    type=click.Choice(_CHOICES),
    help="Only these phases; the layout is held against Kafka's class in any case. "
    "Default: all but mutations and bulk.",
)
@click.option(
    "--examples", default=50, show_default=True, type=click.IntRange(1), help="Random instances a cell."
)
@click.option(
    "--cases",
    default=10_000,
    show_default=True,
    type=click.IntRange(1),
    help="Seeded instances a cell, in --phase bulk.",
)
@click.option(
    "--first-case",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    metavar="NUMBER",
    help="The number of the first of them: where a run stopped, another goes on.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Of all that is random: the same seed, the same cases."
)
@testee_option
@click.option(
    "--twin",
    "twins",
    multiple=True,
    type=click.Choice(list(TWINS)),
    help="Which of our codec's twins to prove. Default: both; the random phase asks the first alone.",
)
@click.option(
    "--jobs", default=0, show_default="one a processor", type=click.IntRange(0), help="Processes at once."
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Stop after this long; exit code 7 if cells are left. What was judged is counted.",
)
@click.option(
    "--shrink",
    "shrink_s",
    default=5.0,
    show_default=True,
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="How long a cell's failures may be made smaller, all together.",
)
@click.option(
    "--shrink-total",
    "shrink_total_s",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="The same of the whole run, an equal part for each process. Default: no limit.",
)
@click.option(
    "--events",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write every event as a line of JSON; - is standard output.",
)
@report_options
@ledger_option
@jar_options
def command(**options: Any) -> int:
    """Prove our codec against Kafka's own classes, cell by cell.

    First the layout of the cell is held against Kafka's class; then named boundary cases, instances made on
    Kafka's side, whole frames and random instances go through both twins of the codec and through Kafka, and
    bytes and values must agree. Failures are written to .wireproof/failures at once.

    The end says how many classes of values the cases met. Where one was not met that the phases asked for
    should have met, the exit code is 7.

    \b
    wireproof run                                 the newest release, every module
    wireproof run --release 3.9 --module clients
    wireproof run --cell '4.4.0/Fetch*/*' --phase enumerated
    wireproof run --cell '4.4.0/Fetch*/*' --phase bulk --cases 1000000
    wireproof run --testee python-kafka-python --message 'Fetch*'
    wireproof run --testee python-kafka-python --profile pr --junit report.xml
    """
    with report_files(options) as reports:
        return _told(options, reports)


def _told(options: dict[str, Any], reports: Sequence[Callable[[RunEvent], None]]) -> int:
    """The run, with what kept it from running in words."""
    try:
        return _run(options, reports)
    except TesteeError as error:
        raise Fatal(error.message, error.advice, ExitCode.MISSING) from error
    except ReleaseError as error:
        raise Fatal(error.message, error.advice, ExitCode.MISSING) from error
    except MisreadError as error:
        advice = "Kafka's generator reads these files otherwise: look at kafkawire.schema."
        raise Fatal(str(error), advice, ExitCode.DIVERGENCE) from error


def _run(options: dict[str, Any], reports: Sequence[Callable[[RunEvent], None]]) -> int:
    releases = wanted_releases(table(), options.pop("releases"), options["patterns"])
    store = open_store(options.pop("jars"), options.pop("offline"))
    prepared = prepare(releases, store, options.pop("twins") or tuple(TWINS))
    subject = under_test(options.pop("testee"), store.cache_dir)
    prepared = replace(prepared, testee=subject.launch)
    phases = subject.phases(phases_of(options["phases"]))
    ledger = use_ledger(options["ledger"] or subject.ledger, phases, subject.asked)
    selection = selection_of(options)
    selected = [cell for part in prepared.parts for cell in select(all_cells(part.schemas), selection)]
    cells = subject.claimed(selected)
    if selected and not cells:
        raise Fatal(
            f"{prepared.subjects[0]} claims none of the {len(selected)} cells that match",
            "`wireproof testee check` lists what it claims.",
            ExitCode.NOTHING_RAN,
        )
    if not cells:
        raise Fatal(
            "no cell matches",
            "`wireproof cells` lists them all, and takes the same options.",
            ExitCode.NOTHING_RAN,
        )
    if _holds_records(cells, prepared):
        need_libraries()
    jobs = min(_jobs(options["jobs"]), len(cells))
    shrink_total_s = options["shrink_total_s"]
    run_options = RunOptions(
        phases,
        options["examples"],
        options["seed"],
        options["shrink_s"],
        cases=options["cases"],
        first_case=options["first_case"],
        known=ledger.known,
        shrink_all_s=math.inf if shrink_total_s is None else shrink_total_s / jobs,
    )
    engine = Engine(
        make_bench(prepared, volume=_is_volume(run_options, cells)),
        run_options,
        jobs,
        options["budget"],
        ledger.audit,
        claims_audit(subject.launch, subject.hello, selected, _layouts(prepared)),
    )
    with _listeners(options["events"], subject.word) as listeners:
        started = subject.told(_started(prepared, run_options, len(cells), ledger))
        return _listen(engine, cells, started, [*listeners, *reports])


def _holds_records(cells: Sequence[Cell], prepared: Prepared) -> bool:
    """Whether a cell is a record set or has one in it."""
    layouts = _layouts(prepared)
    return any(cell.module == RECORDS_MODULE or carries_records(layouts.of(cell)) for cell in cells)


def _layouts(prepared: Prepared) -> Layouts:
    return Layouts({part.release.version: part.schemas for part in prepared.parts})


_VOLUME_CASES = 100_000


def _is_volume(options: RunOptions, cells: Sequence[Cell]) -> bool:
    """Whether cells have so many cases that Java is worth its optimising compiler."""
    return Phase.BULK in options.phases and options.cases >= _VOLUME_CASES


def _jobs(asked: int) -> int:
    return asked or len(os.sched_getaffinity(0))


def _started(prepared: Prepared, options: RunOptions, cells: int, ledger: LedgerInUse) -> RunStarted:
    jars = {jar.file_name: jar.sha256 for part in prepared.parts for jar in part.release.jars}
    return RunStarted(
        version=own_version(),
        command=tuple(sys.argv),
        seed=options.seed,
        releases=tuple(part.release.version for part in prepared.parts),
        jars=jars,
        subjects=prepared.subjects,
        phases=options.phases,
        cells=cells,
        retired={part.release.version: sum(1 for _ in retired(part.schemas)) for part in prepared.parts},
        ledger=ledger.words,
    )


@contextlib.contextmanager
def _listeners(events: str | None, testee: str) -> Iterator[list[Callable[[RunEvent], None]]]:
    """Whoever listens to the run; the event file is closed at the end."""
    from rich.console import Console

    from wireproof.report import EventFile
    from wireproof.report.terminal import TerminalReport

    with contextlib.ExitStack() as stack:
        listeners: list[Callable[[RunEvent], None]] = []
        if events is not None:
            listeners.append(EventFile(_opened(stack, events)))
        listeners += [FailureFiles(Path(".wireproof/failures"), testee), TerminalReport(Console(stderr=True))]
        yield listeners


def _opened(stack: contextlib.ExitStack, events: str) -> TextIO:
    if events == "-":
        return sys.stdout
    try:
        return stack.enter_context(open(events, "w", encoding="utf-8"))
    except OSError as error:
        raise Fatal(f"cannot write {events}: {error.strerror}", "", ExitCode.USAGE) from error


def _listen(
    engine: Engine,
    cells: Sequence[Cell],
    started: RunStarted,
    listeners: Sequence[Callable[[RunEvent], None]],
) -> int:
    """Run to the end, or to the first Ctrl-C: a second one ends it at once."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        engine.interrupt()

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    exit_code = ExitCode.BROKEN
    for listener in listeners:
        listener(started)
    for event in engine.run(cells):
        for listener in listeners:
            listener(event)
        if isinstance(event, RunFinished):
            exit_code = event.exit_code
    return int(exit_code)
