"""Sites of operators, and the evidence that an operator has no effect at a site."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kafkawire.records import RecordSet, record_set_spec
from kafkawire.schema import AbsentField, SchemaSet, resolve
from tests.support.mutants.odd_operators import EFFECTLESS, SAME
from tests.support.schemas.kitchen_sink import layout
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.layout_parts import with_struct
from wireproof.power.mutants.codec_operator import rewritten
from wireproof.power.mutants.generation import (
    MessageCodecs,
    NotApplicableError,
    RecordCodecs,
    make_mutant,
    same_effect,
)
from wireproof.power.mutants.sites import definition_sites, sites, with_field
from wireproof.power.operators import all_operators
from wireproof.power.summary import BugClass

SNAPSHOT = load_snapshot(table().find("newest"))
NEWEST = SchemaSet(SNAPSHOT.release, {**SNAPSHOT.modules, "records": {"RecordBatch": record_set_spec()}})


@pytest.mark.parametrize("name", all_operators())
def test_every_operator_has_a_site(name: str) -> None:
    """Its patches match the source, its site is a cell of the release, and the seed alone chooses it."""
    operator = all_operators()[name]
    mutant = make_mutant(operator, NEWEST, seed=0)

    assert mutant.cells
    assert all(cell.version in NEWEST.find(cell.message)[1].valid_versions for cell in mutant.cells)
    again = make_mutant(operator, NEWEST, seed=0)
    assert (again.place, again.cells, again.made_of) == (mutant.place, mutant.cells, mutant.made_of)


def test_the_page_about_round_trips_counts_the_operators() -> None:
    """Its table has a row for each class in their order, with the number of operators; none has fewer than
    three."""
    text = (Path(__file__).parents[4] / "docs/explanations/round-trip.md").read_text("utf-8")
    rows = re.findall(r"^\| [^|]+ \| (\d+) \| (\d+) \|", text, re.MULTILINE)
    counts = Counter(each.bug_class for each in all_operators().values())
    assert [int(bugs) for bugs, _ in rows] == [counts[each] for each in BugClass]
    assert min(counts.values()) >= 3
    symmetric = sum(int(number) for _, number in rows)
    assert f"{symmetric} of the {len(all_operators())} pass" in text


def test_an_operator_without_effect_has_evidence_for_each_cell() -> None:
    """The error lists every cell, each with the evidence that the operator has no effect."""
    with pytest.raises(NotApplicableError) as error:
        make_mutant(EFFECTLESS, NEWEST, seed=0)

    cells = sum(len(spec.valid_versions) for _, spec in SNAPSHOT)
    assert len(error.value.equivalents) == cells
    assert {site.evidence for site in error.value.equivalents} == {"the generated code stays the same"}


def test_a_mutant_differs_only_at_its_site() -> None:
    """Layouts of other versions and messages are those of the codec itself."""
    mutant = make_mutant(all_operators()["field-missing"], NEWEST, seed=5)
    (cell,) = mutant.cells
    assert isinstance(mutant.codecs, MessageCodecs)

    for _, spec in NEWEST:
        for version in spec.valid_versions:
            there = (spec.name, version) == (cell.message, cell.version)
            own = resolve(spec, version)
            assert (mutant.codecs.believed(own) == own) is not there


def test_an_equivalent_mutant_has_a_site() -> None:
    """No evidence shows that it is equivalent: it has a site in the plan, and it survives."""
    assert make_mutant(SAME, NEWEST, seed=0).cells


class TestEffects:
    """Two layouts are equal for the codec if its code and its completion are equal."""

    def test_traits_without_effect_on_bytes_are_equal(self) -> None:
        """Versions, entity types, map keys and zero copy do not show."""
        one = layout(1)
        root = one.root
        other = replace(
            root,
            fields=tuple(
                replace(field, map_key=True, zero_copy=True, entity_type="x") for field in root.fields
            ),
        )
        assert same_effect(one, replace(one, root=other))

    @pytest.mark.parametrize(
        "changes", [{"nullable": True}, {"default": "x"}, {"compact": False}, {"name": "other"}]
    )
    def test_traits_with_effect_on_bytes_or_values_differ(self, changes: dict) -> None:
        """Each trait of a field shows, and so does the default of a struct's field."""
        one = layout(1)

        def change(struct):
            fields = tuple(
                replace(each, **changes) if each.name == "name" else each for each in struct.fields
            )
            return replace(struct, fields=fields)

        assert not same_effect(one, with_struct(one, "", change))

    def test_ignorable_matters_for_an_absent_field(self) -> None:
        """It decides whether a value is refused; inside an absent array it has no effect."""
        one = layout(1)

        def other(field: AbsentField) -> AbsentField:
            return replace(field, ignorable=not field.ignorable)

        turned = with_struct(one, "", lambda struct: replace(struct, absent=tuple(map(other, struct.absent))))
        assert one.root.absent
        assert not same_effect(one, turned)

    def test_the_header_version_differs(self) -> None:
        """The header comes before the message."""
        assert not same_effect(layout(1), replace(layout(1), header_version=2))


def test_sites_are_the_structs_and_fields() -> None:
    """Each site occurs once, with the path of the layout's own walk."""
    one = layout(2)
    (cell,) = make_mutant(SAME, NEWEST, seed=0).cells
    found = list(sites(cell, one))

    assert [site.path for site in found if site.field is not None] == [path for path, _, _ in one.walk()]
    structs = [site.path for site in found if site.field is None]
    assert structs[0] == ""
    assert "topics[].partitions[].diverging" in structs


def test_a_definition_changes_in_one_field() -> None:
    """The changed field may be in an inline struct, or in one that several fields share."""
    for site in definition_sites(NEWEST):
        if site.field is not None and site.path.count(".") <= 1:
            changed = with_field(site.spec, site.field, replace(site.field, name="Renamed"))
            assert changed != site.spec
            assert with_field(changed, site.field, site.field) == changed


def test_values_are_rewritten_in_every_element() -> None:
    """An element without the field, or with null on the path, stays as it is."""
    value: dict[str, Any] = {"a": [{"b": 1}, {"c": 2}, {"b": 3}], "d": None, "e": {"b": 5}}

    assert rewritten(value, ["a", "b"], lambda held: held + 1)["a"] == [{"b": 2}, {"c": 2}, {"b": 4}]
    assert rewritten(value, ["d", "b"], lambda held: 0) == value
    assert rewritten(value, ["e", "b"], lambda held: 0)["e"] == {"b": 0}
    assert value["a"][0] == {"b": 1}


def test_a_mutant_codec_implements_the_protocol() -> None:
    """The mutant of every operator has all functions of a codec."""
    for operator in all_operators().values():
        mutant = make_mutant(operator, NEWEST, seed=1)
        cell = mutant.cells[0]
        own = resolve(NEWEST.modules[cell.module][cell.message], cell.version)
        if isinstance(mutant.codecs, RecordCodecs):
            data = mutant.codecs.encode(RecordSet(()))
            assert (data, mutant.codecs.size(RecordSet(()))) == (b"", 0)
            continue
        codec = mutant.codecs.make(own)
        assert isinstance(codec.encode({}), bytes), operator.name
        assert isinstance(codec.size({}), int), operator.name
        assert codec.layout.name == own.name
        assert isinstance(codec.source, str)
