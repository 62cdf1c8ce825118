"""Reading schemas from jars: every schema file counts, and every problem is reported."""

from pathlib import Path

import pytest

from kafkawire.schema import MessageKind
from tests.wireproof.kafka.releases.small_releases import module_of, zip_of
from wireproof.kafka.releases.release_schemas import count_differences, load_schemas
from wireproof.kafka.releases.release_table import Module, Release, ReleaseError

PING = '{"name": "Ping", "type": "data", "validVersions": "0-2", "flexibleVersions": "none", "fields": []}'
VOTE = PING.replace("Ping", "Vote")
GONE = '{"name": "Gone", "type": "data", "validVersions": "none", "fields": []}'
HERE = "common/message/"


def release_of(folder: Path, **modules: list[tuple[str, str]]) -> tuple[Release, dict[str, Path]]:
    """Return a release with these modules, and its jars: module name to the entries of its jar."""
    made: list[Module] = []
    jars: dict[str, Path] = {}
    for name, entries in modules.items():
        content = zip_of(entries)
        made.append(module_of(name, content, messages=len(entries), cells=3 * len(entries)))
        jars[name] = folder / made[-1].jar.file_name
        jars[name].write_bytes(content)
    return Release("9.1.0", tuple(made), ()), jars


def test_every_message_is_read(tmp_path: Path) -> None:
    """Messages come by module and name; a retired message is kept, without cells."""
    release, jars = release_of(
        tmp_path,
        clients=[(HERE + "b.json", VOTE), (HERE + "a.json", GONE), ("org/Ping.class", "")],
        raft=[(HERE + "c.json", PING)],
    )
    schemas = load_schemas(release, jars)
    assert schemas.release == "9.1.0"
    assert [(module, spec.name, len(spec.valid_versions)) for module, spec in schemas] == [
        ("clients", "Gone", 0),
        ("clients", "Vote", 3),
        ("raft", "Ping", 3),
    ]
    assert schemas.find("Gone")[1].retired
    assert schemas.find("Ping")[1].kind is MessageKind.DATA
    assert schemas.find("Ping")[1].source == "raft-9.1.0.jar!/common/message/c.json"


def test_only_the_given_modules_are_read(tmp_path: Path) -> None:
    """A run of one module reads only that module's jar."""
    release, jars = release_of(tmp_path, clients=[(HERE + "a.json", PING)], raft=[(HERE + "b.json", VOTE)])
    assert list(load_schemas(release, {"raft": jars["raft"]}).modules) == ["raft"]


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ([("Ping.json", PING)], "clients-9.1.0.jar!/Ping.json: outside common/message/"),
        ([(HERE + "deep/Ping.json", PING)], "deep/Ping.json: outside common/message/"),
        ([("x" + HERE + "Ping.json", PING)], "Ping.json: outside common/message/"),
        ([("Ping.class", "")], "clients-9.1.0.jar: no schema files"),
        ([(HERE + "a.json", PING), (HERE + "b.json", PING)], "module clients has Ping 2 times"),
        ([(HERE + "a.json", PING.replace("data", "table"))], "clients-9.1.0.jar!/common/message/a.json:1:"),
        ([(HERE + "a.json", "")], "a.json:1:"),
    ],
)
def test_a_problem_of_a_schema_file_is_an_error(
    tmp_path: Path, entries: list[tuple[str, str]], problem: str
) -> None:
    """A schema file in a wrong place, a duplicate name and a file without a message are errors."""
    release, jars = release_of(tmp_path, clients=entries)
    with pytest.raises(ReleaseError, match=r"the schemas of 9\.1\.0 have") as caught:
        load_schemas(release, jars)
    assert any(problem in line for line in caught.value.problems)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_doubled_entry_is_an_error(tmp_path: Path) -> None:
    """A jar with two entries of one name is refused, because one of them would be ignored."""
    release, jars = release_of(tmp_path, clients=[(HERE + "a.json", PING), (HERE + "a.json", VOTE)])
    with pytest.raises(ReleaseError, match="there 2 times"):
        load_schemas(release, jars)


def test_a_name_in_two_modules_is_an_error(tmp_path: Path) -> None:
    """Message names are unique over the modules, because a cell's id does not have the module."""
    release, jars = release_of(tmp_path, clients=[(HERE + "a.json", PING)], raft=[(HERE + "a.json", PING)])
    with pytest.raises(ReleaseError, match="module clients has Ping too"):
        load_schemas(release, jars)


def test_a_file_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    """A file that is not text is a problem with a place."""
    release, jars = release_of(tmp_path, clients=[(HERE + "a.json", "@")])
    jars["clients"].write_bytes(zip_of([(HERE + "a.json", b"ab\xff")]))
    with pytest.raises(ReleaseError, match=r"a\.json: is not UTF-8 at byte 2"):
        load_schemas(release, jars)


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    """The error lists the problems of all files and modules."""
    release, jars = release_of(tmp_path, clients=[(HERE + "a.json", "[")], raft=[(HERE + "b.json", "]")])
    with pytest.raises(ReleaseError) as caught:
        load_schemas(release, jars)
    assert {line.partition("!")[0] for line in caught.value.problems} == {
        "clients-9.1.0.jar",
        "raft-9.1.0.jar",
    }


def test_a_file_that_is_not_a_jar_is_an_error(tmp_path: Path) -> None:
    """A file that is not a jar is an error that names it."""
    release, jars = release_of(tmp_path, clients=[(HERE + "a.json", PING)])
    jars["clients"].write_bytes(b"no zip")
    with pytest.raises(ReleaseError, match=r"cannot read .*clients") as caught:
        load_schemas(release, jars)
    assert caught.value.advice


def test_a_wrong_count_is_reported(tmp_path: Path) -> None:
    """A version range that is read one too short differs from the numbers of the release table."""
    release, jars = release_of(tmp_path, clients=[(HERE + "a.json", PING)], raft=[(HERE + "b.json", VOTE)])
    assert count_differences(release, load_schemas(release, jars)) == []
    jars["raft"].write_bytes(zip_of([(HERE + "b.json", VOTE.replace("0-2", "0-1"))]))
    assert count_differences(release, load_schemas(release, jars)) == [
        "9.1.0/raft: 2 cells, the release table counts 3"
    ]
