"""``wireproof power``."""

from functools import partial
from typing import Any, assert_never

import click

from wireproof.app.assembly.inputs.run_inputs import RunInputs, prepare, wanted_releases
from wireproof.app.assembly.jar_store import open_store
from wireproof.app.assembly.prerequisites import as_fatal_error, need_libraries
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.options import jar_options, jobs_option, schemas_options, source_of
from wireproof.app.cli.power.mutants import chosen_operators, judge_testees, list_operators
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.kafka.releases import table
from wireproof.model import Adapter
from wireproof.power import (
    BugClass,
    CodecMutantPool,
    CodecMutationSummary,
    CodecOperator,
    MessageCodecs,
    MutantRecipe,
    PowerEnvironment,
    RecordCodecs,
    all_operators,
)
from wireproof.power.testees import SOURCE_CLASS
from wireproof.proof.adapters.own import KafkawireAdapter, LimitedCodec, RecordCodec, RecordsAdapter
from wireproof.proof.config import CODEC_FORMS, PowerConfig
from wireproof.proof.run import ExitCode, WorkerBroken, header_layouts

__all__ = ["command"]


@click.command(
    "power",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "Each mutant is killed. With --testee: no mutant is masked, and 97 % or more of "
        "those that change an answer are killed.",
        ExitCode.DIVERGENCE: "A mutant survived. With --testee: a mutant is masked, or fewer than 97 % of "
        "those that change an answer are killed.",
        ExitCode.NOTHING_RAN: "No mutant matches, or none changes an answer.",
        ExitCode.MISSING: "",
        ExitCode.BROKEN: "wireproof or Kafka's classes failed, or a mutant could not be judged.",
        ExitCode.BELOW_FLOOR: "Some mutants were not judged.",
        ExitCode.INTERRUPTED: "A signal ended the command. The report has the finished part.",
    },
)
@click.option(
    "--class",
    "classes",
    multiple=True,
    type=click.Choice([*(each.value for each in BugClass), SOURCE_CLASS]),
    help="Plant only mutants of this class of bugs. May be repeated. source: changes in the source of a "
    "Python testee.",
)
@click.option(
    "--mutant", "names", multiple=True, metavar="NAME", help="Plant only this mutant. May be repeated."
)
@click.option(
    "--testee",
    "testees",
    multiple=True,
    metavar="NAME",
    help="Plant the bugs in this codec instead of our own, and use its ledger. Names are those of "
    "`wireproof run --testee`; all: every one that comes with wireproof. May be repeated.",
)
@click.option(
    "--mutants",
    "most",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Plant at most so many mutants in each testee; the seed chooses them. Default: all.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed the place of each mutant and all other random choices."
)
@click.option(
    "--release", default="newest", show_default=True, metavar="RELEASE", help="Judge by this Kafka release."
)
@schemas_options
@jobs_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "tsv", "json"]),
    default="text",
    show_default=True,
    help="Choose the form. tsv: one mutant per line on standard output, no header. json, with --testee: one "
    "document.",
)
@click.option("--list", "only_list", is_flag=True, help="List the mutants, each with its bug; judge none.")
@click.option(
    "--verbose",
    "-v",
    is_flag=True,
    help="Print the bug and the place of each mutant, and the places that were skipped.",
)
@jar_options
def command(**options: Any) -> int:
    """Test the harness by mutation: plant bugs in our codec, and check that each of them is found.

    A mutant is our codec with exactly one bug: a field that is nullable one version too late, a length in
    characters, a tag out of order. Each class of bugs that real Kafka codecs had has three or more mutants.
    The seed chooses the cell and the field of the bug. The command runs the plan of `wireproof run` on the
    cells that the bug affects, until a case kills the mutant. A surviving mutant is a bug that `wireproof
    run` would miss.

    \b
    The columns    killed    = null-struct-marked-0  2 cases  bytes  4.4.0/FetchRequest/12/enumerated/...
    are            the verdict; = if the mutant passes its own round trip; its name; the number of cases it
                   took; the check that found it, and the case.

    A place where a bug can have no effect is skipped: the code that our compiler generates is the same with
    and without it. --verbose shows these places.

    With --testee the command plants the bugs in another codec, and runs the default plan with its ledger. A
    mutant is killed if a case fails that the unchanged codec passes. It is masked if the run stays green
    because a ledger entry excuses the new failure. It is equivalent if no answer changes, and not asked if
    the plan does not reach it.

    A line of --format tsv has these columns: class, mutant, verdict, symmetric, parts of it, place, number of
    affected cells, check, case, cell, cases to detection, number of skipped places.

    \b
    wireproof power --class null --class tags
    wireproof power --mutant header-version --seed 7
    wireproof power --format tsv | sort -t$'\\t' -k11n
    wireproof power --testee python-kio --class tags
    wireproof power --testee all --mutants 12 --format json
    """
    config = PowerConfig(
        bug_class=options["classes"],
        mutant=options["names"],
        testee=options["testees"],
        mutants=options["most"],
        seed=options["seed"],
        release=options["release"],
        source=source_of(options),
        form=options["form"],
        only_list=options["only_list"],
        verbose=options["verbose"],
        jobs=options["jobs"],
        jars=options["jars"],
        offline=options["offline"],
    )
    if config.testee:
        return _judge_testees(config)
    operators = _chosen(config.bug_class, config.mutant)
    if config.only_list:
        for operator in operators.values():
            echo(f"{operator.bug_class:12} {operator.name:38} {operator.description}")
        return 0
    with as_fatal_error():
        return _judge(config, operators)


