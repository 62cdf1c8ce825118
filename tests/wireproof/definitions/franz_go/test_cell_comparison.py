"""Layouts of two languages side by side: pairs of fields, differences, and the table that explains them."""

from dataclasses import replace

import pytest

from kafkawire.schema import SchemaSet, VersionRange, read_message, resolve
from wireproof.definitions.franz_go.cell_comparison import compare_definitions
from wireproof.definitions.franz_go.disagreement_table import DisagreementRow, check_table, disagreement_table
from wireproof.definitions.franz_go.layout_alignment import Aspect, LayoutDifference, layout_differences
from wireproof.definitions.krammar.conversion.to_schema import described_message
from wireproof.definitions.krammar.definition_model import KrammarDefinitions
from wireproof.definitions.krammar.parsing.definition_reader import read_definitions

KAFKA = """
{ "apiKey": 7, "type": "request", "name": "ProbeRequest", "validVersions": "1-4", "flexibleVersions": "2+",
  "fields": [
  { "name": "Name", "type": "string", "versions": "0+" },
  { "name": "TimeoutMs", "type": "int32", "versions": "0+", "default": "-1" },
  { "name": "Blob", "type": "records", "versions": "0+", "nullableVersions": "0+" },
  { "name": "Boxes", "type": "[]Box", "versions": "1+", "fields": [
    { "name": "Index", "type": "int32", "versions": "1+" },
    { "name": "Weight", "type": "int64", "versions": "3+" } ]},
  { "name": "Extra", "type": "int8", "versions": "2+", "taggedVersions": "2+", "tag": 0, "default": "5" }
]}
"""
RESPONSE = """
{ "apiKey": 7, "type": "response", "name": "ProbeResponse", "validVersions": "1-4", "flexibleVersions": "2+",
  "fields": [] }
"""
SAME = """\
ProbeRequest => key 7, max version 4, flexible v2+
  Title: string
  TimeoutMillis: int32(-1)
  Blob: nullable-bytes
  Boxes: [=>]
    Index: int32
    Weight: int64 // v3+
  Other: int8(5) // tag 0

ProbeResponse =>
"""


def definitions_of(text: str) -> KrammarDefinitions:
    definitions, problems = read_definitions({"probe": text})
    assert definitions is not None, problems
    return definitions


def kafka(release: str = "9.0.0", text: str = KAFKA) -> SchemaSet:
    specs = [read_message(each, "Probe.json")[0] for each in (text, RESPONSE)]
    return SchemaSet(release, {"clients": {each.name: each for each in specs if each is not None}})


def differences(old: str, new: str, version: int = 3) -> list[LayoutDifference]:
    """The differences of one version where a part of krammar's text is replaced."""
    assert old in SAME
    definitions = definitions_of(SAME.replace(old, new))
    spec, notes = described_message(definitions.structs[0], definitions)
    assert spec is not None, notes
    _, other = kafka().find("ProbeRequest")
    return layout_differences(resolve(spec, version).root, resolve(other, version).root)


def test_other_names_and_records_make_no_difference() -> None:
    """Bytes and defaults are the same."""
    assert differences("Title", "Title") == []
    comparison = compare_definitions(definitions_of(SAME), [kafka()])
    assert len(comparison.compared) == comparison.equal == comparison.equal_bytes == 8
    assert comparison.krammar_only == ("ProbeRequest/0", "ProbeResponse/0")
    assert comparison.kafka_only == comparison.without_counterpart == ()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  Title: string\n", "", ("name", Aspect.FIELD, "absent", "string")),
        ("  Title: string\n", "  Title: string\n  More: uuid\n", ("more", Aspect.FIELD, "uuid", "absent")),
        ("    Index: int32\n", "", ("boxes[].index", Aspect.FIELD, "absent", "int32")),
        (
            "TimeoutMillis: int32(-1)",
            "TimeoutMillis: int64(-1)",
            ("timeoutMs", Aspect.TYPE, "int64", "int32"),
        ),
        ("Blob: nullable-bytes", "Blob: bytes", ("blob", Aspect.NULLABLE, "no", "yes")),
        ("TimeoutMillis: int32(-1)", "TimeoutMillis: int32", ("timeoutMs", Aspect.DEFAULT, "0", "-1")),
        ("Boxes: [=>]", "Boxes: =>", ("boxes", Aspect.TYPE, "struct", "[]struct")),
        ("Other: int8(5)", "Other: int8", ("extra", Aspect.TAGGED_DEFAULT, "0", "5")),
        ("  Other: int8(5) // tag 0\n", "", ("extra", Aspect.FIELD, "absent", "int8 tag 0")),
        ("Weight: int64 // v3+", "Weight: int64 // v4+", ("boxes[].weight", Aspect.FIELD, "absent", "int64")),
    ],
)
def test_a_difference_is_found_at_its_field(
    old: str, new: str, expected: tuple[str, Aspect, str, str]
) -> None:
    """One change of the text is a difference at one field."""
    found = differences(old, new)
    assert LayoutDifference(*expected) in found
    assert {each.path for each in found} == {expected[0]}


