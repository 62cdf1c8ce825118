"""The recorder of a cell counts in the same order in each run."""

from collections.abc import Sequence
from dataclasses import replace

from kafkawire import layout
from kafkawire.canonical import canonical
from wireproof.model.agreement import ObservedDeviation
from wireproof.model.cell import Cell, FramePart, Phase
from wireproof.model.divergence import Divergence
from wireproof.proof.run.core.cell_events import DeviantCase
from wireproof.proof.run.core.cell_recorder import CellRecorder

FIELDS = tuple("fedcba")


class OneEntry:
    """A ledger that explains every divergence by its entry `wild`."""

    expected_ends = ()
    known_causes = ()
    cases = ()

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
    assert recorder.excused(Phase.ENUMERATED, "one", case) == ()
    assert recorder.excused(Phase.ENUMERATED, "two", case[2:4]) == ()

    counts = {"d": 2, "c": 2}
    assert recorder.done(0.0).known_at == tuple(
        ObservedDeviation("wild", FramePart.MESSAGE, f"topics[].{name}", counts.get(name, 1))
        for name in sorted(FIELDS)
    )
    assert recorder.done(0.0).known == {"wild": 2}
    assert events == []


CELL = Cell("4.4.0", "clients", "FetchRequest", 12)


def compared(*cases: tuple[str, tuple[Divergence, ...]]) -> list[DeviantCase]:
    """The events of a comparison in which one of the codecs is Kafka 4.4.0's own."""
    events: list[object] = []
    to_json = canonical(layout("ApiVersionsRequest", 3)).to_json
    recorder = CellRecorder(CELL, to_json, events.append, Half(), {"kafka": "4.4.0"}, compares=True)
    for name, found in cases:
        recorder.excused(Phase.ENUMERATED, name, found, {"clientSoftwareName": "a"}, b"\x01")
    return [each for each in events if isinstance(each, DeviantCase)]


class Half:
    """A ledger that explains the divergences of one codec."""

    expected_ends = ()
    known_causes = ()
    cases = ()

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        return tuple(
            replace(each, entry="known/e") if each.subject == "known" else each for each in divergences
        )


def test_a_comparison_reports_the_first_case_of_each_deviation() -> None:
    """Each codec has its own, with the entry of the ledger or without; a later case adds only what is new."""
    known, new = Divergence("bytes", "known", "differs", "a"), Divergence("bytes", "new", "differs", "a")
    again = replace(new, check="decode", path="topics[3].name")
    found = compared(("one", (known, new)), ("two", (known, new, again)), ("three", (again,)))
    assert [(each.case_id.rpartition("/")[2], *each.divergences) for each in found] == [
        ("one", replace(known, entry="known/e")),
        ("one", new),
        ("two", again),
    ]
    assert {(each.value, each.input) for each in found} == {
        ('{"clientSoftwareName":"a","clientSoftwareVersion":""}', "01")
    }


def test_a_bug_of_kafka_excuses_only_kafkas_own_classes() -> None:
    """Kafka's classes write a tag that the version defines (TAG-DEFINED); another codec has to refuse it."""
    both = tuple(
        Divergence("refusal", subject, "not refused", "_tags", kind="accepted")
        for subject in ("kafka", "new")
    )
    assert [each.divergences[0].subject for each in compared(("one", both))] == ["new"]
