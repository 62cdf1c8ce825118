"""`wireproof schema convert`: text on standard output, notes on standard error, files in a folder."""

import errno
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner, Result

from tests.support.schemas.fork import ACME
from wireproof.app.cli.app import command_line
from wireproof.app.cli.schema.schema_command import command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.definitions.krammar.parsing.definition_reader import read_files

HEARTBEAT = """\
HeartbeatRequest => key 12, max version 4, flexible v4+
  GroupId: string
  GenerationId: int32
  MemberId: string
  GroupInstanceId: nullable-string // v3+

HeartbeatResponse =>
  ThrottleTimeMs: int32 // v1+
  ErrorCode: int16
"""


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["convert", *arguments], standalone_mode=False)


def refusal(*arguments: str) -> FatalError:
    error = call(*arguments).exception
    assert isinstance(error, FatalError)
    return error


def test_a_request_of_a_release_goes_with_its_response() -> None:
    """The definitions are on standard output, the notes on standard error."""
    ran = call("4.4", "--to", "krammar", "--message", "HeartbeatResponse")
    assert ran.return_value == ExitCode.PROVEN
    assert ran.stdout == HEARTBEAT
    assert ran.stderr.splitlines() == [
        "HeartbeatRequest: dropped: listeners",
        "HeartbeatRequest: dropped: entityType",
        "HeartbeatResponse: dropped: ignorable",
        "2 messages converted",
    ]


def test_a_full_disk_keeps_no_half_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line was right, so the exit code is not 2."""
    monkeypatch.setattr(
        Path, "write_text", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    )
    words = ["schema", "convert", "4.4", "--to", "krammar", "--output", str(tmp_path / "made")]
    ran = CliRunner().invoke(command_line, words)
    assert (ran.exit_code, any(tmp_path.iterdir())) == (ExitCode.BROKEN, False)
    assert f"cannot write {tmp_path / 'made'}: No space left on device" in ran.stderr


def test_one_message_of_a_file_becomes_json(tmp_path: Path) -> None:
    """The notes have the file's lines."""
    path = tmp_path / "12_heartbeat"
    path.write_text(HEARTBEAT.replace("flexible v4+", "flexible v4+, group coordinator"))
    ran = call(str(path), "--to", "json", "--message", "HeartbeatRequest")
    assert ran.return_value == ExitCode.PROVEN
    assert ran.stdout.splitlines()[:6] == [
        "{",
        '  "apiKey": 12,',
        '  "type": "request",',
        '  "name": "HeartbeatRequest",',
        '  "validVersions": "0-4",',
        '  "flexibleVersions": "4+",',
    ]
    assert ran.stderr.splitlines() == [
        f"{path}:1: HeartbeatRequest: dropped: the modifier 'group coordinator'",
        "1 message converted",
    ]


def test_a_folder_has_a_file_for_each_key_or_message(tmp_path: Path) -> None:
    """A release there and back."""
    ran = call("4.4", "--to", "krammar", "--output", str(tmp_path / "krammar"))
    assert ran.return_value == ExitCode.DIVERGENCE
    assert "26 cannot be expressed" in ran.stderr
    files = sorted(path.name for path in (tmp_path / "krammar").iterdir())
    assert "12_Heartbeat" in files
    assert (tmp_path / "krammar" / "12_Heartbeat").read_text() == HEARTBEAT
    definitions, problems = read_files((tmp_path / "krammar").iterdir())
    assert definitions is not None, problems
    back = call(str(tmp_path / "krammar"), "--to", "json", "--output", str(tmp_path / "json"))
    assert back.return_value == ExitCode.PROVEN
    assert (tmp_path / "json" / "HeartbeatRequest.json").is_file()
    check = CliRunner().invoke(
        command,
        ["check", "4.4", str(tmp_path / "json"), "--message", "HeartbeatRequest"],
        standalone_mode=False,
    )
    assert check.return_value == ExitCode.PROVEN
    exists = refusal("4.4", "--to", "krammar", "--output", str(tmp_path / "json"))
    assert exists.advice == "Name a new folder with --output."


def test_a_message_that_krammar_cannot_express_is_left_out() -> None:
    """Each reason is a line; the exit code says so."""
    ran = call("4.4", "--to", "krammar", "--message", "VoteRequest")
    assert ran.return_value == ExitCode.DIVERGENCE
    assert "VoteResponse =>" not in ran.stdout
    expected = "a tag in versions 1-2: in krammar it is there in all flexible versions, 0-2"
    assert f"VoteResponse nodeEndpoints: cannot be expressed: {expected}" in ran.stderr.splitlines()


def test_a_message_with_a_version_of_its_own_is_one_way(tmp_path: Path) -> None:
    """The note says so, and the exit code is 1: JSON that comes back lacks two bytes."""
    ran = call(
        "4.4", "--to", "krammar", "--message", "LeaderChangeMessage", "--output", str(tmp_path / "new")
    )
    assert ran.return_value == ExitCode.DIVERGENCE
    assert "LeaderChangeMessage: one way: the own field Version becomes krammar's version field" in ran.stderr
    assert ran.stderr.splitlines()[-1] == "1 message converted, 1 of them one way"
    back = call(str(tmp_path / "new"), "--to", "json")
    assert "LeaderChangeMessage: outside the message: the field Version, which is left out" in back.stderr


def test_a_message_of_a_fork_becomes_krammar() -> None:
    """Its definitions lie over those of the release."""
    ran = call("4.4", "--to", "krammar", "--schemas", str(ACME), "--message", "TracePingRequest")
    assert ran.return_value == ExitCode.DIVERGENCE
    expected = "TracePingRequest.json:14: TracePingRequest hops[].zone: cannot be expressed: a tagged string"
    assert expected in ran.stderr


def test_the_enums_beside_a_file_are_read(tmp_path: Path) -> None:
    """The file alone would not say the type."""
    (tmp_path / "enums").write_text("Lamp int16 (\n  0: OFF\n)\n")
    path = tmp_path / "probe"
    path.write_text("Probe => not top level, with version field\n  Version: int16\n  A: enum-Lamp\n")
    assert '"type": "int16"' in call(str(path), "--to", "json").stdout


def test_several_messages_need_a_folder(tmp_path: Path) -> None:
    """A JSON file has one message."""
    path = tmp_path / "12_heartbeat"
    path.write_text(HEARTBEAT)
    assert refusal(str(path), "--to", "json").message.endswith("has 2 messages, and a JSON file has one")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere", "--to", "json"], ExitCode.USAGE, "nowhere does not exist"),
        (
            ["4.4", "--to", "krammar", "--message", "HeartbeetRequest"],
            ExitCode.NOTHING_RAN,
            "there is no message",
        ),
    ],
)
def test_an_operand_that_does_not_exist(arguments: list[str], code: ExitCode, words: str) -> None:
    """A mistyped message suggests the nearest one."""
    error = refusal(*arguments)
    assert error.exit_code is code
    assert error.message.startswith(words)
    assert error.advice
