"""The text of ``wireproof cells --uncovered``."""

from collections.abc import Iterable, Mapping

from kafkawire.schema.model import SchemaSet
from wireproof.base.text.output import echo
from wireproof.base.text.wording import counted
from wireproof.model import Cell
from wireproof.proof.run import Layouts, UncoveredClass, UncoveredClassFinder, over_releases

__all__ = ["print_uncovered"]


def print_uncovered(cells: Iterable[Cell], schemas: Mapping[str, SchemaSet]) -> int:
    """Print the classes of values that no case of a cell meets; the number without a valid reason.

    Each line has release, module, message, version, path, class, and the reason that the layout shows.
    """
    from wireproof.proof.strategies.layout_source import LayoutSource
    from wireproof.proof.strategies.records.record_source import RecordSets

    seeker = UncoveredClassFinder(Layouts(schemas), LayoutSource(lambda cell: ""), RecordSets())
    count = reachable = sound = unsound = 0
    # Cells of equal layouts one after the other.
    for cell in (each for group in over_releases(cells) for each in group):
        count += 1
        reachable += seeker.reachable(cell)
        for found in seeker.of(cell):
            place = f"{cell.release}\t{cell.module}\t{cell.message}\t{cell.version}"
            echo(f"{place}\t{found.point.path}\t{found.point.name}\t{_why(found)}")
            sound += found.sound
            unsound += not found.sound
    echo(
        f"{counted(count, 'cell')}, {counted(reachable, 'class', 'classes')} that values can meet; "
        f"{sound:,} more that no value can meet, each with a valid reason; {unsound:,} without",
        err=True,
    )
    return unsound


def _why(found: UncoveredClass) -> str:
    if not found.reason:
        return "NO REASON: values can meet it, and no case does; add one in strategies/"
    return f"FALSE REASON: {found.reason}, but {found.disproof}" if found.disproof else found.reason
