"""Every cell: default instances in every release, the rest in two releases (a run covers all)."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from kafkawire.schema import EMPTY, FieldLayout
from tests.support.oracles.kafka_classes import LINES, RELEASES, kafka
from wireproof.model.cell import Cell
from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.model.oracle import FieldProbe, OracleValue
from wireproof.proof.checks.references.layout_shape import judge_schema

each_release = pytest.mark.parametrize("version", RELEASES)


@pytest.mark.parametrize("version", LINES)
def test_default_instances_agree(version: str) -> None:
    """Java reads our default instance of each cell, writes the same bytes and has the same value."""
    release = kafka(version)
    wrong = []
    for cell, layout in release.cells():
        body = interpret_layout(layout).encode({})
        value = canonical(layout).to_binary({})
        expected = OracleValue(body, len(body), len(body), value)
        if release.oracle.reread(cell, layout, [body]) != [expected]:
            wrong.append(f"{cell} read")
        if release.oracle.write(cell, layout, [value]) != [expected]:
            wrong.append(f"{cell} written")
    assert wrong == []


@cache
def probes_of(version: str) -> Mapping[Cell, Sequence[FieldProbe]]:
    """Return the probes of each cell of a release."""
    release = kafka(version)
    return {cell: release.oracle.probe(cell, layout) for cell, layout in release.cells()}


@each_release
def test_probes_find_the_layout(version: str) -> None:
    """The fields that a class writes at a version, and those that may be null, are those of the layout."""
    release = kafka(version)
    wrong: dict[str, Any] = {}
    for cell, layout in release.cells():
        probes = probes_of(version)[cell]
        fields = {path: field for path, _, field in layout.walk()}
        written = {probe.path for probe in probes if probe.other == "written"}
        nullable = {probe.path for probe in probes if probe.null == "accepted" and probe.path in fields}
        off = (written ^ fields.keys()) | (nullable ^ {path for path in fields if fields[path].nullable})
        if off:
            wrong[cell.id] = sorted(off)
    assert wrong == {}


@each_release
def test_probes_find_the_defaults(version: str) -> None:
    """The default that a class has for each field is the layout's."""
    release = kafka(version)
    wrong: dict[str, Any] = {}
    for cell, layout in release.cells():
        defaults = {probe.path: probe.default for probe in probes_of(version)[cell]}
        for path, _, field in layout.walk():
            plain = field.is_array or field.struct is None
            if plain and defaults[path] != _default(field):
                wrong[f"{cell} {path}"] = defaults[path]
    assert wrong == {}


@pytest.mark.parametrize("version", LINES)
def test_every_schema_resolves_as_in_its_class(version: str) -> None:
    """Our layout of each message at each version has the fields of the class's `SCHEMAS`, with their names,
    order, types, nullability and tags."""
    release = kafka(version)
    shown = ReleaseFeature.NULLABILITY_IN_SCHEMAS.is_in(version)
    wrong = {}
    for cell, layout in release.cells():
        found = [*judge_schema(layout, release.oracle.schema(cell), nullability_shown=shown)]
        if found:
            wrong[cell.id] = found
    assert wrong == {}


def _default(field: FieldLayout) -> bytes:
    """Return the canonical binary of a default, by the table of the format."""
    match field.default:
        case None:
            return b"\xff\xff\xff\xff"
        case str() as text:
            return len(text.encode()).to_bytes(4, "big") + text.encode()
        case bytes() as data:
            return len(data).to_bytes(4, "big") + data
        case default if default is EMPTY:
            return bytes(4)
        case bool() as truth:
            return bytes([truth])
        case int() as number:
            width = {"8": 1, "6": 2, "2": 4, "4": 8}[str(field.type)[-1]]
            return (number % (1 << 8 * width)).to_bytes(width, "big")
        case float() as number:
            assert number == 0.0
            return bytes(8)
        case uuid:
            return uuid.bytes


def test_classes_are_let_go() -> None:
    """Memory is that of the latest messages: Java unloads the classes of those asked about before."""
    import jpype  # type: ignore[import-untyped]

    release = kafka(RELEASES[0])
    for cell, layout in release.cells():
        if cell.version == layout.versions.lowest:
            release.oracle.probe(cell, layout)
    jpype.JClass("java.lang.System").gc()
    loading = jpype.JClass("java.lang.management.ManagementFactory").getClassLoadingMXBean()
    assert int(loading.getUnloadedClassCount()) > 1000
