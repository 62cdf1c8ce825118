"""`wireproof schema krammar`: counts, the table, and exit codes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.support.schemas.fork import ACME
from wireproof.app.cli.schema.schema_command import command
from wireproof.base.exit_codes import ExitCode, FatalError

HEARTBEAT = """\
HeartbeatRequest => key 12, max version 4, flexible v4+, group coordinator
  Group: string
  Generation: int32
  MemberID: string
  InstanceID: nullable-string // v3+

HeartbeatResponse =>
  ThrottleMillis(2) // v1+
  ErrorCode: int16
"""


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["krammar", *arguments], standalone_mode=False)


def folder(tmp_path: Path, text: str) -> str:
    place = tmp_path / "definitions"
    place.mkdir(exist_ok=True)
    (place / "12_heartbeat").write_text(text)
    return str(place)


def test_definitions_that_agree(tmp_path: Path) -> None:
    """Every cell has equal bytes; Kafka has many that these definitions lack."""
    ran = call("--definitions", folder(tmp_path, HEARTBEAT), "--release", "4.4")
    assert ran.return_value == ExitCode.PROVEN
    lines = ran.stdout.splitlines()
    assert lines[:2] == ["    10 cells compared", "    10 with equal bytes"]
    assert "in Kafka only: " in lines[3]
    assert "1 file, 2 structs, 0 enums" in ran.stderr


def test_a_disagreement_without_a_row_fails(tmp_path: Path) -> None:
    """Text and JSON name the field in Kafka's words."""
    place = folder(tmp_path, HEARTBEAT.replace("Generation: int32", "Generation: int64"))
    ran = call("--definitions", place)
    assert ran.return_value == ExitCode.DIVERGENCE
    expected = "  HeartbeatRequest 0,1,2,3,4 generationId: type: krammar int64, Kafka 4.4.0 int32"
    assert "Without an explanation: 1 disagreement" in ran.stdout
    assert expected in ran.stdout.splitlines()
    plain = json.loads(call("--definitions", place, "--json").stdout)
    (found,) = (each for each in plain["disagreements"] if each["why"] is None)
    assert found == {
        "release": "4.4.0",
        "message": "HeartbeatRequest",
        "struct": "HeartbeatRequest",
        "versions": [0, 1, 2, 3, 4],
        "field": "generationId",
        "aspect": "type",
        "bytes": True,
        "krammar": "int64",
        "kafka": "int32",
        "wrong": None,
        "why": None,
    }


def test_errors_of_definitions_have_file_line_and_rule(tmp_path: Path) -> None:
    """As a compiler gives them."""
    place = folder(tmp_path, HEARTBEAT.replace("int32", "int33"))
    with pytest.raises(
        FatalError, match=r"12_heartbeat:3: error: there is no type 'int33' \[unknown-type\]"
    ) as caught:
        raise call("--definitions", place).exception or AssertionError
    assert caught.value.exit_code is ExitCode.USAGE


OFFSET = """\
OffsetCommitValue => not top level, with version field, flexible v4+
  Version: int16
  Offset: int64
  LeaderEpoch: int32(-1) // v3+
  Metadata: string
  CommitTimestamp: int64
  ExpireTimestamp: int64(-1) // v1-v1
  TopicID: uuid // tag 0
"""


def test_a_row_that_no_longer_shows_fails(tmp_path: Path) -> None:
    """franz-go's definition has other defaults, which the table explains; this one has Kafka's."""
    place = folder(tmp_path, OFFSET)
    ran = call("--definitions", place)
    assert ran.return_value == ExitCode.DIVERGENCE
    assert "Without an explanation" not in ran.stdout
    assert ran.stdout.splitlines()[-3:] == [
        "Rows of the table that no longer show: 2",
        "  OffsetCommitValue 1 expireTimestamp: default",
        "  OffsetCommitValue 3-4 leaderEpoch: default",
    ]
    plain = json.loads(call("--definitions", place, "--json").stdout)
    assert [each["field"] for each in plain["gone"]] == ["expireTimestamp", "leaderEpoch"]


def test_rows_that_show_pass(tmp_path: Path) -> None:
    """The same definition with the defaults that the table has."""
    place = folder(tmp_path, OFFSET.replace("(-1)", ""))
    ran = call("--definitions", place)
    assert ran.return_value == ExitCode.PROVEN
    assert "OffsetCommitValue 3-4 leaderEpoch: default: krammar 0, Kafka -1: krammar is wrong" in ran.stdout


def test_a_fork_is_compared_like_a_release(tmp_path: Path) -> None:
    """Its own messages are among those that krammar lacks."""
    ran = call("--definitions", folder(tmp_path, HEARTBEAT), "--schemas", str(ACME))
    assert "TracePingRequest/0" in ran.stdout
    assert ran.stdout.startswith("    10 cells compared")


@pytest.mark.parametrize("place", ["nowhere", "empty"])
def test_a_folder_without_definitions_is_refused(tmp_path: Path, place: str) -> None:
    """One that does not exist, and an empty one."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(FatalError, match=r"Name .*definition files") as caught:
        raise call("--definitions", str(tmp_path / place)).exception or AssertionError
    assert caught.value.exit_code is ExitCode.USAGE
