"""``wireproof show``."""

from collections.abc import Iterable
from pathlib import Path

import click

from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.inputs.cell_lookup import find_cell
from wireproof.app.cli.cells.layout_text import field_lines, head_lines, instance_lines, struct_lines
from wireproof.app.cli.completion import complete_cell
from wireproof.app.cli.exit_code_help import DocumentedCommand
from wireproof.app.cli.options import run_option
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import document, echo
from wireproof.model import RECORDS_MODULE, Cell
from wireproof.proof.config import SchemaSource
from wireproof.proof.run import ExitCode

__all__ = ["command"]


@click.command("show", cls=DocumentedCommand, exit_codes={ExitCode.PROVEN: "The cell is shown."})
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
    from wireproof.app.cli.cells.show_records import record_cases_lines, sample_lines

    head = (f"{cell}  record sets whose highest magic is {cell.version}", "")
    fields = struct_lines(layout.root, "", 1, None)
    return (*head, *fields, "", *record_cases_lines(cell), "", *sample_lines(layout))
