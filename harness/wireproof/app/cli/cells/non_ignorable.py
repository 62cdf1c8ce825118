"""The text of ``wireproof cells --non-ignorable``."""

from collections.abc import Iterable, Iterator, Mapping

from kafkawire.schema import Absence, SchemaSet, VersionRange, absences
from wireproof.base.text.output import echo
from wireproof.model import RECORDS_MODULE, Cell
from wireproof.proof.run import Layouts

__all__ = ["print_non_ignorable"]


def print_non_ignorable(cells: Iterable[Cell], schemas: Mapping[str, SchemaSet], form: str) -> int:
    """Print the fields that their cells lack and must not ignore; the number of these fields.

    Args:
        form: ``tsv``: a cell and a field per line: release, module, message, version, path, type, the
            versions that have the field; ``text``: a line for all versions that lack a field.
    """
    rows = list(_rows(cells, Layouts(schemas)))
    if form == "tsv":
        for cell, absence in rows:
            what = f"{absence.path}\t{absence.field.type}\t{absence.field.versions}"
            echo(f"{cell.release}\t{cell.module}\t{cell.message}\t{cell.version}\t{what}")
    else:
        _print_text(rows)
    return len(rows)


def _rows(cells: Iterable[Cell], layouts: Layouts) -> Iterator[tuple[Cell, Absence]]:
    for cell in cells:
        if cell.module == RECORDS_MODULE:
            continue
        for absence in absences(layouts.of(cell)):
            if absence.refused:
                yield cell, absence


def _print_text(rows: Iterable[tuple[Cell, Absence]]) -> None:
    """Print a line per field; two if both lower and higher versions lack it."""
    lines: dict[tuple[str, str, str, str, bool], list[int]] = {}
    for cell, absence in rows:
        below = cell.version < absence.field.versions.lowest
        what = f"{absence.path} ({absence.field.type}, versions {absence.field.versions})"
        lines.setdefault((cell.release, cell.module, cell.message, what, below), []).append(cell.version)
    for (release, module, message, what, _), versions in lines.items():
        echo(f"{release}  {module:24} {message:44} {VersionRange(versions[0], versions[-1])!s:8} {what}")
