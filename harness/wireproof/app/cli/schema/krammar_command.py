"""``wireproof schema krammar``: franz-go's definitions beside Kafka's."""

import json
from pathlib import Path

import click

from wireproof.app.assembly.definitions.schema_conversion import read_krammar
from wireproof.app.assembly.inputs.run_inputs import wanted_releases
from wireproof.app.assembly.inputs.schema_snapshots import snapshots
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.options import run_option
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.output import document, echo
from wireproof.base.text.wording import counted
from wireproof.definitions.franz_go import check_table, compare_definitions
from wireproof.definitions.franz_go.disagreement_table import comparison_as_plain, comparison_lines
from wireproof.kafka.releases import table
from wireproof.model import release_number
from wireproof.proof.config import SchemaSource


@click.command(
    "krammar",
    cls=DocumentedCommand,
    exit_codes={
        ExitCode.PROVEN: "The table explains every disagreement, and each of its rows shows.",
        ExitCode.DIVERGENCE: "A disagreement has no explanation, or a row of the table no longer shows.",
        ExitCode.MISSING: "The definitions cannot be fetched.",
    },
)
@click.option(
    "--definitions",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Read the definition files of this folder. Default: those of the pinned version, fetched with Go.",
)
@click.option(
    "--release",
    "releases",
    multiple=True,
    metavar="RELEASE",
    help="Compare with this release; repeatable. Default: all, or the newest with --schemas. A cell is "
    "compared with the newest one that has it.",
)
@run_option("schemas")
@click.option("--offline", is_flag=True, help="Never touch the network.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(
    definitions: Path | None, releases: tuple[str, ...], schemas: Path | None, offline: bool, as_json: bool
) -> int:
    r"""Compare the message definitions of franz-go, a client in Go, with those of Kafka.

    franz-go defines Kafka's messages in a language of its own, krammar. The command compares the layouts of
    all cells that both have: the types and the order of fields, lengths, null, tags and defaults. Names are
    not compared. A table explains the known disagreements with the newest release of each cell.

    Go's own client (`go`) fetches the definitions once, into the cache.

    \b
      wireproof schema krammar
      wireproof schema krammar --definitions franz-go/generate/definitions --release 3.9
      wireproof schema krammar --json | jq '.disagreements[] | select(.bytes)'
    """
    words = releases or ("all",) if schemas is None else releases
    chosen = wanted_releases(table(), words, (), SchemaSource.of(schemas))
    operand = read_krammar(definitions, offline=offline)
    for warning in operand.warnings:
        echo(str(warning), err=True)
    chosen.sort(key=lambda each: release_number(each.version), reverse=True)
    comparison = compare_definitions(operand.definitions, list(snapshots(chosen).values()))
    check = check_table(comparison)
    if as_json:
        document(json.dumps(comparison_as_plain(comparison, check), indent=2) + "\n")
    else:
        for line in comparison_lines(comparison, check):
            echo(line)
    files = f"{counted(operand.files, 'file')}, {counted(len(operand.definitions.structs), 'struct')}"
    echo(f"{operand.text}: {files}, {counted(len(operand.definitions.enums), 'enum')}", err=True)
    return ExitCode.DIVERGENCE if check.unexplained or check.gone else ExitCode.PROVEN
