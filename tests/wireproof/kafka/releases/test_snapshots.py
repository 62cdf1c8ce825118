"""Schema snapshots are made from jars and an oracle, and are read without both."""

from pathlib import Path

import pytest

from kafkawire.schema import SchemaSet, VersionRange, resolve
from tests.wireproof.kafka.releases.small_releases import module_of, zip_of
from wireproof.kafka.releases.release_schemas import load_schemas
from wireproof.kafka.releases.release_table import Module, Release, ReleaseError, table
from wireproof.kafka.releases.snapshots import load_snapshot, with_headers, write_snapshot
from wireproof.model.cell import Cell

PING = """
{ "apiKey": 7, "type": "request", "listeners": ["broker"], "name": "PingRequest",
  "validVersions": "1-3", "flexibleVersions": "3+", "fields": [
    { "name": "Text", "type": "string", "versions": "1+", "nullableVersions": "1+", "default": "null" },
    { "name": "Rest", "type": "[]Item", "versions": "0+", "fields": [
      { "name": "Weight", "type": "float64", "versions": "2+", "default": "-0.5", "ignorable": true } ] }
  ] }
"""
GONE = '{"name": "Gone", "type": "data", "validVersions": "none", "fields": []}'
JAR = zip_of([("common/message/PingRequest.json", PING), ("common/message/Gone.json", GONE)])


def release_of(messages: int) -> Release:
    clients: Module = module_of("clients", JAR, messages=messages, cells=3)
    return Release("9.1.0", (clients,), ())


RELEASE = release_of(2)


def header_version(cell: Cell) -> int | None:
    return 2 if cell.version == 3 else 1


@pytest.fixture
def jars(tmp_path: Path) -> dict[str, Path]:
    (tmp_path / "clients.jar").write_bytes(JAR)
    return {"clients": tmp_path / "clients.jar"}


def cells(schemas: SchemaSet) -> list[object]:
    return [(module, resolve(spec, version)) for module, spec in schemas for version in spec.valid_versions]


def test_a_snapshot_is_read_as_it_was_written(jars: dict[str, Path], tmp_path: Path) -> None:
    """A snapshot has the schemas of the jar with the header versions of the oracle, retired ones too."""
    path = write_snapshot(RELEASE, jars, header_version, tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "9.1.0.json"
    found = load_snapshot(RELEASE, path.parent)
    headers = {"PingRequest": ((VersionRange(1, 2), 1), (VersionRange(3, 3), 2))}
    assert cells(found) == cells(with_headers(load_schemas(RELEASE, jars), headers))
    assert found.find("PingRequest")[1].header_versions == headers["PingRequest"]
    assert found.find("Gone")[1].retired
    assert list(path.parent.iterdir()) == [path]


def test_a_snapshot_has_the_same_text_each_time(jars: dict[str, Path], tmp_path: Path) -> None:
    """Writing a snapshot again changes no byte of it."""
    first = write_snapshot(RELEASE, jars, header_version, tmp_path).read_bytes()
    assert write_snapshot(RELEASE, jars, header_version, tmp_path).read_bytes() == first


def test_a_snapshot_needs_all_modules(tmp_path: Path) -> None:
    """A snapshot of part of a release is never written."""
    with pytest.raises(ReleaseError, match=r"9\.1\.0/clients: 0 messages, the release table counts 2"):
        write_snapshot(RELEASE, {}, header_version, tmp_path)


def test_a_snapshot_needs_the_right_counts(jars: dict[str, Path], tmp_path: Path) -> None:
    """A snapshot with other counts than the release table is not written either."""
    with pytest.raises(ReleaseError, match=r"9\.1\.0/clients: 2 messages, the release table counts 3"):
        write_snapshot(release_of(3), jars, header_version, tmp_path)
    assert not (tmp_path / "9.1.0.json").exists()


def test_a_folder_that_is_not_writable_is_an_error(jars: dict[str, Path], tmp_path: Path) -> None:
    """A folder that is not writable is an error that names the file."""
    with pytest.raises(ReleaseError, match="cannot write"):
        write_snapshot(RELEASE, jars, header_version, jars["clients"] / "folder")


def test_a_missing_snapshot_is_an_error(tmp_path: Path) -> None:
    """The error names the release and the command that makes the snapshot."""
    with pytest.raises(ReleaseError, match=r"no schema snapshot of 9\.1\.0") as caught:
        load_snapshot(RELEASE, tmp_path)
    assert "--write-snapshot" in caught.value.advice


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "7", '{"release": "9.1.0", "modules": 3}', "\udcff"])
def test_a_damaged_snapshot_is_an_error(tmp_path: Path, text: str) -> None:
    """A file that is not a snapshot is an error that names it, whatever its content is."""
    (tmp_path / "9.1.0.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ReleaseError, match="is not a schema snapshot"):
        load_snapshot(RELEASE, tmp_path)


def test_a_snapshot_of_another_release_is_an_error(jars: dict[str, Path], tmp_path: Path) -> None:
    """A file under the wrong name is refused."""
    write_snapshot(RELEASE, jars, header_version, tmp_path).rename(tmp_path / "9.2.0.json")
    with pytest.raises(ReleaseError, match=r"is a snapshot of 9\.1\.0, not of 9\.2\.0"):
        load_snapshot(Release("9.2.0", (), ()), tmp_path)


def test_an_old_snapshot_is_an_error(jars: dict[str, Path], tmp_path: Path) -> None:
    """A snapshot with fewer messages than the release table is refused."""
    write_snapshot(RELEASE, jars, header_version, tmp_path)
    with pytest.raises(ReleaseError, match=r"is out of date: 9\.1\.0/clients: 2 messages"):
        load_snapshot(release_of(3), tmp_path)


def test_an_unknown_module_is_an_error(jars: dict[str, Path], tmp_path: Path) -> None:
    """A snapshot with a module that the release does not offer is refused, not cut."""
    write_snapshot(RELEASE, jars, header_version, tmp_path)
    with pytest.raises(ReleaseError, match="there is no module 'clients'"):
        load_snapshot(Release("9.1.0", (), ()), tmp_path)


@pytest.mark.parametrize("version", [release.version for release in table()])
def test_every_release_has_a_snapshot(version: str) -> None:
    """The project has a snapshot of each release of its table, with the right numbers of messages and
    cells."""
    release = table().find(version)
    schemas = load_snapshot(release)
    assert [
        (name, len(messages), sum(len(spec.valid_versions) for spec in messages.values()))
        for name, messages in schemas.modules.items()
    ] == [(module.name, module.messages, module.cells) for module in release.modules]


def test_headers_are_known() -> None:
    """Flexible requests of 4.4.0 take header 2, and the response of ApiVersions always takes 0."""
    schemas = load_snapshot(table().find("4.4.0"))

    def header(name: str, version: int) -> int | None:
        return resolve(schemas.find(name)[1], version).header_version

    assert [header("FetchRequest", version) for version in (4, 11, 12)] == [1, 1, 2]
    assert [header("FetchResponse", version) for version in (4, 11, 12)] == [0, 0, 1]
    assert [header("ApiVersionsResponse", version) for version in (0, 3, 4)] == [0, 0, 0]
    assert [header("SaslHandshakeRequest", version) for version in (0, 1)] == [1, 1]
    assert header("VotersRecord", 0) is None
