"""`wireproof schema check`: releases, files and versions; what it prints, and how it ends."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from kafkawire.schema import write_message
from wireproof.app.cli.schema.schema_command import command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot

DRAFT: dict[str, Any] = {
    "apiKey": 12,
    "type": "request",
    "name": "HeartbeatRequest",
    "validVersions": "0",
    "flexibleVersions": "none",
    "fields": [{"name": "GroupId", "type": "string", "versions": "0+"}],
}


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["check", *arguments], standalone_mode=False)


def fails(*arguments: str) -> FatalError:
    error = call(*arguments).exception
    assert isinstance(error, FatalError), error
    return error


def write(path: Path, **changes: Any) -> str:
    path.write_text(json.dumps({**DRAFT, **changes}))
    return str(path)


def test_two_releases() -> None:
    """Breaks come first, with the messages that show them; each rule has its source, once."""
    ran = call("3.5", "3.6")
    assert ran.return_value == ExitCode.DIVERGENCE
    head, _, safe = ran.stdout.partition("\nSafe: ")
    assert head.startswith("Breaks readers and writers: 15 changes\n")
    assert "    requester: field: absent -> string  [released-version]\n" in head
    words = "3.6.2 stores topics/count-1 of version 0, 3.5.2 misreads the bytes on disk: "
    assert f"{words}topics[].numPartitions: " in head
    assert "generationIdOrMemberEpoch: name: generationId -> generationIdOrMemberEpoch  [names]" in safe
    assert safe.count("  tagged-field: A flexible version may gain a tagged field") == 1
    assert ran.stderr == (
        "3.5.2 to 3.6.2: 24 changes; breaks readers and writers: 15; "
        "safe only while writers are gated: 4; safe: 5\n"
    )


def test_a_gate_is_named() -> None:
    """A new version of a metadata record breaks no program while metadata.version keeps writers from it."""
    ran = call("--message", "PartitionRecord", "3.6", "3.7")
    assert ran.return_value == ExitCode.PROVEN
    assert "    the version is new, gated by metadata.version  [feature-version]\n" in ran.stdout
    plain = json.loads(call("--json", "--message", "PartitionRecord", "3.6", "3.7").stdout)
    assert {each["gate"] for each in plain["findings"]} == {"", "metadata.version"}


def test_a_release_with_itself() -> None:
    """Nothing differs, and nothing breaks."""
    ran = call("4.4", "4.4.0")
    assert (ran.return_value, ran.stdout) == (ExitCode.PROVEN, "")
    assert ran.stderr == "4.4.0 to 4.4.0: 0 changes\n"


def test_each_field_that_stops_writers_has_its_example(tmp_path: Path) -> None:
    """Breaks of one version share an example; two fields that new programs refuse have one each."""
    late = [{"name": name, "type": "int32", "versions": "1+", "ignorable": True} for name in ("One", "Two")]
    strict = [{**each, "ignorable": False} for each in late]
    options = {"validVersions": "0-1"}
    before = write(tmp_path / "before.json", fields=[*DRAFT["fields"], *late], **options)
    after = write(tmp_path / "after.json", fields=[*DRAFT["fields"], *strict], **options)
    text = call(before, after).stdout
    for name in ("one", "two"):
        assert text.count(f"drops {name} of {name}/off-default of version 0") == 1


def test_modules_that_the_registry_lacks() -> None:
    """Their messages are neither gone nor new: the command says that it does not compare them."""
    messages = "ConnectAssignment, ConnectWorkerState, SubscriptionInfoData"
    for pair in (("4.3", "4.4"), ("4.4", "4.3")):
        ran = call(*pair)
        assert "SubscriptionInfoData" not in ran.stdout
        assert "ConnectAssignment" not in ran.stdout
        assert ran.stderr.endswith(
            f"not compared: {messages}: the registry lacks their modules of a release\n"
        )
    assert "not compared" not in call("4.3", "4.4", "--message", "FetchRequest").stderr


def test_a_release_and_all_its_files(tmp_path: Path) -> None:
    """Definitions of wireproof's own, for data that Kafka has no file for, are not gone."""
    for module, spec in load_snapshot(table().find("newest")):
        folder = tmp_path / module
        folder.mkdir(exist_ok=True)
        (folder / f"{spec.name}.json").write_text(write_message(spec))
    for pair in ((str(tmp_path), "4.4"), ("4.4", str(tmp_path))):
        ran = call(*pair)
        assert (ran.return_value, ran.stdout) == (ExitCode.PROVEN, "")
        assert ran.stderr.endswith(": 0 changes\n")


