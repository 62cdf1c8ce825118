"""The jars of the release table as they really are. Fetches what the cache does not hold."""

import re
import zipfile
from functools import cache
from pathlib import Path

import pytest

from kafkawire.schema import MessageKind, SchemaSet, resolve
from wireproof.kafka.releases.jar_store import JarState, JarStore
from wireproof.kafka.releases.release_schemas import count_differences, load_schemas
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import (
    headers_of,
    load_snapshot,
    snapshot_folder,
    with_headers,
    write_snapshot,
)
from wireproof.model.cell import Cell

RELEASES = [release.version for release in table()]
FRAMED = (MessageKind.REQUEST, MessageKind.RESPONSE)


@cache
def jars(version: str) -> dict[str, Path]:
    return JarStore().release_jars(table().find(version))


@cache
def schemas(version: str) -> SchemaSet:
    return load_schemas(table().find(version), jars(version))


@pytest.mark.parametrize("version", RELEASES)
def test_every_jar_is_the_pinned_one(version: str) -> None:
    """Each jar of a release, support jars and tools included, can be had and has its pinned digest."""
    store = JarStore()
    store.release_jars(table().find(version))
    store.extra_jars(table().find(version))
    store.support_jars()
    store.tool_jar("ecj")
    assert {entry.state for entry in store.status(table().find(version))} == {JarState.READY}


@pytest.mark.parametrize("version", RELEASES)
def test_counts(version: str) -> None:
    """Our reader finds as many messages and cells in each module as the table counts."""
    assert count_differences(table().find(version), schemas(version)) == []
    assert list(schemas(version).modules) == [module.name for module in table().find(version).modules]


@pytest.mark.parametrize(
    ("version", "retired"),
    [
        (
            "4.4.0",
            {
                f"{name}{kind}"
                for name in ("ControlledShutdown", "LeaderAndIsr", "StopReplica", "UpdateMetadata")
                for kind in ("Request", "Response")
            },
        ),
        ("3.9.2", set()),
    ],
)
def test_retired_messages(version: str, retired: set[str]) -> None:
    """The messages of a ZooKeeper cluster are retired in 4.x, and kept as such."""
    assert {spec.name for _, spec in schemas(version) if spec.retired} == retired


@pytest.mark.parametrize("version", RELEASES)
def test_requests_and_responses_pair(version: str) -> None:
    """Each API key has one request and one response, of the same versions and names."""
    found = {(spec.api_key, spec.kind): spec for _, spec in schemas(version) if spec.kind in FRAMED}
    requests = {key: spec for (key, kind), spec in found.items() if kind is MessageKind.REQUEST}
    responses = {key: spec for (key, kind), spec in found.items() if kind is MessageKind.RESPONSE}
    assert set(requests) == set(responses)
    for key, request in requests.items():
        assert responses[key].valid_versions == request.valid_versions
        assert responses[key].name == request.name.removesuffix("Request") + "Response"


@pytest.mark.parametrize("version", RELEASES)
def test_every_cell_resolves(version: str) -> None:
    """Every valid version of every message has a layout."""
    cells = [resolve(spec, number) for _, spec in schemas(version) for number in spec.valid_versions]
    assert len(cells) == table().find(version).cells


@pytest.mark.parametrize("version", RELEASES)
def test_snapshot_is_what_the_jars_say(version: str) -> None:
    """Each cell has the same layout from the snapshot as from the jars, each retired message is in both."""
    snapshot = load_snapshot(table().find(version))
    fresh = with_headers(schemas(version), headers_of(snapshot))
    assert [(module, spec.name) for module, spec in snapshot] == [
        (module, spec.name) for module, spec in fresh
    ]
    for (_, kept), (_, read) in zip(snapshot, fresh, strict=True):
        assert kept.valid_versions == read.valid_versions
        for number in read.valid_versions:
            assert resolve(kept, number) == resolve(read, number)


@pytest.mark.parametrize("version", RELEASES)
def test_snapshot_is_written_the_same(version: str, tmp_path: Path) -> None:
    """Writing the snapshot anew from the jars, with the header versions it has, changes no byte of it."""
    kept = load_snapshot(table().find(version))

    def header_version(cell: Cell) -> int | None:
        return resolve(kept.find(cell.message)[1], cell.version).header_version

    path = write_snapshot(table().find(version), jars(version), header_version, tmp_path)
    assert path.read_bytes() == (snapshot_folder() / path.name).read_bytes()


_COMMENTS = re.compile(r"/\*.*?\*/|^\s*//.*?$", re.DOTALL | re.MULTILINE)
_VALID = re.compile(r'^\s*"validVersions"\s*:\s*"(?:(\d+)(?:-(\d+))?|none)"', re.MULTILINE)


@pytest.mark.parametrize("version", RELEASES)
def test_the_table_counts_what_the_files_say(version: str) -> None:
    """Messages and cells, counted with a pattern over the text of the files, are those of the table."""
    for module in table().find(version).modules:
        with zipfile.ZipFile(jars(version)[module.name]) as jar:
            texts = [jar.read(name).decode() for name in jar.namelist() if name.endswith(".json")]
        found = [_VALID.findall(_COMMENTS.sub("", text)) for text in texts]
        assert [len(ranges) for ranges in found] == [1] * module.messages
        cells = [int(last or first) - int(first) + 1 for ((first, last),) in found if first]
        assert sum(cells) == module.cells
