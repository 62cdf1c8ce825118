"""``wireproof power``."""

from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console

from wireproof.app.assembly.mutation_campaigns import (
    MutationCampaign,
    chosen_operators,
    inputs_of,
    own_campaign,
    testee_campaign,
)
from wireproof.app.assembly.prerequisites import need_libraries
from wireproof.app.cli.options import (
    config_of_options,
    documented_command,
    format_option,
    jar_options,
    jobs_option,
    schemas_options,
    source_of,
)
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.wording import document, echo
from wireproof.power.mutants.codec_operator import CodecOperator
from wireproof.power.operators import all_operators
from wireproof.power.summary import BugClass
from wireproof.power.testees.operator import Operator
from wireproof.power.testees.operators import OPERATORS
from wireproof.power.testees.source_mutants import SOURCE_CLASS
from wireproof.proof.config.command_configs import PowerConfig
from wireproof.proof.run.engine.worker_pool import WorkerBroken
from wireproof.verdict.report.mutants.mutation_report import MutationReport, json_text, tsv_line


@documented_command(
    "power",
    {
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
    "bug_class",
    multiple=True,
    type=click.Choice([*(each.value for each in BugClass), SOURCE_CLASS]),
    help="Plant only mutants of this class of bugs. May be repeated. source: changes in the source of a "
    "Python testee.",
)
@click.option("--mutant", multiple=True, metavar="NAME", help="Plant only this mutant. May be repeated.")
@click.option(
    "--testee",
    multiple=True,
    metavar="NAME",
    help="Plant the bugs in this codec instead of our own, and use its ledger. Names are those of "
    "`wireproof run --testee`; all: every one that comes with wireproof. May be repeated.",
)
@click.option(
    "--mutants",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Plant at most so many mutants in each testee; the seed chooses them. Default: all.",
)
@click.option(
    "--causes",
    is_flag=True,
    help="Search the causes of each mutant that is killed in a testee, too: one bug should be one cause.",
)
@click.option(
    "--profile",
    type=click.Choice(["pr"]),
    help="Run the plan of `wireproof run --profile pr` on the mutants of testees. Default: the default plan.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed the place of each mutant and all other random choices."
)
@click.option(
    "--release", default="newest", show_default=True, metavar="RELEASE", help="Judge by this Kafka release."
)
@schemas_options
@jobs_option
@format_option(
    "tsv", "json", details="tsv: one mutant per line on standard output, no header. json: one document."
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
    The columns    killed    = null-struct-marked-0  2 cases  0.10 s  bytes  4.4.0/FetchRequest/12/...
    are            the verdict; = if the mutant passes its own round trip; its name; the number of cases and
                   the seconds it took; the check that found it, and the case.

    A place where a bug can have no effect is skipped: the code that our compiler generates is the same with
    and without it. --verbose shows these places.

    With --testee the command plants the bugs in another codec, and runs the default plan with its ledger. A
    mutant is killed if a case fails that the unchanged codec passes. It is masked if the run stays green
    because a ledger entry excuses the new failure. It is equivalent if no answer changes, and not asked if
    the plan does not reach it. --causes adds the causes that a run would report of each killed mutant, and
    counts those with exactly one, of the right kind and at the right place.

    A line of --format tsv has these columns: class, mutant, verdict, symmetric, what the bug is planted in,
    place, number of affected cells, check, case, cell, cases to detection, number of skipped places, codec,
    kind of the difference, seconds, what excused it, number of causes.

    \b
    wireproof power --class null --class tags
    wireproof power --mutant header-version --seed 7
    wireproof power --format tsv | sort -t$'\\t' -k11n
    wireproof power --testee python-kio --class tags --causes
    """
    config = config_of_options(PowerConfig, options, source=source_of(options))
    operators = _chosen(config)
    if config.only_list:
        for operator in operators.values():
            echo(f"{operator.bug_class:12} {operator.name:38} {operator.description}")
        return 0
    need_libraries()
    prepared, names = inputs_of(config), list(operators)
    if config.testee:
        return _judge(config, testee_campaign(config, prepared, names))
    return _judge(config, own_campaign(prepared, all_operators, names, config.seed))


def _chosen(config: PowerConfig) -> Mapping[str, CodecOperator | Operator]:
    """The operators of the options: those of our codec, or of testees."""
    catalogue = OPERATORS if config.testee else all_operators()
    operators: Mapping[str, CodecOperator | Operator] = chosen_operators(
        catalogue, config, lambda each: each.bug_class.value
    )
    if not operators and not (config.testee and SOURCE_CLASS in config.bug_class):
        words = "no mutation operator is of these classes and names"
        raise FatalError(words, "Drop an option.", ExitCode.NOTHING_RAN)
    return operators


def _judge(config: PowerConfig, campaign: MutationCampaign) -> int:
    """Judge the mutants and report the verdicts as they come; return the exit code."""

    summary = campaign.summary
    report = MutationReport(Console(stderr=True), summary, verbose=config.verbose)
    report.begin(campaign.title, config.seed)
    try:
        for verdict in campaign.verdicts(config.jobs):
            if isinstance(verdict, WorkerBroken):
                summary.broken = ExitCode.MISSING if verdict.advice else ExitCode.BROKEN
                report.broken(verdict.message, verdict.advice)
            elif isinstance(verdict, int):
                report.tick(verdict)
            else:
                summary.add(verdict)
                report.verdict(verdict)
                if config.form == "tsv":
                    echo(tsv_line(verdict))
    except KeyboardInterrupt:
        summary.interrupted = True
    report.end()
    if config.form == "json":
        document(json_text(summary) + "\n")
    return int(summary.exit_code)
