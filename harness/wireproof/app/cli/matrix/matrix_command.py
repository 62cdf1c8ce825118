"""``wireproof matrix``."""

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TextIO

import click
from rich.console import Console

from wireproof.app.assembly.inputs.cell_lookup import no_cell
from wireproof.app.assembly.inputs.run_inputs import (
    OWN_NAME,
    RunInputs,
    prepare,
    wanted_releases,
    with_primitives_of,
)
from wireproof.app.assembly.matrix_parties import Parties, gather
from wireproof.app.assembly.prerequisites import need_libraries, open_store
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.app.cli.event_loop import listen, opened
from wireproof.app.cli.matrix.one_case import report_case
from wireproof.app.cli.options import (
    config_of_options,
    documented_command,
    format_option,
    jar_options,
    run_option,
    run_options,
    selection_of,
    selection_options,
    source_of,
)
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.parsing import read_text
from wireproof.base.text.wording import counted, echo, echo_lines
from wireproof.base.version import own_version
from wireproof.kafka.releases.release_table import table
from wireproof.model.cell import CaseId, Cell, Phase
from wireproof.proof.config.command_configs import MATRIX_PHASES, MatrixConfig
from wireproof.proof.run.core.cell_events import CellProgress, CellResult
from wireproof.proof.run.core.environment import all_cells
from wireproof.proof.run.core.plan import RunOptions, select
from wireproof.proof.run.core.run_events import BrokenRun, RunEvent, RunHeader
from wireproof.proof.run.engine.engine import Engine
from wireproof.verdict.report.comparison.matrix_document import MatrixDocument, MatrixDocumentError, as_json
from wireproof.verdict.report.comparison.matrix_html import as_html
from wireproof.verdict.report.comparison.matrix_tables import Matrix, as_markdown, as_tsv, print_matrix
from wireproof.verdict.report.comparison.scoreboard import CodecColumn, Scoreboard
from wireproof.verdict.report.events.event_json import EventFile
from wireproof.verdict.report.run.terminal_report import CellsProgress


def write_page_of(results: Path, output: str) -> int:
    """Write the page of a saved matrix; return the exit code."""
    try:
        page = as_html(MatrixDocument.parse(read_text(results)))
    except (OSError, ValueError, MatrixDocumentError) as error:
        advice = "Write it with `wireproof matrix --format json --output FILE`."
        raise FatalError(f"{results}: {error}", advice) from error
    with opened(output) as stream:
        stream.write(page)
    return int(ExitCode.PROVEN)


def _write(matrix: Matrix, form: str, stream: TextIO) -> None:

    match form:
        case "tsv":
            stream.writelines(f"{line}\n" for line in as_tsv(matrix))
        case "json":
            stream.write(f"{as_json(matrix)}\n")
        case "markdown":
            stream.write(as_markdown(matrix))
        case "html":
            stream.write(as_html(MatrixDocument.parse(as_json(matrix, disagreements=False))))
        case _:
            print_matrix(matrix, Console(file=stream))


_PATIENCE_S: Final = 2.0
"""The limit of processor time per answer to malformed bytes: a codec that hangs does so many times."""


@documented_command(
    "matrix",
    {
        ExitCode.PROVEN: "Every cell was compared. Codecs may differ, unless --strict or --case is given.",
        ExitCode.DIVERGENCE: "With --strict: a codec deviates, and its ledger does not explain it. "
        "With --case: the codecs differ.",
        ExitCode.NOTHING_RAN: "No cell matches, or no testee claims one.",
        ExitCode.MISSING: "A testee of --testee cannot be built, or a jar, Java or a package is missing.",
        ExitCode.BROKEN: "",
        ExitCode.LEDGER: "The ledger of a testee is not valid.",
        ExitCode.BELOW_FLOOR: "The run did not reach all cells.",
        ExitCode.INTERRUPTED: "A signal ended the command. The tables have the finished part.",
    },
)
@run_options("release", "schemas", "schemas_jar")
@selection_options
@run_option(
    "testee",
    multiple=True,
    help="Compare this codec, named as in `wireproof run`. May be repeated. Default: all that come with "
    "wireproof and can be built here.",
)
@run_option(
    "phase",
    type=click.Choice([phase.value for phase in MATRIX_PHASES]),
    help="Run only this phase. May be repeated. bulk has the random cases. Default: all phases except "
    "mutations, which take longest: codecs hang or crash on malformed bytes in cell after cell.",
)
@run_option(
    "examples",
    help="Set the number of seeded random instances per cell (phase bulk). All codecs have the same.",
)
@run_option("seed", help="Seed these instances and those that Kafka makes.")
@format_option(
    "tsv",
    "json",
    "markdown",
    "html",
    details="json: all results, with the bytes of each deviation; html: a page of them; "
    "tsv: a line for each message and codec.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False),
    default="-",
    metavar="FILE",
    help="Write the tables to this file. Default: standard output.",
)
@click.option(
    "--from",
    "results",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Compare nothing, and make the page of this file, which --format json wrote. Needs --format html.",
)
@click.option("--case", metavar="CASE", help="Show the answers of all codecs to this case in full.")
@click.option(
    "--strict",
    is_flag=True,
    help=f"Return {ExitCode.DIVERGENCE:d} if a codec deviates and its ledger does not explain it.",
)
@run_options("jobs", "budget", "events")
@jar_options
def command(**options: Any) -> int:
    """Compare codecs: Kafka's classes, our own codec and others on the same cases.

    For each message, the table counts the versions that a codec encodes as Kafka does, decodes as Kafka does,
    and whose malformed bytes it refuses: bytes cut short, with a tail, with tags of other versions. The
    checks are those of `wireproof run`. Deviations that the ledger of a testee explains have a count of their
    own. The list of disagreements follows; it groups cases with the same agreeing codecs. For valid values
    and bytes Kafka is right. For malformed bytes (--phase mutations) Kafka is one codec among others. Record
    sets are the message RecordBatch; for compressed data the records that Kafka reads in it count. Single
    primitives are messages of the module primitives.

    \b
    wireproof matrix --message MetadataRequest
    wireproof matrix --message MetadataRequest --phase mutations
    wireproof matrix --testee python-kafka-python --testee ./my-codec --phase enumerated
    wireproof matrix --format html --output codecs.html
    wireproof matrix --from codecs.json --format html --output codecs.html
    wireproof matrix --case 4.4.0/MetadataRequest/12/enumerated/message/nulls

    A line of --format tsv has these columns: release, message, number of its versions, codec, version of the
    codec; for encoding, decoding and malformed bytes the numbers of versions proven, with known deviations,
    failed, not reached; for the phase mutations the numbers of verdicts agree, stricter, laxer, different,
    crash, hang, blow-up.
    """
    config = config_of_options(
        MatrixConfig,
        options,
        source=source_of(options),
        selection=selection_of(options),
        case=_case(options["case"]),
        budget_s=options["budget"],
    )
    if config.results is not None:
        return write_page_of(config.results, config.output)
    return _matrix(config)


