"""The recorder of a cell counts in the same order in each run."""

from collections.abc import Sequence
from dataclasses import replace

from wireproof.model import Cell, Divergence, FramePart, ObservedDeviation
from wireproof.run.core.cell_recorder import CellRecorder

FIELDS = tuple("fedcba")


class OneEntry:
    """A ledger that explains every divergence by its entry `wild`."""

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        return tuple(replace(each, entry="wild") for each in divergences)


def test_places_of_known_deviations_have_an_order() -> None:
    """The event of a cell is equal in each run: sorted by entry, part and field, with the number of cases."""
    events: list[object] = []
    recorder = CellRecorder(Cell("4.4.0", "clients", "FetchRequest", 12), repr, events.append, OneEntry())
    case = tuple(
        Divergence("value", f"codec {name}", "differs", path=f"topics[{at}].{name}")
        for at, name in enumerate(FIELDS)
    )
    assert recorder.excused(case) == ()
    assert recorder.excused(case[2:4]) == ()

    counts = {"d": 2, "c": 2}
    assert recorder.done(0.0).known_at == tuple(
        ObservedDeviation("wild", FramePart.MESSAGE, f"topics[].{name}", counts.get(name, 1))
        for name in sorted(FIELDS)
    )
    assert recorder.done(0.0).known == {"wild": 2}
    assert events == []
