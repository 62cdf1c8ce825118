"""The text of ``wireproof cells --uncovered``."""

from collections import Counter
from collections.abc import Iterable, Mapping

import click

from kafkawire.schema.model import SchemaSet
from wireproof.model import RECORDS_MODULE, Cell
from wireproof.run import Layouts, UncoveredClasses, over_releases

__all__ = ["print_uncovered"]


def print_uncovered(cells: Iterable[Cell], schemas: Mapping[str, SchemaSet]) -> int:
    """Print the classes of values that no case of a cell meets; how many of them have no reason.

    A line each: release, module, message, version, path, class, and the reason that the layout shows.
    """
    from wireproof.strategies.source import LayoutSource

    seeker = UncoveredClasses(Layouts(schemas), LayoutSource(lambda cell: ""))
    reasons: Counter[bool] = Counter()
    # Cells of equal layouts one after the other.
    messages = [cell for cell in cells if cell.module != RECORDS_MODULE]
    for cell in (each for group in over_releases(messages) for each in group):
        for found in seeker.of(cell):
            place = f"{cell.release}\t{cell.module}\t{cell.message}\t{cell.version}"
            reason = found.reason or "NO REASON: a case is missing"
            click.echo(f"{place}\t{found.point.path}\t{found.point.name}\t{reason}")
            reasons[bool(found.reason)] += 1
    click.echo(
        f"{len(messages)} cells; {reasons[True]} classes that no value meets, each with its reason; "
        f"{reasons[False]} without a reason",
        err=True,
    )
    return reasons[False]