def _matrix(config: MatrixConfig) -> int:
    need_libraries()
    wanted = config.release if config.case is None else [config.case.cell.release]
    releases = wanted_releases(table(), wanted, config.selection.patterns, config.source)
    store = open_store(config.jars, config.offline)
    prepared = prepare(releases, store, ("compiled",))
    parties = gather(config.testee, store.cache_dir, offline=store.offline)
    hurried = Phase.MUTATIONS in config.phases
    beside = (
        (each.name, each.launch.with_cpu_limit(_PATIENCE_S) if hurried else each.launch)
        for each in parties.found
    )
    prepared = replace(prepared, beside=tuple(beside))
    prepared = with_primitives_of(prepared, *(each.hello for each in parties.found))
    if config.case is not None:
        return report_case(prepared, config.case)
    cells, unclaimed = _cells(prepared, config, parties)
    columns = [CodecColumn(OWN_NAME, own_version(), "python", "", lambda *_: True)]
    columns += [
        CodecColumn(
            each.name,
            each.hello.identity.version,
            each.hello.identity.language,
            each.word,
            partial(each.claims, framed=config.framed),
        )
        for each in parties.found
    ]
    scoreboard = Scoreboard(columns, cells)
    code = _run(config, prepared, cells, parties, scoreboard)
    matrix = Matrix(
        scoreboard,
        [each.version for each in releases],
        config.testee,
        sys.argv[1:],
        parties.left_out,
        unclaimed,
        list(parties.deviations()),
        dict(parties.terms),
    )
    with opened(config.output) as stream:
        _write(matrix, config.form, stream)
    for words, cases in scoreboard.strangers.items():
        echo(f"no codec is at fault: {words} ({cases[0]})", err=True)
        code = ExitCode.BROKEN
    if code is ExitCode.PROVEN and config.strict and any(map(scoreboard.failed, columns)):
        return int(ExitCode.DIVERGENCE)
    return int(code)


def _case(text: str | None) -> CaseId | None:
    with as_fatal(ValueError, advice="The matrix prints the lines to type."):
        return None if text is None else CaseId.parse(text)


def _cells(prepared: RunInputs, config: MatrixConfig, parties: Parties) -> tuple[list[Cell], list[str]]:
    """The cells of messages that a testee claims at some version, and the names of the other messages."""
    selection = config.selection
    selected = [cell for part in prepared.parts for cell in select(all_cells(part.schemas), selection)]
    claimed = {
        cell.message
        for cell in selected
        if any(each.deals_with(cell.message, cell.version, framed=config.framed) for each in parties.found)
    }
    if not selected:
        raise no_cell(prepared.every_cell, selection)
    if not claimed:
        advice = "`wireproof testee check NAME` lists the claims of a testee."
        raise FatalError(
            f"no testee claims any of the {len(selected)} cells that match", advice, ExitCode.NOTHING_RAN
        )
    unclaimed = sorted({cell.message for cell in selected} - claimed)
    return [cell for cell in selected if cell.message in claimed], unclaimed


def _run(
    config: MatrixConfig,
    prepared: RunInputs,
    cells: Sequence[Cell],
    parties: Parties,
    scoreboard: Callable[[RunEvent], None],
) -> ExitCode:
    run_options = RunOptions(
        config.phases, seed=config.seed, shrink_s=0, cases=config.examples, known=parties.ledgers
    )
    jobs = min(config.jobs, len(cells))
    engine = Engine(environment_maker(prepared), run_options, jobs, config.budget_s, compares=True)
    progress = CellsProgress(Console(stderr=True))

    def watch(event: RunEvent) -> None:
        match event:
            case RunHeader(cells=count, subjects=subjects):
                echo(f"Comparing {', '.join(subjects)}: {counted(count, 'cell')}", err=True)
                progress.begin(count)
            case CellResult() | CellProgress():
                progress.advance(event)
            case BrokenRun(message=message, advice=advice):
                echo_lines(filter(None, (f"error: {message}", advice)), err=True)
            case _:
                pass

    with contextlib.ExitStack() as stack:
        listeners: list[Callable[[RunEvent], None]] = [watch, scoreboard]
        if config.events is not None:
            listeners.append(EventFile(stack.enter_context(opened(config.events))))
        stack.callback(progress.stop)
        return listen(engine, cells, prepared.header(run_options, len(cells)), listeners)
