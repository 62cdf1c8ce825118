"""The tables of the byte decoder hold the layouts of all releases, in little room."""

import json
from typing import Any

from kafkawire.schema import resolve
from kafkawire.schema.layout import FieldLayout, StructLayout
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.kafka.releases.release_table import table
from wireproof.verdict.report.decoder.decoder_page import layout_tables, script_data

ARRAY, NULLABLE, COMPACT = 1, 2, 4


def field_problems(tables: dict[str, Any], index: int, layout: FieldLayout) -> list[str]:
    """The differences between a row of the table and a field."""
    name, type_, flags, *rest = tables["fields"][index]
    struct, tag = [*rest, None, None][:2]
    scalar = "struct" if layout.scalar is None else layout.scalar.value
    expected = {
        "name": layout.name,
        "type": layout.encoding or scalar,
        "flags": ARRAY * layout.is_array + NULLABLE * layout.nullable + COMPACT * layout.compact,
        "tag": layout.tag,
        "struct": layout.struct is not None,
    }
    found = {
        "name": tables["names"][name],
        "type": tables["types"][type_],
        "flags": flags,
        "tag": tag,
        "struct": struct is not None and struct >= 0,
    }
    return [f"{layout.name}: {expected} and {found}"] if expected != found else []


def problems(tables: dict[str, Any], index: int, layout: StructLayout, seen: set[Any]) -> list[str]:
    """The differences between a row of the table, with all that it names, and a struct."""
    if (index, layout) in seen:
        return []
    seen.add((index, layout))
    flexible, fields, *tagged = tables["structs"][index]
    rows = [*fields, *(tagged[0] if tagged else [])]
    if flexible != layout.flexible or len(rows) != len(layout.all_fields):
        return [f"{layout.name}: {len(rows)} fields"]
    found = []
    for row, field in zip(rows, layout.all_fields, strict=True):
        found += field_problems(tables, row, field)
        if field.struct is not None and not found:
            found += problems(tables, tables["fields"][row][3], field.struct, seen)
    return found


def test_every_cell_of_every_release_has_its_layout() -> None:
    """Names, types, flags, tags and structs of all fields, and the header versions."""
    schemas = snapshots(table().releases)
    tables = json.loads(script_data(layout_tables(schemas)))
    assert list(tables["releases"]) == [release.version for release in table().releases]
    cells, found, seen = 0, [], set[Any]()
    for release, known in schemas.items():
        rows = {
            tables["messages"][index][0]: tables["messages"][index] for index in tables["releases"][release]
        }
        assert rows.keys() == {spec.name for _, spec in known if not spec.retired}
        for module, spec in known:
            for place, version in enumerate(spec.valid_versions):
                layout = resolve(spec, version)
                name, kind, home, key, first, roots, headers = rows[spec.name]
                assert (kind, home, key, first + place) == (spec.kind.value, module, spec.api_key, version)
                assert headers[place] == layout.header_version
                found += [
                    f"{name} {version} of {release}: {each}"
                    for each in problems(tables, roots[place], layout.root, seen)
                ]
                cells += 1
    assert cells > 10_000
    assert found == []


def test_equal_layouts_are_written_once() -> None:
    """All releases take little more room than one, so the page needs no server to send parts."""
    schemas = snapshots(table().releases)
    newest = table().releases[0].version
    one = len(script_data(layout_tables({newest: schemas[newest]})))
    assert len(script_data(layout_tables(schemas))) < 3 * one < 200_000


def test_data_cannot_end_its_script() -> None:
    """JSON in a page has no `<`, and is the same value."""
    value = {"name": "</script><!-- <b>"}
    assert "<" not in script_data(value)
    assert json.loads(script_data(value)) == value
