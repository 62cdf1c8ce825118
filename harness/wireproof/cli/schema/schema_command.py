"""``wireproof schema``: the definitions of messages."""

import json
from pathlib import Path

import click

from kafkawire.schema import KIP_625, TODAY
from wireproof.assembly.definitions.schema_operands import read_operand
from wireproof.cli.exit_code_help import CommandGroup
from wireproof.cli.options import schemas_option
from wireproof.cli.schema.convert_command import command as convert_command
from wireproof.cli.schema.downgrade_command import downgrade
from wireproof.cli.schema.finding_text import as_plain, finding_lines, summary_line
from wireproof.cli.schema.fuzzing.fuzz_command import fuzz
from wireproof.cli.schema.kip_option import kip_625_option
from wireproof.cli.schema.krammar_command import command as krammar_command
from wireproof.cli.schema.operand_findings import findings_between
from wireproof.cli.schema.sizes_command import command as sizes_command
from wireproof.cli.schema.try_command import command as try_command
from wireproof.config import SchemaSource
from wireproof.model import fork_name_of
from wireproof.output import document, echo, echo_wrapped
from wireproof.run import ExitCode

__all__ = ["command"]


@click.group("schema", cls=CommandGroup)
def command() -> None:
    """Examine the definitions of messages: Kafka's JSON files, and those of its releases."""


command.add_command(downgrade)
command.add_command(fuzz)


@command.command(
    "check",
    exit_codes={
        ExitCode.PROVEN: "No change breaks a program with the other definition.",
        ExitCode.DIVERGENCE: "A change breaks readers or writers, or stops writers.",
        ExitCode.NOTHING_RAN: "No message is in both, or none matches.",
    },
)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--message", metavar="NAME", help="Check only this message.")
@kip_625_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@schemas_option
def check(old: str, new: str, message: str | None, kip_625: bool, as_json: bool, schemas: Path | None) -> int:
    r"""List the changes from OLD to NEW, and say what each of them breaks.

    OLD and NEW are two releases (3.9, 4.4.0, newest), two files or folders of Kafka's message definitions, or
    two versions of a message (FetchRequest/16, 3.9/FetchRequest/16). A release can be compared with a file.
    With --schemas, an operand with the folder's name (4.4+acme) is the fork.

    \b
    A change is one of these:
      safe                         both read each other
      safe only with a new version it has one, and needs it
      safe only while writers      a version or a type of stored data is new: a setting of the cluster must
      are gated                    keep writers from it
      breaks readers               a program with OLD misreads what one with NEW writes
      breaks writers               a program with NEW misreads what one with OLD writes
      stops writers                a program with NEW throws where one with OLD writes

    Each finding names its rule. A break comes with the shortest message that shows it. The command does not
    need jars, Java or a network.

    \b
      wireproof schema check 3.5 3.6
      wireproof schema check newest draft/FetchRequest.json
      wireproof schema check FetchRequest/16 FetchRequest/17
      wireproof schema check 4.4 4.4+acme --schemas acme
    """
    dialect, source = KIP_625 if kip_625 else TODAY, SchemaSource.of(schemas)
    before, after = (
        read_operand(text, source if fork_name_of(text) else None, dialect) for text in (old, new)
    )
    for warning in (*before.warnings, *after.warnings):
        echo(str(warning), err=True)
    findings = findings_between(before, after, message)
    if as_json:
        plain = {
            "before": before.text,
            "after": after.text,
            "findings": [as_plain(each) for each in findings],
        }
        document(json.dumps(plain, indent=2) + "\n")
    else:
        for line in finding_lines(findings, before.text, after.text):
            echo_wrapped(line)
    echo(summary_line(findings, before.text, after.text), err=True)
    broken = any(each.impact.breaks for each in findings)
    return ExitCode.DIVERGENCE if broken else ExitCode.PROVEN


command.add_command(sizes_command)
command.add_command(try_command)
command.add_command(krammar_command)
command.add_command(convert_command)
