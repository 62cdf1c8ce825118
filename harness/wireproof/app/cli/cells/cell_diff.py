"""The text of ``wireproof cells --diff``."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from kafkawire.schema import LayoutChange, VersionRange
from wireproof.base.text.output import echo
from wireproof.base.text.wording import counted
from wireproof.kafka.releases import ChangedCell, ReleaseDiff
from wireproof.model import Cell
from wireproof.proof.run import Selection, select

__all__ = ["print_diff"]


def print_diff(diff: ReleaseDiff, selection: Selection, form: str) -> bool:
    """Print the differences in the selected cells; true if there is one.

    Args:
        form: ``text``, or ``tsv``: came, went, finding, changed or unstable; module, message, version; and
            for each change of a layout its path, what, before, after and effect.
    """
    chosen = set(select([each.cell for each in diff.changed], selection))
    changed = [each for each in diff.changed if each.cell in chosen]
    came, went = select(diff.came, selection), select(diff.went, selection)
    if form == "tsv":
        _print_tsv(came, went, changed)
    else:
        _print_text(diff, came, went, changed)
    return bool(came or went or changed)


def _word(each: ChangedCell) -> str:
    if not each.stable:
        return "unstable"
    return "finding" if each.on_the_wire else "changed"


def _print_tsv(came: Sequence[Cell], went: Sequence[Cell], changed: Sequence[ChangedCell]) -> None:
    for word, cells in (("came", came), ("went", went)):
        for cell in cells:
            echo(f"{word}\t{cell.module}\t{cell.message}\t{cell.version}")
    for each in changed:
        for change in each.changes:
            cell = each.cell
            row = (change.path, change.what, change.before, change.after, change.effect)
            echo("\t".join((_word(each), cell.module, cell.message, str(cell.version), *row)))


_HEADINGS = {
    "finding": "Changed on the wire though released as stable",
    "changed": "Names or defaults changed, the bytes did not",
    "unstable": "Changed while unstable",
}


def _print_text(
    diff: ReleaseDiff, came: Sequence[Cell], went: Sequence[Cell], changed: Sequence[ChangedCell]
) -> None:
    for title, cells in (("Came", came), ("Went", went)):
        _print_list(f"{title}: {counted(len(cells), 'cell')}", _spans((cell, ()) for cell in cells))
    moved = [f"{each.message:44} {each.before} -> {each.after}" for each in diff.moved]
    _print_list(f"Moved to another module: {counted(len(moved), 'message')}", moved)
    for word, title in _HEADINGS.items():
        chosen = [each for each in changed if _word(each) == word]
        _print_list(
            f"{title}: {counted(len(chosen), 'cell')}", _spans((each.cell, each.changes) for each in chosen)
        )
    findings = sum(_word(each) == "finding" for each in changed)
    echo(
        f"{counted(len(came), 'cell')} came, {len(went)} went, {len(changed)} changed, "
        f"{diff.alike} are alike; {counted(findings, 'finding')}",
        err=True,
    )


def _print_list(title: str, lines: Iterable[str]) -> None:
    listed = list(lines)
    if listed:
        echo(title)
        for line in listed:
            echo(f"  {line}")


def _spans(cells: Iterable[tuple[Cell, tuple[LayoutChange, ...]]]) -> Iterator[str]:
    """A line for each run of versions with the same changes, and one for each change."""
    for _, group in groupby(enumerate(cells), _alike):
        members = [each for _, each in group]
        first, changes = members[0]
        span = VersionRange(first.version, members[-1][0].version)
        yield f"{first.module:24} {first.message:44} {span}"
        for change in changes:
            tagged = "  (an unknown tag to the other side)" if change.effect == "tagged" else ""
            yield f"    {change}{tagged}"


def _alike(numbered: tuple[int, tuple[Cell, tuple[LayoutChange, ...]]]) -> object:
    """A key that is equal for consecutive versions of a message with the same changes."""
    index, (cell, changes) = numbered
    return cell.module, cell.message, cell.version - index, changes
