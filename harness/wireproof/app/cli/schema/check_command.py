"""``wireproof schema check``."""

import json
from pathlib import Path
from typing import Final

import click

from kafkawire.schema import KIP_625, TODAY, Dialect
from wireproof.app.assembly.definitions.git_operands import read_checkout
from wireproof.app.assembly.definitions.schema_conversion import (
    SchemaOperand,
    compared_messages,
    findings_between,
    messages_out_of_sight,
    read_operand,
)
from wireproof.app.assembly.inputs.bundled_schemas import not_compared_words
from wireproof.app.cli.options import documented_command, kip_625_option, run_option
from wireproof.base.accepted_findings import NOTHING_ACCEPTED, read_accepted
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted, document, echo, echo_lines, echo_wrapped
from wireproof.definitions.evolution.evolution_rules import ChangeCategory, EvolutionRule
from wireproof.definitions.evolution.report.finding_text import (
    CheckOutcome,
    FindingPlaces,
    accepted_lines,
    as_plain,
    check_issues,
    finding_lines,
    issue_annotations,
    issue_junit,
    issue_sarif,
    summary_line,
)
from wireproof.model.kafka.releases import fork_name_of
from wireproof.proof.config.selection import SchemaSource

_FORMS: Final = ("text", "github", "sarif", "junit", "json")


@documented_command(
    "check",
    {
        ExitCode.PROVEN: "No change breaks a program with the other definition.",
        ExitCode.DIVERGENCE: "A change breaks readers or writers, stops writers, or an accepted one is gone.",
        ExitCode.NOTHING_RAN: "No message is in both, or none matches.",
    },
)
@click.argument("old", metavar="OLD", required=False)
@click.argument("new", metavar="NEW", required=False)
@click.option(
    "--git", "base", metavar="BASE", help="Compare this commit with the work tree, in place of OLD and NEW."
)
@click.option("--message", metavar="NAME", help="Check only this message.")
@kip_625_option
@click.option("--format", "form", type=click.Choice(_FORMS), default="text", help="The form of the report.")
@click.option("--json", "form", flag_value="json", help="As --format json.")
@click.option(
    "--accepted",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TOML file of findings that do not fail.",
)
@click.option(
    "--category",
    "categories",
    multiple=True,
    type=click.Choice([each.value for each in ChangeCategory]),
    default=("wire", "stored"),
    help="Fail for changes of this category. May be repeated.",
)
@run_option("schemas")
def check(
    old: str | None,
    new: str | None,
    base: str | None,
    message: str | None,
    kip_625: bool,
    form: str,
    accepted: Path | None,
    categories: tuple[str, ...],
    schemas: Path | None,
) -> int:
    r"""List the changes from OLD to NEW, and say what each of them breaks.

    OLD and NEW are two releases (3.9, 4.4.0, newest), two files or folders of Kafka's message definitions, or
    two versions of a message (FetchRequest/16, 3.9/FetchRequest/16). A release can be compared with a file.
    With --schemas, an operand with the folder's name (4.4+acme) is the fork.

    `--git BASE [FOLDER]` compares the definitions of a git checkout at the commit BASE with those of its
    work tree: the files */src/main/resources/common/message/*.json of FOLDER (default: the working folder);
    if it has none, the .json files directly in it. Files that a sparse checkout leaves out are not compared;
    the command counts them. git runs no program that the repository configures.

    \b
    A change is one of these:
      safe                         both read each other
      safe only with a new version it has one, and needs it
      safe only while writers      a version or a type of stored data is new: a setting of the cluster must
      are gated                    keep writers from it
      breaks readers               a program with OLD misreads what one with NEW writes
      breaks writers               a program with NEW misreads what one with OLD writes
      stops writers                a program with NEW throws where one with OLD writes

    \b
    Changes have categories; --category chooses those that fail (default: wire and stored):
      wire    requests, responses, headers: programs misread each other
      stored  bytes on disk: records in __cluster_metadata, __consumer_offsets, ...
      source  the generated class and the code that uses it; the bytes stay

    `--format github`, `sarif` and `junit` are for CI servers: each break is an error at the file and line of
    the changed field in NEW; a change that needs a gate is a warning.

    FILE of --accepted has an entry [[accepted]] for each finding: message, field, rule, reason and date. An
    entry that matches no finding that fails is an error.

    Each finding names its rule. A break comes with the shortest message that shows it. The command does not
    need jars, Java or a network.

    \b
      wireproof schema check 3.5 3.6
      wireproof schema check newest draft/FetchRequest.json
      wireproof schema check FetchRequest/16 FetchRequest/17
      wireproof schema check 4.4 4.4+acme --schemas acme
      wireproof schema check --git origin/trunk --format github
    """
    before, after = _both(base, old, new, schemas, KIP_625 if kip_625 else TODAY)
    failing = frozenset(each for each in ChangeCategory if each.value in categories)
    return _compare(before, after, message, form, accepted, failing)


def _compare(
    before: SchemaOperand,
    after: SchemaOperand,
    message: str | None,
    form: str,
    accepted: Path | None,
    failing: frozenset[ChangeCategory],
) -> int:
    echo_lines((*before.warnings, *after.warnings), err=True)
    findings = findings_between(before, after, message)
    entries = (
        read_accepted(accepted, [each.value for each in EvolutionRule]) if accepted else NOTHING_ACCEPTED
    )
    part = message is not None or before.partial or after.partial
    compared = compared_messages(before, after, message) if part else None
    outcome = CheckOutcome.of(findings, entries, compared, failing)
    _print(form, outcome, before, after)
    echo(summary_line(outcome.findings, before.text, after.text, len(outcome.accepted)), err=True)
    unseen = messages_out_of_sight(before, after) | messages_out_of_sight(after, before)
    if unseen and before.release and after.release and not part:
        echo(not_compared_words(unseen), err=True)
    if left_out := after.not_checked_out:
        files = counted(left_out, "message file")
        echo(f"not compared: {files} that the sparse checkout leaves out", err=True)
    return outcome.exit_code


def _both(
    base: str | None, old: str | None, new: str | None, schemas: Path | None, dialect: Dialect
) -> tuple[SchemaOperand, SchemaOperand]:
    """The definitions of a checkout before and after, or those of two operands."""
    if base is not None:
        if new is not None or schemas is not None:
            raise click.UsageError("--git takes a folder in place of OLD and NEW, and no --schemas")
        return read_checkout(base, Path(old or "."), dialect)
    if old is None or new is None:
        raise click.UsageError("OLD or NEW is missing: name both, or a commit with --git")
    source = SchemaSource.of(schemas)
    before, after = (
        read_operand(text, source if fork_name_of(text) else None, dialect) for text in (old, new)
    )
    return before, after


def _print(form: str, outcome: CheckOutcome, before: SchemaOperand, after: SchemaOperand) -> None:
    places = FindingPlaces(before.schemas, after.schemas)
    issues = check_issues(outcome, places)
    match form:
        case "json":
            report = {"before": before.text, "after": after.text, **as_plain(outcome, places)}
            document(json.dumps(report, indent=2) + "\n")
        case "github":
            document(issue_annotations(issues))
        case "sarif":
            document(issue_sarif(issues, outcome.exit_code))
        case "junit":
            document(issue_junit(issues))
        case _:
            for line in (*finding_lines(outcome.findings, before.text, after.text), *accepted_lines(outcome)):
                echo_wrapped(line)