def _judge_testees(config: PowerConfig) -> int:
    operators = chosen_operators(config.bug_class, config.mutant)
    if config.only_list:
        list_operators(operators)
        return 0
    with as_fatal_error():
        need_libraries()
        return judge_testees(config, _prepared(config), list(operators))


def _prepared(config: PowerConfig) -> RunInputs:
    """The inputs of the one release to judge by."""
    releases = wanted_releases(table(), [config.release], [], config.source)
    if len(releases) > 1:
        raise FatalError("mutants are judged by one release at a time", "Name one.", ExitCode.USAGE)
    return prepare(releases, open_store(config.jars, config.offline), CODEC_FORMS)


def _chosen(classes: tuple[str, ...], names: tuple[str, ...]) -> dict[str, CodecOperator]:
    operators = all_operators()
    unknown = [name for name in names if name not in operators]
    if unknown:
        raise FatalError(
            f"there is no mutant {unknown[0]!r}", "`wireproof power --list` shows all.", ExitCode.USAGE
        )
    chosen = {
        name: operator
        for name, operator in operators.items()
        if (not classes or operator.bug_class.value in classes) and (not names or name in names)
    }
    if not chosen:
        raise FatalError("no mutant is of these classes and names", "Drop an option.", ExitCode.NOTHING_RAN)
    return chosen


def _judge(config: PowerConfig, operators: dict[str, CodecOperator]) -> int:
    from rich.console import Console

    from wireproof.verdict.report.mutants.power_report import PowerReport, tsv_line

    need_libraries()
    prepared = _prepared(config)
    release = prepared.parts[0].release
    jobs = config.jobs
    summary = CodecMutationSummary(len(operators))
    report = PowerReport(Console(stderr=True), summary, verbose=config.verbose)
    report.begin(release.version, config.seed)
    try:
        with CodecMutantPool(
            partial(_environment, prepared), all_operators, list(operators), config.seed, jobs
        ) as pool:
            for verdict in pool.run():
                if verdict is None:
                    report.tick(pool.judged)
                elif isinstance(verdict, WorkerBroken):
                    summary.broken = ExitCode.MISSING if verdict.advice else ExitCode.BROKEN
                    report.broken(verdict.message, verdict.advice)
                else:
                    summary.add(verdict)
                    report.verdict(verdict)
                    if config.form == "tsv":
                        echo(tsv_line(verdict))
    except KeyboardInterrupt:
        summary.interrupted = True
    report.end()
    return int(summary.exit_code)


def _environment(prepared: RunInputs) -> PowerEnvironment:
    """The environment of each worker. It does not use the run's own codecs: a mutant replaces them."""
    (part,) = prepared.parts
    headers = header_layouts(part.schemas)

    def adapt(name: str, codecs: MessageCodecs | RecordCodecs) -> Adapter:
        match codecs:
            case MessageCodecs(make=make, frames=frames):
                return KafkawireAdapter(name, make, headers, frames)
            case RecordCodecs():
                return RecordsAdapter(name, RecordCodec(codecs.encode, codecs.decode, codecs.size))
            case _:
                assert_never(codecs)

    def limit(name: str, recipe: MutantRecipe) -> LimitedCodec:
        return LimitedCodec(name, recipe.codec, make_records=recipe.records, cpu_s=1)

    return PowerEnvironment(environment_maker(prepared)(), part.schemas, adapt, limit)
