"""Named cases against coverage models of whole releases: each class that no case covers has a true reason."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.records import record_set_spec
from kafkawire.schema import MessageLayout, SchemaSet, from_snapshot
from tests.support.schemas import real_layouts
from wireproof.model.case_source import RecordCase
from wireproof.model.cell import RECORDS_MODULE, Case, Cell
from wireproof.model.coverage import reasons
from wireproof.model.coverage.layout_model import coverage_model
from wireproof.proof.run.core.environment import Layouts, all_cells
from wireproof.proof.run.core.uncovered_classes import UncoveredClass, UncoveredClassFinder
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.layout_source import LayoutSource
from wireproof.proof.strategies.records.record_source import RecordSets

OLDER = ("2.8.2", "3.4.1", "3.9.2")


def snapshot(release: str) -> SchemaSet:
    path = real_layouts.SNAPSHOT.with_name(f"{release}.json")
    return from_snapshot(json.loads(Path(path).read_text(encoding="utf-8")))


def seeker(
    schemas: SchemaSet, source: LayoutSource | None = None, records: RecordSets | None = None
) -> UncoveredClassFinder:
    modules = {**schemas.modules, RECORDS_MODULE: {"RecordBatch": record_set_spec()}}
    layouts = Layouts({schemas.release: SchemaSet(schemas.release, modules)})
    return UncoveredClassFinder(layouts, source or LayoutSource(lambda cell: ""), records or RecordSets())


def fetch(version: int) -> Cell:
    return Cell("4.4.0", "clients", "FetchRequest", version)


def test_every_class_of_the_newest_release() -> None:
    """Each class is covered by a named case, or no value can cover it, as two methods show."""
    schemas = real_layouts.schemas()
    of = seeker(schemas)
    found: list[UncoveredClass] = []
    reachable = 0
    for cell in all_cells(schemas):
        found += of.of(cell)
        reachable += of.reachable(cell)
    assert [each for each in found if not each.sound] == []
    assert reachable > 50_000
    assert Counter(each.reason.split(" ")[0] for each in found).keys() == {"a", "always", "no", "the"}


@pytest.mark.parametrize("release", OLDER)
def test_every_class_of_older_releases(release: str) -> None:
    """The same holds for every seventh cell of other releases, with older generators and retired message
    formats."""
    schemas = snapshot(release)
    of = seeker(schemas)
    cells = list(all_cells(schemas))[:: 7 if release != "2.8.2" else 5]
    assert [each for cell in cells for each in of.of(cell) if not each.sound] == []


@pytest.mark.parametrize("magic", [0, 1, 2])
def test_every_class_of_record_sets(magic: int) -> None:
    """Each compression, flag, control type and varint is covered by a named set."""
    of = seeker(real_layouts.schemas())
    cell = Cell("4.4.0", RECORDS_MODULE, "RecordBatch", magic)
    assert [each for each in of.of(cell) if not each.sound] == []
    assert of.reachable(cell) == {0: 89, 1: 105, 2: 682}[magic]


class IncompleteSource(LayoutSource):
    """A source without the cases whose names end with a suffix."""

    def __init__(self, *ends: str) -> None:
        super().__init__(lambda cell: "")
        self._ends = ends

    def enumerated(self, cell: Cell, layout: MessageLayout) -> Iterator[Case]:
        return (case for case in super().enumerated(cell, layout) if not case.name.endswith(self._ends))


class IncompleteSets(RecordSets):
    def cases(self, cell: Cell) -> Iterator[RecordCase]:
        return (case for case in super().cases(cell) if not case.name.endswith("lz4/control-kraft_voters"))


def test_a_missing_case_is_detected() -> None:
    """The class that only the missing case covered has no reason."""
    of = seeker(real_layouts.schemas(), IncompleteSource("maxBytes/min"))
    (missing,) = (each for each in of.of(fetch(12)) if not each.sound)
    assert (str(missing.point), missing.reason) == ("maxBytes/min", "")


def test_a_missing_record_set_is_detected() -> None:
    """The same holds for sources of record sets."""
    of = seeker(real_layouts.schemas(), records=IncompleteSets())
    (missing,) = (each for each in of.of(Cell("4.4.0", RECORDS_MODULE, "RecordBatch", 2)) if not each.sound)
    assert str(missing.point) == "batches[lz4].control/kraft-voters"


@pytest.mark.parametrize(
    ("name", "reason", "disproof"),
    [
        # A case covers the one, none covers the other: the layout contradicts it.
        ("maxBytes/min", reasons.NoSuchSize(4), "a case meets it"),
        ("topics/count-0", reasons.TooLarge(0, reasons.MESSAGE_BYTES), "a case meets it"),
        ("clusterId/data-127", reasons.NoSuchSize(127), "126 of 1 bytes take 127"),
    ],
)
def test_a_false_reason_is_detected(
    monkeypatch: pytest.MonkeyPatch, name: str, reason: reasons.Reason, disproof: str
) -> None:
    """A class that is wrongly declared unreachable is reported, with the evidence."""
    layout = real_layouts.real("FetchRequest", 12)
    of_layout = coverage_model(layout)
    bit = of_layout.names((1 << len(of_layout.points)) - 1).index(name)
    monkeypatch.setattr(of_layout, "unreachable", {**of_layout.unreachable, bit: reason})
    monkeypatch.setattr(of_layout, "doubtful", of_layout.doubtful | 1 << bit)
    monkeypatch.setattr(of_layout, "reachable", of_layout.reachable & ~(1 << bit))
    source = IncompleteSource("clusterId/data-127", "clusterId/length-126") if "data" in name else None
    found = {str(each.point): each for each in seeker(real_layouts.schemas(), source).of(fetch(12))}
    assert not found[name].sound
    assert found[name].disproof == disproof


def test_a_short_canonical_binary_is_not_a_large_message():
    """A run relies on it, because it calculates the size of longer binaries alone."""
    for layout in real_layouts.all_layouts()[::9]:
        form, codec = canonical(layout), interpret_layout(layout)
        for each in scenarios(layout):
            assert codec.size(each.value) <= 16 * len(form.to_binary(each.value)) + 16
