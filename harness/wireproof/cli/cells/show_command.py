"""``wireproof show``."""

from collections import Counter
from collections.abc import Iterable, Iterator

import click

from kafkawire.annotate import annotate, hexdump
from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout, StructLayout
from wireproof.assembly.cell_lookup import find_cell
from wireproof.checks.evidence_text import field_words
from wireproof.cli.exit_code_help import DocumentedCommand
from wireproof.fatal import FatalError
from wireproof.model import RECORDS_MODULE, Cell
from wireproof.output import document, echo
from wireproof.run import ExitCode
from wireproof.strategies import scenarios
from wireproof.wording import counted

__all__ = ["command"]


@click.command("show", cls=DocumentedCommand, exit_codes={ExitCode.PROVEN: "The cell is shown."})
@click.argument("cell")
@click.option("--source", is_flag=True, help="Print only the Python source of the compiled codec.")
def command(cell: str, source: bool) -> int:
    """Show CELL, such as 4.4.0/FetchRequest/12, or FetchRequest/12 of the newest release.

    The report has the layout with the number of boundary cases of each field, and the default instance as an
    annotated hexdump. For RecordBatch/0 to RecordBatch/2 it has the named record sets and a sample. The
    command does not need jars, Java or a network.
    """
    found, layouts = find_cell(cell)
    layout = layouts.of(found)
    if found.module == RECORDS_MODULE:
        lines = _record_set(found, layout, source)
    elif source:
        document(compile_layout(layout).source + "\n")
        return 0
    else:
        lines = (*_head(found.id, layout), "", *_fields(layout), "", *_default(layout))
    for line in lines:
        echo(line)
    return 0


def _record_set(cell: Cell, layout: MessageLayout, source: bool) -> Iterable[str]:
    if source:
        raise FatalError(
            f"{cell} has no compiled codec",
            "kafkawire.records reads record sets.",
            ExitCode.USAGE,
        )
    from wireproof.cli.cells.show_records import record_cases_lines, sample_lines

    head = (f"{cell}  record sets whose highest magic is {cell.version}", "")
    fields = _struct(layout.root, "", 1, None)
    return (*head, *fields, "", *record_cases_lines(cell), "", *sample_lines(layout))


def _head(cell_id: str, layout: MessageLayout) -> Iterator[str]:
    yield f"{cell_id}  {layout.kind}" + ("" if layout.api_key is None else f", api key {layout.api_key}")
    yield f"valid versions {layout.versions}, {'flexible' if layout.flexible else 'not flexible'}"
    if layout.header_version is not None:
        yield f"sent with version {layout.header_version} of the {layout.kind} header"


def _fields(layout: MessageLayout) -> Iterator[str]:
    counts = Counter(scenario.path for scenario in scenarios(layout))
    yield f"{sum(counts.values())} boundary cases, {counts['']} of them for the message as a whole"
    yield from _struct(layout.root, "", 1, counts)


def _struct(struct: StructLayout, prefix: str, depth: int, counts: Counter[str] | None) -> Iterator[str]:
    """The fields of a struct. `counts` adds the number of boundary cases of each field."""
    indent = "  " * depth
    for field in struct.all_fields:
        path = prefix + field.name
        cases = "" if counts is None else f"  [{counted(counts[path], 'case')}]"
        yield f"{indent}{field.name}: {field_words(field)}{cases}"
        if field.struct is not None:
            yield from _struct(field.struct, f"{path}{'[].' if field.is_array else '.'}", depth + 1, counts)
    if struct.flexible and counts is not None:
        yield f"{indent}_tags: unknown tagged fields  [{counts[f'{prefix}_tags']} cases]"


def _default(layout: MessageLayout) -> Iterator[str]:
    codec = compile_layout(layout)
    data = codec.encode({})
    yield f"the default instance, {counted(len(data), 'byte')}:"
    for offset, text, meaning in hexdump(annotate(layout, data), data):
        yield f"  {offset}  {text:38}  {meaning}"
    yield f"  {canonical(layout).to_json({})}"
