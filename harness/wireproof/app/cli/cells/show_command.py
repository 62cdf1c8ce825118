"""``wireproof show``, and a layout as text."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from kafkawire.annotate import Annotation, annotate, hexdump
from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout, fastest_codec
from kafkawire.records import (
    Batch,
    Header,
    Message,
    Record,
    RecordBatch,
    RecordSet,
    annotate_records,
    encode_records,
    to_value,
)
from kafkawire.schema.layout import MessageLayout, StructLayout
from kafkawire.values import StructValue
from wireproof.app.assembly.inputs.cell_lookup import find_cell
from wireproof.app.cli.options import complete_cell, documented_command, run_option
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.wording import counted, document, echo_lines
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.proof.checks.evidence_text import field_words
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.records.record_source import RecordSets


def head_lines(title: str, layout: MessageLayout) -> Iterator[str]:
    """Yield the kind, the API key, the versions and the header's version."""
    yield f"{title}  {layout.kind}" + ("" if layout.api_key is None else f", api key {layout.api_key}")
    yield f"valid versions {layout.versions}, {'flexible' if layout.flexible else 'not flexible'}"
    if layout.header_version is not None:
        yield f"sent with version {layout.header_version} of the {layout.kind} header"


def field_lines(layout: MessageLayout) -> Iterator[str]:
    """Yield the fields of a layout with their numbers of boundary cases."""
    counts = Counter(scenario.path for scenario in scenarios(layout))
    yield f"{sum(counts.values())} boundary cases, {counts['']} of them for the message as a whole"
    yield from struct_lines(layout.root, "", 1, counts)


def struct_lines(struct: StructLayout, prefix: str, depth: int, counts: Counter[str] | None) -> Iterator[str]:
    """Yield the fields of a struct.

    Args:
        counts: the numbers of boundary cases by path; None leaves them out.
    """
    indent = "  " * depth
    for field in struct.all_fields:
        path = prefix + field.name
        cases = "" if counts is None else f"  [{counted(counts[path], 'case')}]"
        yield f"{indent}{field.name}: {field_words(field)}{cases}"
        if field.struct is not None:
            yield from struct_lines(
                field.struct, f"{path}{'[].' if field.is_array else '.'}", depth + 1, counts
            )
    if struct.flexible and counts is not None:
        yield f"{indent}_tags: unknown tagged fields  [{counts[f'{prefix}_tags']} cases]"


def dump_lines(annotation: Annotation, data: bytes, prefix: str = "") -> Iterator[str]:
    """Yield a row for each run of bytes with one meaning; the prefix stands before the names of fields."""
    for offset, text, meaning in hexdump(annotation, data):
        yield f"  {offset}  {text:38}  {prefix}{meaning}"


def instance_lines(layout: MessageLayout, title: str, value: StructValue) -> Iterator[str]:
    """Yield the annotated hexdump of an instance, and the instance as JSON."""
    data = fastest_codec(layout).encode(value)
    yield f"{title}, {counted(len(data), 'byte')}:"
    yield from dump_lines(annotate(layout, data), data)
    yield f"  {canonical(layout).to_json(value)}"


_STAMP = 1_700_000_000_000


def record_cases_lines(cell: Cell) -> Iterator[str]:
    """The number of named sets, by magic and compression."""
    counts = Counter("/".join(case.name.split("/")[:2]) for case in RecordSets().cases(cell))
    yield f"{sum(counts.values())} named record sets:"
    for name, number in counts.items():
        yield f"  {name}: {number}"


def sample_lines(layout: MessageLayout) -> Iterator[str]:
    """A batch of this magic as an annotated hexdump and as canonical JSON."""
    records = RecordSet((_sample(layout.version),))
    data = encode_records(records)
    yield f"a sample, {counted(len(data), 'byte')}:"
    yield from dump_lines(annotate_records(data), data)
    yield f"  {canonical(layout).to_json(to_value(records))}"


def _sample(magic: int) -> Batch:
    if magic < 2:
        return Message(7, _STAMP if magic else -1, b"key", b"value", magic)
    rows = [Record(0, 0, b"key", b"value", (Header("h", b"x"),)), Record(1, 250, None, None)]
    return RecordBatch.of(rows, base_offset=7, base_timestamp=_STAMP)


@documented_command("show", {ExitCode.PROVEN: "The cell is shown."})
@click.argument("cell", shell_complete=complete_cell)
@run_option("schemas")
@click.option("--source", is_flag=True, help="Print only the Python source of the compiled codec.")
def command(cell: str, schemas: Path | None, source: bool) -> int:
    """Show CELL, such as 4.4.0/FetchRequest/12, or FetchRequest/12 of the newest release.

    The report has the layout with the number of boundary cases of each field, and the default instance as an
    annotated hexdump. For RecordBatch/0 to RecordBatch/2 it has the named record sets and a sample. The
    command does not need jars, Java or a network.
    """
    found, layouts = find_cell(cell, SchemaSource.of(schemas))
    layout = layouts.of(found)
    if found.module == RECORDS_MODULE:
        lines = _record_set(found, layout, source)
    elif source:
        document(compile_layout(layout).source + "\n")
        return 0
    else:
        default = instance_lines(layout, "the default instance", {})
        lines = (*head_lines(found.id, layout), "", *field_lines(layout), "", *default)
    echo_lines(lines)
    return 0


def _record_set(cell: Cell, layout: MessageLayout, source: bool) -> Iterable[str]:
    if source:
        raise FatalError(f"{cell} has no compiled codec", "kafkawire.records reads record sets.")

    head = (f"{cell}  record sets whose highest magic is {cell.version}", "")
    fields = struct_lines(layout.root, "", 1, None)
    return (*head, *fields, "", *record_cases_lines(cell), "", *sample_lines(layout))