def test_two_versions_of_a_message() -> None:
    """A change that needs its version says what would happen without one."""
    ran = call("FetchRequest/14", "FetchRequest/15")
    assert ran.return_value == ExitCode.PROVEN
    assert "Safe only with a new version: " in ran.stdout
    assert "in one version, 4.4.0/FetchRequest/14 would misread" in ran.stdout
    old = call("3.9/FetchRequest/3", "FetchRequest/4")
    assert "isolationLevel: field: absent -> int8  [new-version]" in old.stdout


def test_a_file_with_a_release(tmp_path: Path) -> None:
    """Only the file's messages are compared."""
    draft = write(tmp_path / "HeartbeatRequest.json")
    ran = call("--json", "4.4", draft)
    plain = json.loads(ran.stdout)
    assert ran.return_value == ExitCode.DIVERGENCE
    assert {each["message"] for each in plain["findings"]} == {"HeartbeatRequest"}
    broken = next(each for each in plain["findings"] if each["path"] == "generationId")
    assert (broken["impact"], broken["rule"]) == ("breaks readers and writers", "released-version")
    assert bytes.fromhex(broken["newToOld"]["data"]) == b"\0\0"
    assert (plain["before"], plain["after"]) == ("4.4.0", draft)


def test_two_folders(tmp_path: Path) -> None:
    """All their messages are compared; `--message` selects one."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    write(tmp_path / "a" / "HeartbeatRequest.json")
    write(tmp_path / "b" / "HeartbeatRequest.json")
    write(tmp_path / "b" / "Other.json", name="OtherRequest", apiKey=13)
    folders = str(tmp_path / "a"), str(tmp_path / "b")
    assert "the message is new  [new-version]" in call(*folders).stdout
    assert call(*folders, "--message", "HeartbeatRequest").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("9.9", "4.4"), ExitCode.USAGE, "9.9"),
        (("all", "4.4"), ExitCode.USAGE, "all is 16 releases"),
        (("4.4", "none.json"), ExitCode.USAGE, "none.json does not exist"),
        (("FetchRequest/4", "4.4"), ExitCode.USAGE, "one is a version of a message"),
        (("FetchRequest/4", "ProduceRequest/4"), ExitCode.USAGE, "are two messages"),
        (("FetchRequest/4", "FetchRequest/99"), ExitCode.USAGE, "FetchRequest has no version 99"),
        (
            ("4.3", "4.4", "--message", "NoRequest"),
            ExitCode.NOTHING_RAN,
            "no message in common named NoRequest",
        ),
    ],
    ids=["release", "releases", "file", "mixed", "messages", "version", "message"],
)
def test_a_mistake(arguments: tuple[str, ...], code: ExitCode, words: str) -> None:
    """The error names what is wrong."""
    error = fails(*arguments)
    assert (error.exit_code, words in error.message) == (code, True), error.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"{", "Draft.json:1: error: "),
        (b"\xff", "Draft.json:1: error: byte 0 is not UTF-8"),
        (b"[" * 200_000, "Draft.json:1: error: "),
        (json.dumps({**DRAFT, "type": "reqest"}).encode(), "Draft.json:1: error: "),
        (json.dumps({**DRAFT, "colour": "red"}).encode(), "Draft.json:1: error: "),
        (b" " * (17 << 20), "17,825,792 bytes: a message file has at most 16,777,216"),
    ],
    ids=["cut", "not-utf-8", "deep", "kind", "key", "long"],
)
def test_a_wrong_file(text: bytes, words: str, tmp_path: Path) -> None:
    """The error has the file, the line and the rule, as a compiler gives them."""
    path = tmp_path / "Draft.json"
    path.write_bytes(text)
    error = fails("4.4", str(path))
    assert error.exit_code == ExitCode.USAGE
    assert words in error.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (json.dumps(DRAFT).replace("{", '{"apiKey": 9, ', 1), "the key 'apiKey' is given again"),
        (json.dumps({**DRAFT, "validVersions": "4-1"}), "validVersions '4-1' is reversed"),
    ],
    ids=["key-twice", "reversed"],
)
def test_a_doubtful_file(text: str, words: str, tmp_path: Path) -> None:
    """Kafka's generator accepts it, so the check goes on; the warning has the file and the line."""
    path = tmp_path / "Draft.json"
    path.write_text(text)
    ran = call("4.4", str(path))
    assert ran.exception is None
    assert f"{path}:1: warning: {words}" in ran.stderr


