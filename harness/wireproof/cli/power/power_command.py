"""``wireproof power``."""

from functools import partial
from typing import Any, assert_never

import click

from wireproof.adapters.own import KafkawireAdapter, LimitedCodec, RecordCodec, RecordsAdapter
from wireproof.assembly.jar_store import open_store
from wireproof.assembly.prerequisites import as_fatal_error, need_libraries
from wireproof.assembly.run_inputs import RunInputs, prepare, wanted_releases
from wireproof.assembly.worker_environment import TWINS, make_bench
from wireproof.cli.options import jar_options, jobs_option
from wireproof.cli.power.mutants import chosen_operators, judge_testees, list_operators
from wireproof.fatal import FatalError
from wireproof.model import Adapter
from wireproof.mutation import SOURCE_CLASS
from wireproof.output import echo
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
from wireproof.releases import table
from wireproof.run import ExitCode, WorkerBroken, header_layouts

__all__ = ["command"]


@click.command("power")
@click.option(
    "--class",
    "classes",
    multiple=True,
    type=click.Choice([*(each.value for each in BugClass), SOURCE_CLASS]),
    help="Only mutants of this class of bugs; source: of the source of a Python testee. May be repeated.",
)
@click.option("--mutant", "names", multiple=True, metavar="NAME", help="Only this mutant. May be repeated.")
@click.option(
    "--testee",
    "testees",
    multiple=True,
    metavar="NAME",
    help="Plant bugs in this codec, behind its adapter and beside its ledger, in place of our own: what "
    "`wireproof run --testee` takes; all: every one that comes with wireproof. May be repeated.",
)
@click.option(
    "--mutants",
    "most",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Of each testee so many mutants, which the seed chooses. Default: all.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Chooses each mutant's place, and all else that is random."
)
@click.option(
    "--release", default="newest", show_default=True, metavar="RELEASE", help="The Kafka release to judge by."
)
@jobs_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "tsv", "json"]),
    default="text",
    show_default=True,
    help="tsv: one mutant a line on standard output, no header. json, with --testee: one document.",
)
@click.option(
    "--list", "only_list", is_flag=True, help="List the mutants and what is wrong with each; judge none."
)
@click.option(
    "--verbose",
    "-v",
    is_flag=True,
    help="Say what is wrong with each, and where; show the places passed over.",
)
@jar_options
def command(**options: Any) -> int:
    """Prove the harness itself: plant bugs in our codec, and see that each of them is found.

    A mutant is our codec wrong in exactly one way: a field that is nullable a version too late, a length in
    characters, a tag out of order. There are three or more for each class of bugs that real Kafka codecs had.
    The seed chooses the cell and the field it sits in. The plan of `wireproof run` is tried on the cells in
    which the mutant is wrong, until the first case kills it. One that survives shows that a green run
    means less than it should: exit code 1.

    \b
    A line tells   killed    = null-struct-marked-0  2 cases  bytes  4.4.0/FetchRequest/12/enumerated/...
                   the verdict; = where the mutant passes its own round trip; its name; how many cases it
                   took; the check that found it, and the case.

    A place where a flaw can have no effect is passed over for another one, and only where the code that our
    compiler generates is the same with the flaw as without it: --verbose shows which.

    With --testee the bugs are planted in another codec, and the default plan runs with its ledger. A mutant
    is killed by a case that the codec itself passes. It is masked where the run stays green because an entry
    of the ledger excuses what the codec itself does not do; equivalent where no answer changes; not asked
    where the plan does not reach it. Exit code 1: a mutant is masked, or fewer than 97 % of those that change
    an answer are killed.

    With --format tsv a line holds: class, mutant, verdict, symmetric, made of, place, how many cells it is
    wrong in, check, case, cell, cases to detection, how many places were passed over.

    \b
    wireproof power --class null --class tags
    wireproof power --mutant header-version --seed 7
    wireproof power --format tsv | sort -t$'\\t' -k11n
    wireproof power --testee python-kio --class tags
    wireproof power --testee all --mutants 12 --format json
    """
    if options["testees"]:
        return _judge_testees(options)
    _own_alone(options)
    operators = _chosen(options["classes"], options["names"])
    if options["only_list"]:
        for operator in operators.values():
            echo(f"{operator.bug_class:12} {operator.name:38} {operator.description}")
        return 0
    with as_fatal_error():
        return _judge(options, operators)


def _own_alone(options: dict[str, Any]) -> None:
    """Refuse what only mutants of testees have.

    Raises:
        FatalError: there is something of it.
    """
    if options["most"] is not None or options["form"] == "json":
        raise FatalError(
            "--mutants and --format json are for mutants of testees",
            "Name one with --testee.",
            ExitCode.USAGE,
        )


def _judge_testees(options: dict[str, Any]) -> int:
    operators = chosen_operators(options["classes"], options["names"])
    if options["only_list"]:
        list_operators(operators)
        return 0
    with as_fatal_error():
        need_libraries()
        return judge_testees(options, _prepared(options), list(operators))


def _prepared(options: dict[str, Any]) -> RunInputs:
    """The one release to judge by."""
    releases = wanted_releases(table(), [options["release"]], [])
    if len(releases) > 1:
        raise FatalError("mutants are judged by one release at a time", "Name one.", ExitCode.USAGE)
    return prepare(releases, open_store(options["jars"], options["offline"]), tuple(TWINS))


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


def _judge(options: dict[str, Any], operators: dict[str, CodecOperator]) -> int:
    from rich.console import Console

    from wireproof.report.mutants.power_report import PowerReport, tsv_line

    need_libraries()
    prepared = _prepared(options)
    release = prepared.parts[0].release
    jobs = options["jobs"]
    summary = CodecMutationSummary(len(operators))
    report = PowerReport(Console(stderr=True), summary, verbose=options["verbose"])
    report.begin(release.version, options["seed"])
    try:
        with CodecMutantPool(
            partial(_bench, prepared), all_operators, list(operators), options["seed"], jobs
        ) as pool:
            for verdict in pool.run():
                if verdict is None:
                    report.tick(pool.judged)
                elif isinstance(verdict, WorkerBroken):
                    summary.broken = ExitCode.MISSING if verdict.advice else ExitCode.BROKEN
                    report.broken(verdict.message, verdict.advice)
                else:
                    summary.add(verdict)
                    report.tell(verdict)
                    if options["form"] == "tsv":
                        echo(tsv_line(verdict))
    except KeyboardInterrupt:
        summary.interrupted = True
    report.end()
    return int(summary.exit_code)


def _bench(prepared: RunInputs) -> PowerEnvironment:
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

    return PowerEnvironment(make_bench(prepared)(), part.schemas, adapt, limit)
