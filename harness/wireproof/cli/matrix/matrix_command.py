"""``wireproof matrix``."""

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, TextIO

import click

from wireproof.assembly.cell_lookup import no_cell
from wireproof.assembly.jar_store import open_store
from wireproof.assembly.prerequisites import as_fatal_error, need_libraries
from wireproof.assembly.run_inputs import OWN_NAME, RunInputs, prepare, wanted_releases, with_primitives_of
from wireproof.assembly.worker_environment import make_bench
from wireproof.cli.matrix.one_case import tell_case
from wireproof.cli.matrix.parties import Parties, gather
from wireproof.cli.options import (
    budget_option,
    jar_options,
    jobs_option,
    release_option,
    selection_of,
    selection_options,
)
from wireproof.cli.run.event_loop import listen, opened
from wireproof.config import phases_of
from wireproof.fatal import FatalError
from wireproof.model import CaseId, Cell, Phase
from wireproof.output import echo
from wireproof.releases import table
from wireproof.run import (
    BrokenRun,
    CellProgress,
    CellResult,
    Engine,
    ExitCode,
    RunEvent,
    RunHeader,
    RunOptions,
    all_cells,
    select,
)
from wireproof.version import own_version
from wireproof.wording import counted

__all__ = ["command"]

_PHASES: Final = (
    Phase.ENUMERATED,
    Phase.ORACLE,
    Phase.FRAME,
    Phase.RECORDS,
    Phase.EMBEDDED,
    Phase.EVOLUTION,
    Phase.MUTATIONS,
    Phase.BULK,
)
_USUAL: Final = tuple(phase for phase in _PHASES if phase is not Phase.MUTATIONS)
_PATIENCE_S: Final = 2.0
"""Processor time that a testee has for an answer, at most: what hangs does so again and again."""


@click.command("matrix")
@release_option
@selection_options
@click.option(
    "--testee",
    "testees",
    multiple=True,
    metavar="NAME",
    help="A codec to hold beside the others, as in `wireproof run`. May be repeated. Default: all that come "
    "with wireproof and can be built here.",
)
@click.option(
    "--phase",
    "phases",
    multiple=True,
    type=click.Choice([phase.value for phase in _PHASES]),
    help="Only cases of these phases; bulk stands for the random ones. Default: all but mutations, wrong "
    "bytes, which take longest: whoever hangs or dies by them does so in cell after cell.",
)
@click.option(
    "--examples",
    default=50,
    show_default=True,
    type=click.IntRange(1),
    help="Random instances a cell: seeded ones, the same for every codec (phase bulk).",
)
@click.option("--seed", default=0, show_default=True, help="Of these instances, and of Kafka's own.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "tsv", "json", "markdown"]),
    default="text",
    show_default=True,
    help="json has all; tsv is one line for each message and codec.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write it there, not to standard output.",
)
@click.option(
    "--case",
    metavar="CASE",
    help="Only this case: what everybody makes of it, in full. "
    f"Exit code {ExitCode.DIVERGENCE:d} where they differ.",
)
@click.option(
    "--strict",
    is_flag=True,
    help=f"Exit code {ExitCode.DIVERGENCE:d} where a codec deviates and no ledger says so.",
)
@jobs_option
@budget_option
@click.option(
    "--events",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write every event as a line of JSON.",
)
@jar_options
def command(**options: Any) -> int:
    """Hold codecs side by side: Kafka's classes, our own codec and others on the same cases.

    The table says of each message how many of its versions a codec encodes as Kafka does, decodes as Kafka
    does, and refuses wrong bytes of (cut short, with a tail, with tags of other versions), by the checks of
    `wireproof run`; what a testee's own ledger explains is counted apart. Then come the disagreements: cases
    in which the same parties stand together. For valid values and bytes Kafka is right; for bytes that are
    wrong (--phase mutations) it is one party among others. Record sets are the message RecordBatch; of
    compressed data it counts what Kafka reads there. Single primitives are messages of the module primitives.

    \b
    wireproof matrix --message MetadataRequest
    wireproof matrix --message MetadataRequest --phase mutations
    wireproof matrix --testee python-kafka-python --testee ./my-codec --phase enumerated
    wireproof matrix --format markdown --output codecs.md
    wireproof matrix --case 4.4.0/MetadataRequest/12/enumerated/message/nulls

    A line of --format tsv holds: release, message, number of its versions, codec, its version; of encoding,
    of decoding and of wrong bytes the number of versions proven, with known deviations, failed, not reached;
    in phase mutations the number of verdicts agree, stricter, laxer, different, crash, hang, blow-up.

    Codecs that differ are what it is for: the exit code is 0 all the same, but with --strict. It is 7 where
    cells were not reached, 4 where a testee that was named cannot be built.
    """
    with as_fatal_error():
        return _matrix(options)