def test_ten_thousand_fields(tmp_path: Path) -> None:
    """The check tries a part of the boundary cases of such a schema, and finds the break."""
    fields = [{"name": f"F{number}", "type": "int32", "versions": "0+"} for number in range(10_000)]
    before = write(tmp_path / "before.json", fields=fields)
    after = write(tmp_path / "after.json", fields=[*fields, {"name": "Z", "type": "int8", "versions": "0+"}])
    ran = call(before, after)
    assert ran.return_value == ExitCode.DIVERGENCE
    assert "z: field: absent -> int8  [released-version]" in ran.stdout


def test_two_messages_of_one_name(tmp_path: Path) -> None:
    """The error names both files."""
    first = write(tmp_path / "a.json")
    second = write(tmp_path / "b.json")
    assert fails("4.4", str(tmp_path)).message == (
        f"{second}:1: error: HeartbeatRequest is defined in {first} already: "
        "keep one of the two [message-twice]"
    )


def test_an_empty_folder(tmp_path: Path) -> None:
    """It has no definitions."""
    assert "has no message file" in fails("4.4", str(tmp_path)).message


def test_an_integer_is_widened_or_packed(tmp_path: Path) -> None:
    """KIP-625: a wider type keeps the bytes of old versions; a new encoding of a released version breaks."""
    number = {"name": "Number", "type": "int32", "versions": "0+"}
    before = write(tmp_path / "before.json", fields=[number])
    wide = {**number, "type": "int64", "encoding": "fixed32"}
    widened = write(tmp_path / "wide.json", fields=[wide])
    packed = write(tmp_path / "packed.json", fields=[{**number, "encoding": "packed32"}])
    assert "unknown key 'encoding'" in fails(before, widened).message
    ran = call(before, widened, "--kip-625")
    assert ran.return_value == ExitCode.PROVEN
    assert "number: range: int32 -> int64  [integer-range]" in ran.stdout
    broken = call(before, packed, "--kip-625")
    assert broken.return_value == ExitCode.DIVERGENCE
    assert "number: type: int32 -> packed32  [released-version]" in broken.stdout


def lines_of(folder: Path) -> tuple[str, str]:
    """Two files; the new one has another type in its line 7, and a version that is gone."""
    old = write(folder / "Old.json")
    new = folder / "New.json"
    new.write_text(json.dumps(DRAFT, indent=1).replace('"string"', '"bytes"'))
    (line,) = (n for n, text in enumerate(new.read_text().splitlines(), 1) if "GroupId" in text)
    return old, f"{new}:{line - 1}"  # the object begins a line before


def test_annotations_have_file_and_line(tmp_path: Path) -> None:
    """GitHub shows the break beside the changed field."""
    old, place = lines_of(tmp_path)
    new, _, line = place.rpartition(":")
    ran = call(old, new, "--format", "github")
    assert ran.return_value == ExitCode.DIVERGENCE
    (command_line,) = ran.stdout.splitlines()
    assert command_line.startswith(
        f"::error file={new},line={line},title=wireproof%3A HeartbeatRequest.groupId "
    )
    assert "groupId: type: string -> bytes" in command_line


def test_a_sarif_log_has_the_rule_and_the_place(tmp_path: Path) -> None:
    """Code scanning shows it beside the changed field."""
    old, place = lines_of(tmp_path)
    new, _, line = place.rpartition(":")
    (run,) = json.loads(call(old, new, "--format", "sarif").stdout)["runs"]
    (found,) = run["results"]
    assert (found["ruleId"], found["level"]) == ("released-version", "error")
    location = found["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == new
    assert location["region"]["startLine"] == int(line)
    assert run["tool"]["driver"]["rules"][0]["shortDescription"]["text"].startswith(
        "A version that was released"
    )
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]


