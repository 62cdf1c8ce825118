"""``wireproof schema sizes``: the bytes of a message's fields, with the integer encodings of KIP-625."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal, TypeAlias

import click

from kafkawire.errors import CodecError
from kafkawire.schema import KIP_625, TODAY, Dialect, MessageLayout, MessageSpec, SchemaSet, resolve
from kafkawire.values import StructValue
from wireproof.app.assembly.definitions.schema_conversion import read_operand
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.app.assembly.inputs.cell_lookup import find_message
from wireproof.app.cli.options import documented_command, kip_625_option, run_option
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.wording import counted, document, echo, echo_lines
from wireproof.definitions.sizes.size_table import (
    SizeTable,
    as_plain,
    choose_encodings,
    measure_sizes,
    size_lines,
    with_encodings,
)
from wireproof.definitions.sizes.traffic_values import TrafficValues, read_traffic
from wireproof.definitions.sizes.value_distribution import distributed_message
from wireproof.kafka.releases.release_table import ReleaseError, table
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.traffic.corpus.corpus_entry import CorpusError
from wireproof.traffic.wire.segment_format import SegmentFormatError

_Cases: TypeAlias = Literal["default", "boundary"]
_MESSAGE: Final = re.compile(r"(?:(?P<release>[^/]+)/)?(?P<message>[A-Z][A-Za-z]*)(?:/(?P<version>\d+))?")


@documented_command(
    "sizes",
    {
        ExitCode.PROVEN: "All values were measured.",
        ExitCode.DIVERGENCE: "Some values do not fit the chosen encodings.",
        ExitCode.NOTHING_RAN: "The traffic has no value of the message.",
    },
)
@click.argument("schema", metavar="SCHEMA")
@click.option(
    "--message-version",
    "version",
    type=int,
    metavar="N",
    help="Measure this version. Default: the newest one.",
)
@click.option(
    "--encoding",
    "encodings",
    multiple=True,
    metavar="FIELD=NAME",
    help="Give fields an encoding of KIP-625: leaderId=packed32, int32=upacked, *=packed.",
)
@click.option(
    "--values",
    "distributions",
    multiple=True,
    metavar="FIELD=VALUES",
    help="Measure a message with these values: leaderId=0..99, errorCode=0*90,3, topics=10.",
)
@click.option(
    "--cases",
    type=click.Choice(["default", "boundary"]),
    help="Measure the default instance, or all boundary cases. Default: the default instance.",
)
@click.option(
    "--from",
    "traffic",
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="Measure the message's values in this corpus, capture or segment file.",
)
@kip_625_option
@run_option("schemas")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(
    schema: str,
    version: int | None,
    encodings: tuple[str, ...],
    distributions: tuple[str, ...],
    cases: _Cases | None,
    traffic: Path | None,
    kip_625: bool,
    schemas: Path | None,
    as_json: bool,
) -> int:
    r"""Measure the bytes of a message field by field, and what the encodings of KIP-625 would save.

    SCHEMA is a file as in Kafka's source, or a message of a release: MetadataResponse, MetadataResponse/12,
    3.9/MetadataResponse. FIELD is a path (topics[].partitions[].leaderId), a name (leaderId), a type
    (int32), or * for all. NAME is fixed, packed or upacked, with 16, 32 or 64 or without.

    The columns packed and upacked have the bytes of each field if it had that encoding. The column bytes has
    those with the encodings that were chosen by --encoding.

    \b
    VALUES are numbers, ranges and weights. Of an array they are the number of
    elements, of text and bytes the length in bytes.
      topics[].partitions=100      100 partitions in each topic
      leaderId=0..1                0 and 1 in turn
      errorCode=0*90,3*10          nine zeros for each 3
      replicaNodes[]=1001..1003    the elements of an array

    \b
      wireproof schema sizes MetadataResponse/12 --encoding leaderId=upacked
      wireproof schema sizes MetadataResponse --encoding '*=upacked' --values topics=1 --values partitions=100
      wireproof schema sizes 3.9/FetchRequest --encoding int64=packed --from captures/
    """
    if sum((bool(distributions), cases is not None, traffic is not None)) > 1:
        words = "--values, --cases and --from are three sources of values"
        raise FatalError(words, "Choose one of them.")
    spec, named = _definition(schema, SchemaSource.of(schemas), KIP_625 if kip_625 else TODAY)
    with as_fatal(CorpusError, OSError), as_fatal(SegmentFormatError, CodecError, what=f"{traffic}: "):
        found = None if traffic is None else read_traffic(traffic, spec.name, _schemas_of)
        layout = resolve(spec, _version(spec, version if named is None else named, found))
        layout = with_encodings(layout, choose_encodings(layout, encodings))
        measured = measure_sizes(layout, _values(layout, distributions, cases, found))
    if found is None and measured.foreign:
        reasons = ", ".join(measured.foreign)
        words = f"{layout.name}/{layout.version} cannot hold these values: {reasons}"
        raise FatalError(words, "Choose others with --values.")
    return _report(measured, found, as_json)


def _definition(text: str, source: SchemaSource | None, dialect: Dialect) -> tuple[MessageSpec, int | None]:
    """Return the definition that an operand names, and the version if it names one."""
    match = _MESSAGE.fullmatch(text)
    if match is None or Path(text).exists():
        operand = read_operand(text, dialect=dialect)
        specs = [spec for _, spec in operand.schemas]
        if len(specs) != 1:
            raise FatalError(f"{text} is {counted(len(specs), 'message')}", "Name one.")
        echo_lines(operand.warnings, err=True)
        return specs[0], None
    schemas = read_operand(match["release"] or "newest", source).schemas
    _, spec = find_message(schemas, match["message"])
    return spec, None if match["version"] is None else int(match["version"])


def _schemas_of(release: str) -> SchemaSet:
    """The schemas of a release in captured traffic."""
    try:
        found = table().find(release)
    except ReleaseError as error:
        raise LookupError(error.message) from error
    return snapshots([found])[found.version]


def _version(spec: MessageSpec, wanted: int | None, found: TrafficValues | None) -> int:
    """The version to measure: the named one, else the newest in the traffic, else the newest one."""
    versions = spec.valid_versions
    if wanted is not None:
        if wanted not in versions:
            words = f"{spec.name} has no version {wanted}"
            raise FatalError(words, f"Its versions are {versions}.")
        return wanted
    if versions.empty:
        raise FatalError(f"{spec.name} has no valid version", "Name another release.")
    if found is None:
        return versions.highest
    return max((each for each in found.by_version if each in versions), default=versions.highest)


def _values(
    layout: MessageLayout, distributions: tuple[str, ...], cases: _Cases | None, found: TrafficValues | None
) -> Iterable[StructValue]:
    if found is not None:
        values = found.by_version.get(layout.version, [])
        if not values:
            others = ", ".join(map(str, sorted(found.by_version))) or "none"
            words = f"the traffic has no {layout.name} of version {layout.version}"
            raise FatalError(words, f"It has the versions: {others}.", ExitCode.NOTHING_RAN)
        return values
    if cases == "boundary":
        return [each.value for each in scenarios(layout)]
    return [distributed_message(layout, distributions)]


def _report(table: SizeTable, found: TrafficValues | None, as_json: bool) -> int:
    if as_json:
        document(json.dumps(as_plain(table), indent=2) + "\n")
    else:
        echo_lines(size_lines(table))
    if found is not None and found.damaged:
        echo(f"{counted(found.damaged, 'part')} of the traffic damaged: their frames are missing", err=True)
    if found is not None and found.undecoded:
        echo(f"{counted(found.undecoded, 'frame')} of the traffic cannot be decoded", err=True)
    for title, counts in (("cannot be encoded", table.refused), ("of another definition", table.foreign)):
        for reason, count in sorted(counts.items()):
            echo(f"{counted(count, 'value')} {title}: {reason}", err=True)
    return ExitCode.DIVERGENCE if table.refused else ExitCode.PROVEN