def _matrix(options: dict[str, Any]) -> int:
    from wireproof.report.comparison.matrix_tables import Deviation, LimitedCases, Matrix
    from wireproof.report.comparison.scoreboard import CodecColumn, Scoreboard

    need_libraries()
    case = _case(options["case"])
    words = [case.cell.release] if case is not None else options["releases"]
    releases = wanted_releases(table(), words, options["patterns"])
    store = open_store(options["jars"], options["offline"])
    prepared = prepare(releases, store, ("compiled",))
    parties = gather(options["testees"], store.cache_dir, offline=store.offline)
    prepared = replace(
        prepared, beside=tuple((each.name, each.launch.with_cpu_limit(_PATIENCE_S)) for each in parties.found)
    )
    prepared = with_primitives_of(prepared, *(each.hello for each in parties.found))
    if case is not None:
        return tell_case(prepared, case)
    cells, unclaimed = _cells(prepared, options, parties)
    columns = [CodecColumn(OWN_NAME, own_version(), "python", "", lambda *_: True)]
    columns += [
        CodecColumn(
            each.name,
            each.hello.identity.version,
            each.hello.identity.language,
            each.word,
            partial(each.claims, framed=_framed(options)),
        )
        for each in parties.found
    ]
    standings = Scoreboard(columns, cells, parties.known)
    code = _run(options, prepared, cells, parties, standings)
    matrix = Matrix(
        standings,
        [each.version for each in releases],
        options["testees"],
        sys.argv[1:],
        [LimitedCases(*each) for each in parties.left_out],
        unclaimed,
        [Deviation(*each) for each in parties.deviations()],
    )
    with contextlib.ExitStack() as stack:
        _tell(matrix, options["form"], opened(stack, options["output"] or "-"))
    for words, cases in standings.strangers.items():
        echo(f"no codec is at fault: {words} ({cases[0]})", err=True)
        code = ExitCode.BROKEN
    if code is ExitCode.PROVEN and options["strict"] and any(map(standings.failed, columns)):
        return int(ExitCode.DIVERGENCE)
    return int(code)


def _framed(options: dict[str, Any]) -> bool:
    """Whether messages are asked for in their framings, too."""
    return not options["phases"] or Phase.EMBEDDED in options["phases"]


def _case(text: str | None) -> CaseId | None:
    try:
        return None if text is None else CaseId.parse(text)
    except ValueError as error:
        raise FatalError(str(error), "The matrix prints the lines to type.", ExitCode.USAGE) from error


def _cells(prepared: RunInputs, options: dict[str, Any], parties: Parties) -> tuple[list[Cell], list[str]]:
    """The cells of messages that a testee deals with, whatever the version; and the other messages.

    Raises:
        FatalError: there is none.
    """
    selection = selection_of(options)
    selected = [cell for part in prepared.parts for cell in select(all_cells(part.schemas), selection)]
    claimed = {
        cell.message
        for cell in selected
        if any(each.deals_with(cell.message, cell.version, framed=_framed(options)) for each in parties.found)
    }
    if not selected:
        raise no_cell((cell for part in prepared.parts for cell in all_cells(part.schemas)), selection)
    if not claimed:
        advice = "`wireproof testee check NAME` tells what one claims."
        raise FatalError(
            f"no testee claims any of the {len(selected)} cells that match", advice, ExitCode.NOTHING_RAN
        )
    unclaimed = sorted({cell.message for cell in selected} - claimed)
    return [cell for cell in selected if cell.message in claimed], unclaimed


def _run(
    options: dict[str, Any],
    prepared: RunInputs,
    cells: Sequence[Cell],
    parties: Parties,
    standings: Callable[[RunEvent], None],
) -> ExitCode:
    from rich.console import Console

    from wireproof.report import EventFile
    from wireproof.report.run.progress_bar import CellsProgress

    phases = phases_of(options["phases"] or tuple(phase.value for phase in _USUAL))
    run_options = RunOptions(
        phases,
        seed=options["seed"],
        shrink_s=0,
        cases=options["examples"],
        known=parties.ledgers,
    )
    jobs = min(options["jobs"], len(cells))
    engine = Engine(make_bench(prepared), run_options, jobs, options["budget"], compares=True)
    progress = CellsProgress(Console(stderr=True))

    def watch(event: RunEvent) -> None:
        match event:
            case RunHeader(cells=count, subjects=subjects):
                echo(f"Comparing {', '.join(subjects)}: {counted(count, 'cell')}", err=True)
                progress.begin(count)
            case CellResult() | CellProgress():
                progress.advance(event)
            case BrokenRun(message=message, advice=advice):
                for text in filter(None, (f"error: {message}", advice)):
                    echo(text, err=True)
            case _:
                pass

    with contextlib.ExitStack() as stack:
        listeners: list[Callable[[RunEvent], None]] = [watch, standings]
        if options["events"] is not None:
            listeners.append(EventFile(opened(stack, options["events"])))
        stack.callback(progress.stop)
        return listen(engine, cells, _started(prepared, run_options, len(cells)), listeners)


def _started(prepared: RunInputs, options: RunOptions, cells: int) -> RunHeader:
    return RunHeader(
        version=own_version(),
        command=tuple(sys.argv),
        seed=options.seed,
        releases=tuple(part.release.version for part in prepared.parts),
        jars={jar.file_name: jar.sha256 for part in prepared.parts for jar in part.release.jars},
        subjects=prepared.subjects,
        phases=options.phases,
        cells=cells,
        retired={},
    )


def _tell(matrix: Any, form: str, stream: TextIO) -> None:
    from rich.console import Console

    from wireproof.report.comparison.matrix_page import as_markdown
    from wireproof.report.comparison.matrix_tables import as_json, as_tsv, print_matrix

    match form:
        case "tsv":
            stream.writelines(f"{line}\n" for line in as_tsv(matrix))
        case "json":
            stream.write(f"{as_json(matrix)}\n")
        case "markdown":
            stream.write(as_markdown(matrix))
        case _:
            print_matrix(matrix, Console(file=stream))
