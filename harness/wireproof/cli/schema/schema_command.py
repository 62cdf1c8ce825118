"""``wireproof schema``: the definitions of messages."""

import json
from pathlib import Path

import click

from wireproof.assembly.schema_operands import SchemaOperand, read_operand
from wireproof.cli.exit_code_help import CommandGroup
from wireproof.cli.options import schemas_option
from wireproof.cli.schema.draft_text import draft_lines
from wireproof.cli.schema.finding_text import as_plain, finding_lines, summary_line
from wireproof.config import SchemaSource
from wireproof.evolution import SchemaFinding, check_releases, check_versions
from wireproof.fatal import FatalError
from wireproof.output import document, echo
from wireproof.run import ExitCode

__all__ = ["command"]


@click.group("schema", cls=CommandGroup)
def command() -> None:
    """Examine the definitions of messages: Kafka's JSON files, and those of its releases."""


@command.command(
    "check",
    exit_codes={
        ExitCode.PROVEN: "No change breaks a program with the other definition.",
        ExitCode.DIVERGENCE: "A change breaks readers or writers.",
        ExitCode.NOTHING_RAN: "No message is in both, or none matches.",
    },
)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--message", metavar="NAME", help="Check only this message.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def check(old: str, new: str, message: str | None, as_json: bool) -> int:
    r"""List the changes from OLD to NEW, and say what each of them breaks.

    OLD and NEW are two releases (3.9, 4.4.0, newest), two files or folders of Kafka's message definitions, or
    two versions of a message (FetchRequest/16, 3.9/FetchRequest/16). A release can be compared with a file.

    \b
    A change is one of these:
      safe                         both read each other
      safe only with a new version it has one, and needs it
      safe only while writers      a version or a type of stored data is new: a setting of the cluster must
      are gated                    keep writers from it
      breaks readers               a program with OLD misreads what one with NEW writes
      breaks writers               a program with NEW misreads what one with OLD writes

    Each finding names its rule. A break comes with the shortest message that shows it. The command does not
    need jars, Java or a network.

    \b
      wireproof schema check 3.5 3.6
      wireproof schema check newest draft/FetchRequest.json
      wireproof schema check FetchRequest/16 FetchRequest/17
    """
    before, after = read_operand(old), read_operand(new)
    for warning in (*before.warnings, *after.warnings):
        echo(str(warning), err=True)
    findings = _findings(before, after, message)
    if as_json:
        plain = {
            "before": before.text,
            "after": after.text,
            "findings": [as_plain(each) for each in findings],
        }
        document(json.dumps(plain, indent=2) + "\n")
    else:
        for line in finding_lines(findings, before.text, after.text):
            echo(line)
    echo(summary_line(findings, before.text, after.text), err=True)
    broken = any(each.impact.breaks for each in findings)
    return ExitCode.DIVERGENCE if broken else ExitCode.PROVEN


def _findings(before: SchemaOperand, after: SchemaOperand, message: str | None) -> list[SchemaFinding]:
    if (before.cell is None) != (after.cell is None):
        raise FatalError(
            f"{before.text} and {after.text} cannot be compared: one is a version of a message",
            "Name two versions, such as FetchRequest/16 and FetchRequest/17.",
            ExitCode.USAGE,
        )
    if before.cell is not None and after.cell is not None:
        if before.cell.message != after.cell.message:
            raise FatalError(
                f"{before.cell.message} and {after.cell.message} are two messages",
                "Name two versions of one message.",
                ExitCode.USAGE,
            )
        module, spec = after.schemas.find(after.cell.message)
        _, older = before.schemas.find(before.cell.message)
        return check_versions(module, (older, before.cell.version), (spec, after.cell.version))
    names = [{spec.name for _, spec in each.schemas} for each in (before, after)]
    chosen = names[0] | names[1]
    for each, own in zip((before, after), names, strict=True):
        chosen &= own if each.partial else chosen
    if message is not None:
        chosen &= {message}
    if not chosen & names[0] & names[1]:
        raise FatalError(
            f"{before.text} and {after.text} have no message in common"
            + (f" named {message}" if message else ""),
            "`wireproof cells` lists the messages of a release.",
            ExitCode.NOTHING_RAN,
        )
    return [each for each in check_releases(before.schemas, after.schemas) if each.message in chosen]


@command.command(
    "try",
    exit_codes={
        ExitCode.PROVEN: "The definition has no error, and breaks no program with the released one.",
        ExitCode.DIVERGENCE: "A change breaks readers or writers.",
    },
)
@click.argument("draft", metavar="FILE")
@click.option(
    "--message-version", "version", type=int, metavar="N", help="Show this version. Default: the newest one."
)
@click.option("--case", metavar="NAME", help="Show the bytes of this boundary case: clientId/length-127.")
@click.option("--release", default="newest", metavar="RELEASE", help="Compare with this release of Kafka.")
@schemas_option
def try_draft(draft: str, version: int | None, case: str | None, release: str, schemas: Path | None) -> int:
    r"""Try the draft of a message definition: FILE is JSON as in Kafka's source.

    The report has the problems of the file, the sizes of each version, the layout of one version with its
    annotated bytes (the default instance, every field set), and the changes from the released definition
    with what they break. The command does not need jars, Java or a network.

    \b
      wireproof schema try drafts/FetchRequest.json
      wireproof schema try drafts/FetchRequest.json --message-version 12 --release 3.9
    """
    operand = read_operand(draft)
    specs = [spec for _, spec in operand.schemas]
    if not operand.partial or operand.cell is not None:
        raise FatalError(f"{draft} is not a file", "Name one message definition.", ExitCode.USAGE)
    (spec,) = specs
    for warning in operand.warnings:
        echo(str(warning), err=True)
    if spec.valid_versions.empty:
        raise FatalError(f"{spec.name} has no valid version", "Set validVersions.", ExitCode.USAGE)
    chosen = spec.valid_versions.highest if version is None else version
    if chosen not in spec.valid_versions:
        raise FatalError(
            f"{spec.name} has no version {chosen}", f"Its versions are {spec.valid_versions}.", ExitCode.USAGE
        )
    for line in draft_lines(spec, chosen, case):
        echo(line)
    released = read_operand(release, SchemaSource.of(schemas))
    if spec.name not in {each.name for _, each in released.schemas}:
        echo(f"{released.text} has no {spec.name}: the message is new.")
        return ExitCode.PROVEN
    findings = _findings(released, operand, None)
    echo(f"Changes from {released.text}")
    for line in finding_lines(findings, released.text, draft):
        echo(line)
    echo(summary_line(findings, released.text, draft), err=True)
    return ExitCode.DIVERGENCE if any(each.impact.breaks for each in findings) else ExitCode.PROVEN