def test_junit_fails_for_a_break_alone(tmp_path: Path) -> None:
    """A message with a break is a failed test case; two equal definitions are one that passes."""
    old, place = lines_of(tmp_path)
    broken = ElementTree.fromstring(call(old, place.rpartition(":")[0], "--format", "junit").stdout.encode())
    assert [each.get("name") for each in broken.iter("testcase")] == ["HeartbeatRequest"]
    assert len(list(broken.iter("failure"))) == 1
    equal = ElementTree.fromstring(call(old, old, "--format", "junit").stdout.encode())
    assert len(list(equal.iter("testcase"))) == 1
    assert not list(equal.iter("failure"))
    gated = call("3.6", "3.7", "--message", "PartitionRecord", "--format", "github")
    assert gated.stdout.startswith("::warning file=PartitionRecord.json,line=1,")


def test_the_place_of_a_change(tmp_path: Path) -> None:
    """It is in the struct that fields share, or at the field; a message that is gone has its old file."""
    folders = tmp_path / "a", tmp_path / "b"
    shared = {"fields": [{"name": "Things", "type": "[]Thing", "versions": "0+"}]}
    for folder, kind in zip(folders, ("int8", "int16"), strict=True):
        folder.mkdir()
        struct = {"name": "Thing", "versions": "0+"}
        struct["fields"] = [{"name": "Id", "type": kind, "versions": "0+"}]  # type: ignore[assignment]
        text = json.dumps({**DRAFT, **shared, "commonStructs": [struct]}, indent=1)
        (folder / "HeartbeatRequest.json").write_text(text)
    write(folders[0] / "Gone.json", name="GoneRequest", apiKey=13)
    (line,) = (n for n, each in enumerate(text.splitlines(), 1) if '"Id"' in each)
    found = json.loads(call(*map(str, folders), "--format", "json").stdout)["findings"]
    assert {(each["path"], each["file"], each["line"]) for each in found} == {
        ("things[].id", str(folders[1] / "HeartbeatRequest.json"), line - 1),
        ("", str(folders[0] / "Gone.json"), 1),
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "HeartbeatRequest 0: groupId: type: string -> bytes\nbreaks readers and writers: "),
        ({"type": "data", "apiKey": None}, "stored: Bytes on disk, such as records in __cluster_metadata"),
        ({"type": "coordinator-value", "apiKey": 3}, "stored: Bytes on disk, such as records"),
        ({"type": "metadata"}, "stored: Bytes on disk, such as records"),
    ],
    ids=["request", "data", "coordinator", "metadata"],
)
def test_stored_data_are_bytes_on_disk(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    """Stored data have a category of their own, which may fail alone; a request is on the wire."""
    fields = [{"name": "GroupId", "type": "bytes", "versions": "0+"}]
    old = write(tmp_path / "old.json", **changes)
    new = write(tmp_path / "new.json", **changes, fields=fields)
    failing, other = ("stored", "wire") if changes else ("wire", "stored")
    assert call(old, new, "--category", failing).return_value == ExitCode.DIVERGENCE
    assert call(old, new, "--category", other).return_value == ExitCode.PROVEN
    text = call(old, new).stdout
    assert ("misreads the bytes on disk" in text) == ("stored: bytes on disk" in text) == bool(changes)
    assert "cannot talk" not in text
    (issue,) = json.loads(call(old, new, "--format", "sarif").stdout)["runs"][0]["results"]
    assert words in issue["message"]["text"]


def test_a_name_fails_for_source_alone(tmp_path: Path) -> None:
    """A renamed field leaves the bytes; code that calls its setter does not compile."""
    old = write(tmp_path / "old.json")
    new = write(tmp_path / "new.json", fields=[{"name": "Group", "type": "string", "versions": "0+"}])
    assert call(old, new).return_value == ExitCode.PROVEN
    ran = call(old, new, "--category", "source")
    assert ran.return_value == ExitCode.DIVERGENCE
    assert "group: name: groupId -> group  [names]" in ran.stdout
    github = call(old, new, "--category", "source", "--format", "github").stdout
    assert github.startswith("::error ")
    assert call(old, new, "--format", "github").stdout == ""
