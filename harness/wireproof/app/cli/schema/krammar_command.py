"""The commands about krammar, franz-go's definition language: ``schema krammar`` and ``schema convert``."""

import json
from collections.abc import Mapping
from pathlib import Path

import click

from wireproof.app.assembly.definitions.schema_conversion import (
    SchemaConversion,
    convert_to_json,
    convert_to_krammar,
    read_krammar,
)
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.app.assembly.inputs.run_inputs import wanted_releases
from wireproof.app.cli.options import documented_command, run_option
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.files.own_folders import OwnFolder
from wireproof.base.text.wording import counted, document, echo, echo_lines
from wireproof.definitions.franz_go.cell_comparison import compare_definitions
from wireproof.definitions.franz_go.disagreement_table import (
    check_table,
    comparison_as_plain,
    comparison_lines,
)
from wireproof.kafka.releases.release_table import table
from wireproof.model.kafka.releases import release_number
from wireproof.proof.config.selection import SchemaSource


@documented_command(
    "krammar",
    {
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
def krammar_command(
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
    echo_lines(operand.warnings, err=True)
    chosen.sort(key=lambda each: release_number(each.version), reverse=True)
    comparison = compare_definitions(operand.definitions, list(snapshots(chosen).values()))
    check = check_table(comparison)
    if as_json:
        document(json.dumps(comparison_as_plain(comparison, check), indent=2) + "\n")
    else:
        echo_lines(comparison_lines(comparison, check))
    files = f"{counted(operand.files, 'file')}, {counted(len(operand.definitions.structs), 'struct')}"
    echo(f"{operand.text}: {files}, {counted(len(operand.definitions.enums), 'enum')}", err=True)
    return ExitCode.DIVERGENCE if check.unexplained or check.gone else ExitCode.PROVEN


@documented_command(
    "convert",
    {
        ExitCode.PROVEN: "Every message is converted.",
        ExitCode.DIVERGENCE: "The other language cannot express a message, or a conversion back changes it.",
        ExitCode.NOTHING_RAN: "There is no such message.",
        ExitCode.MISSING: "franz-go's definitions cannot be fetched.",
    },
)
@click.argument("operand", metavar="OPERAND")
@click.option("--to", "language", type=click.Choice(["krammar", "json"]), required=True, help="The language.")
@click.option(
    "--message", metavar="NAME", help="Convert only this message; to krammar, a request with its response."
)
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="DIR", help="Write files into this new folder."
)
@run_option("schemas")
@click.option("--offline", is_flag=True, help="Never touch the network.")
def convert_command(
    operand: str, language: str, message: str | None, output: Path | None, schemas: Path | None, offline: bool
) -> int:
    r"""Convert definitions from Kafka's JSON to krammar, the language of franz-go, or back.

    To krammar, OPERAND is a release, a file or a folder of Kafka's message definitions. To JSON, it is a
    file or a folder of krammar definitions, or `franz-go` for those of the pinned version.

    The definitions are printed, or written into a folder. Standard error lists what the other language lacks:

    \b
      cannot be expressed  no form has these bytes: the message is left out
      another default      bytes of given values stay; a field that is left out has another value
      dropped              it has no effect on bytes
      outside the message  krammar counts the version to the message; Kafka's code around it writes it
      one way              the bytes stay, but a conversion back gives a definition with other bytes

    \b
      wireproof schema convert newest --to krammar --message HeartbeatRequest
      wireproof schema convert 4.4 --to krammar --output definitions
      wireproof schema convert franz-go --to json --message JoinGroupRequest
    """
    if language == "krammar":
        conversion = convert_to_krammar(operand, message, SchemaSource.of(schemas))
    else:
        conversion = convert_to_json(operand, message, offline=offline)
    echo_lines((*conversion.warnings, *conversion.notes), err=True)
    if output is not None:
        _write(output, conversion.files)
    elif language == "json" and len(conversion.files) > 1:
        raise FatalError(
            f"{operand} has {len(conversion.files)} messages, and a JSON file has one",
            "Name one with --message, or a folder with --output.",
        )
    else:
        document("\n".join(conversion.files.values()))
    echo(_summary(conversion), err=True)
    return ExitCode.DIVERGENCE if conversion.refused or conversion.one_way else ExitCode.PROVEN


def _summary(conversion: SchemaConversion) -> str:
    text = f"{counted(conversion.converted, 'message')} converted"
    text = f"{text}, {conversion.one_way} of them one way" if conversion.one_way else text
    return f"{text}; {conversion.refused} cannot be expressed" if conversion.refused else text


def _write(folder: Path, files: Mapping[str, str]) -> None:
    if folder.exists():
        raise FatalError(f"{folder} exists", "Name a new folder with --output.")
    with as_fatal(OSError, what=f"cannot write {folder}: "):
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = OwnFolder("definitions", folder.parent, mode=0o777)
        try:
            for name, text in files.items():
                (made.path / name).write_text(text, encoding="utf-8")
            made.publish(folder)
        finally:
            made.remove()