def test_fields_at_other_places_are_a_difference_of_order() -> None:
    """And none of presence, where both sides have one name for them."""
    moved = "  TimeoutMillis: int32(-1)\n  Blob: nullable-bytes\n"
    found = differences(moved, "  Blob: nullable-bytes\n  TimeoutMillis: int32(-1)\n")
    assert found == [LayoutDifference("blob", Aspect.ORDER, "after title", "after timeoutMs")]


def test_other_flexible_versions_differ_in_the_structs_and_the_lengths() -> None:
    """Each struct has a tag section or none, each length is a varint or none."""
    found = differences("flexible v2+", "flexible v4+")
    assert {(each.path, each.aspect) for each in found} == {
        ("", Aspect.FLEXIBLE),
        ("boxes[]", Aspect.FLEXIBLE),
        *((path, Aspect.COMPACT) for path in ("name", "blob", "boxes")),
        ("extra", Aspect.FIELD),
    }


def test_a_version_is_compared_with_the_newest_release_that_has_it() -> None:
    """An older release has versions that are gone since."""
    older = kafka("8.0.0", KAFKA.replace('"1-4"', '"0-2"').replace('"default": "-1"', '"default": "7"'))
    comparison = compare_definitions(definitions_of(SAME), [kafka(), older])
    found = {(each.release, each.versions, each.difference.aspect) for each in comparison.disagreements}
    # The struct of version 0 has no fields in Kafka's definition; krammar's has no lower bound.
    assert found == {("8.0.0", (0,), Aspect.DEFAULT), ("8.0.0", (0,), Aspect.FIELD)}
    assert ("ProbeRequest", 0) in comparison.compared
    assert comparison.krammar_only == ("ProbeResponse/0",)


ROW = DisagreementRow(
    "ProbeRequest", VersionRange(1, 4), "timeoutMs", Aspect.DEFAULT, "0", "-1", "neither", "Chosen."
)


def test_the_table_explains_a_disagreement_or_reports_it() -> None:
    """A row is about one field, one aspect, two values and all versions that differ."""
    text = SAME.replace("TimeoutMillis: int32(-1)", "TimeoutMillis: int32")
    comparison = compare_definitions(definitions_of(text), [kafka()])
    check = check_table(comparison, (ROW,))
    assert [row for _, row in check.explained] == [ROW]
    assert not check.unexplained
    assert not check.gone
    for other in (
        replace(ROW, versions=VersionRange(1, 3)),
        replace(ROW, field="name"),
        replace(ROW, krammar="1"),
        replace(ROW, kafka="0"),
        replace(ROW, message="OtherRequest"),
        replace(ROW, aspect=Aspect.TYPE),
    ):
        check = check_table(comparison, (other,))
        assert len(check.unexplained) == 1
        assert not check.explained
    assert check_table(compare_definitions(definitions_of(SAME), [kafka()]), (ROW,)).gone == (ROW,)


def test_a_row_about_versions_that_were_not_compared_is_not_gone() -> None:
    """A comparison with some releases only does not have them."""
    comparison = compare_definitions(definitions_of(SAME), [kafka()])
    assert check_table(comparison, (replace(ROW, message="OtherRequest"),)).gone == ()


def test_null_for_what_is_left_out_is_a_rule_of_the_languages() -> None:
    """A nullable field without a default."""
    text = KAFKA.replace(
        '"name": "Name", "type": "string", "versions": "0+"',
        '"name": "Name", "type": "string", "versions": "0+", "nullableVersions": "0+"',
    )
    definitions = definitions_of(SAME.replace("Title: string", "Title: nullable-string"))
    check = check_table(compare_definitions(definitions, [kafka(text=text)]), ())
    assert check.by_rule == {"nullable-default": 1}
    assert not check.unexplained


def test_each_row_of_the_table_has_a_verdict_and_a_reason() -> None:
    """No two rows are about one field and version."""
    rows = disagreement_table()
    assert len({(row.message, row.field, row.aspect) for row in rows}) == len(rows)
    for row in rows:
        assert row.wrong in ("krammar", "kafka", "neither")
        assert (row.wrong == "neither") <= (row.aspect is Aspect.DEFAULT)
        assert row.why.endswith(".")
        assert not row.versions.empty
