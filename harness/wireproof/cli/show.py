"""``wireproof show``."""

from collections import Counter
from collections.abc import Iterator

import click

from kafkawire.annotate import annotate, hexdump
from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.records import annotate_records, encode_records, records_to_json
from kafkawire.schema.layout import MessageLayout, StructLayout
from wireproof.checks.describe import field_words
from wireproof.cli.cell_id import find_cell
from wireproof.cli.options import Fatal
from wireproof.model import RECORDS_MODULE, Cell
from wireproof.run import ExitCode
from wireproof.strategies import record_cases, scenarios

__all__ = ["command"]


@click.command("show")
@click.argument("cell")
@click.option(
    "--source", is_flag=True, help="Print the Python that the compiled twin runs, and nothing else."
)
def command(cell: str, source: bool) -> int:
    """Show a CELL, such as 4.4.0/FetchRequest/12 or FetchRequest/12 of the newest release.

    Its layout with the number of boundary cases of each field, and its default instance as an annotated
    hexdump. Needs no jar, no Java and no network.
    """
    found, layouts = find_cell(cell)
    if found.module == RECORDS_MODULE:
        if source:
            raise Fatal("record batches have no compiled codec", "See kafkawire.records.", ExitCode.USAGE)
        for line in _records(found):
            click.echo(line)
        return 0
    layout = layouts.of(found)
    if source:
        click.echo(compile_layout(layout).source)
        return 0
    for line in (*_head(found.id, layout), "", *_fields(layout), "", *_default(layout)):
        click.echo(line)
    return 0


def _records(cell: Cell) -> Iterator[str]:
    """The named sets of a magic, and the bytes of one of them."""
    cases = [case for case in record_cases() if case.magic == cell.version]
    shown = next(case for case in cases if case.name == f"v{cell.version}/none/{_SAMPLE[cell.version]}")
    data = encode_records(shown.records)
    yield f"{cell.id}  record batches of magic {cell.version}: {len(cases)} record sets"
    yield ""
    yield from (f"  {case.name}" for case in cases)
    yield ""
    yield f"{shown.name}, {len(data)} bytes:"
    for offset, text, meaning in hexdump(annotate_records(data), data):
        yield f"  {offset}  {text:38}  {meaning}"
    yield f"  {records_to_json(shown.records)}"


_SAMPLE = {0: "plain", 1: "plain", 2: "headers-repeated"}


def _head(cell_id: str, layout: MessageLayout) -> Iterator[str]:
    yield f"{cell_id}  {layout.kind}" + ("" if layout.api_key is None else f", api key {layout.api_key}")
    yield f"valid versions {layout.versions}, {'flexible' if layout.flexible else 'not flexible'}"
    if layout.header_version is not None:
        yield f"sent with version {layout.header_version} of the {layout.kind} header"


def _fields(layout: MessageLayout) -> Iterator[str]:
    counts = Counter(scenario.path for scenario in scenarios(layout))
    yield f"{sum(counts.values())} boundary cases, {counts['']} of them for the message as a whole"
    yield from _struct(layout.root, "", 1, counts)


def _struct(struct: StructLayout, prefix: str, depth: int, counts: Counter[str]) -> Iterator[str]:
    indent = "  " * depth
    for field in struct.all_fields:
        path = prefix + field.name
        yield f"{indent}{field.name}: {field_words(field)}  [{counts[path]} cases]"
        if field.struct is not None:
            yield from _struct(field.struct, f"{path}{'[].' if field.is_array else '.'}", depth + 1, counts)
    if struct.flexible:
        yield f"{indent}_tags: unknown tagged fields  [{counts[f'{prefix}_tags']} cases]"


def _default(layout: MessageLayout) -> Iterator[str]:
    codec = compile_layout(layout)
    data = codec.encode({})
    yield f"the default instance, {len(data)} bytes:"
    for offset, text, meaning in hexdump(annotate(layout, data), data):
        yield f"  {offset}  {text:38}  {meaning}"
    yield f"  {canonical(layout).to_json({})}"
