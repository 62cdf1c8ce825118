"""`wireproof schema try`: the report about a draft."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from wireproof.app.cli.schema.schema_command import command
from wireproof.base.exit_codes import ExitCode, FatalError

ZONE = {"name": "Zone", "type": "string", "versions": "4+", "taggedVersions": "4+", "tag": 0}
FIELDS: list[dict[str, Any]] = [
    {"name": "GroupId", "type": "string", "versions": "0+"},
    {"name": "GenerationId", "type": "int32", "versions": "0+"},
    {"name": "MemberId", "type": "string", "versions": "0+"},
    {
        "name": "GroupInstanceId",
        "type": "string",
        "versions": "3+",
        "nullableVersions": "3+",
        "default": "null",
    },
]


def draft(folder: Path, *fields: dict[str, Any], **changes: Any) -> str:
    document = {
        "apiKey": 12,
        "type": "request",
        "name": "HeartbeatRequest",
        "validVersions": "0-4",
        "flexibleVersions": "4+",
        "fields": fields,
        **changes,
    }
    path = folder / "Heartbeat.json"
    path.write_text("// a draft\n" + json.dumps(document))
    return str(path)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["try", "--no-java", *arguments], standalone_mode=False)


def test_a_draft_with_a_tagged_field(tmp_path: Path) -> None:
    """Sizes by version, the layout, two instances byte by byte, and the change from the release."""
    ran = call(draft(tmp_path, *FIELDS, ZONE))
    assert ran.return_value == ExitCode.PROVEN
    assert "  3              10       13\n  4               8       15\n" in ran.stdout
    assert "  zone: string, tag 0, versions 4, default ''  [23 cases]\n" in ran.stdout
    assert "the default instance, 8 bytes:\n" in ran.stdout
    assert "  000b  00 02                                   zone tag 0\n" in ran.stdout
    assert "Safe: 1 change\n" in ran.stdout.partition("Changes from 4.4.0\n")[2]
    assert ran.stderr.endswith(": 1 change; safe: 1\n")


def test_a_draft_that_breaks(tmp_path: Path) -> None:
    """The exit code is that of a gate."""
    ran = call(draft(tmp_path, *FIELDS[:2], *FIELDS[3:]))
    assert ran.return_value == ExitCode.DIVERGENCE
    assert "memberId: field: string -> absent  [released-version]" in ran.stdout


def test_another_version_and_a_boundary_case(tmp_path: Path) -> None:
    """The case is shown beside the two instances."""
    ran = call(draft(tmp_path, *FIELDS), "--message-version", "3", "--case", "memberId/length-127")
    assert "HeartbeatRequest/3  request, api key 12" in ran.stdout
    assert "the case memberId/length-127, 137 bytes:" in ran.stdout


def test_a_message_that_no_release_has(tmp_path: Path) -> None:
    """There is nothing to compare it with."""
    ran = call(draft(tmp_path, *FIELDS, name="PulseRequest"))
    assert ran.return_value == ExitCode.PROVEN
    assert ran.stdout.endswith("4.4.0 has no PulseRequest: the message is new.\n")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--message-version", "9"), "HeartbeatRequest has no version 9"),
        (("--case", "memberId/lenght-127"), "has no case"),
        (("--release", "9.9"), "9.9"),
    ],
    ids=["version", "case", "release"],
)
def test_a_mistake(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    """The error says what there is."""
    error = call(draft(tmp_path, *FIELDS), *options).exception
    assert isinstance(error, FatalError)
    assert error.exit_code == ExitCode.USAGE
    assert words in error.message


def test_a_release_is_no_draft() -> None:
    """`try` takes one file."""
    error = call("4.4").exception
    assert isinstance(error, FatalError)
    assert "4.4 is not a file" in error.message


def test_a_retired_message(tmp_path: Path) -> None:
    """It has no layout to show; the versions that go are a change from the release."""
    retired = draft(tmp_path, validVersions="none")
    ran = call(retired)
    assert ran.return_value == ExitCode.DIVERGENCE
    assert "HeartbeatRequest has no valid version: it is retired" in ran.stdout
    assert "Changes from 4.4.0" in ran.stdout
    error = call(retired, "--message-version", "0").exception
    assert isinstance(error, FatalError)
    assert error.message == "HeartbeatRequest has no version 0"


RECORDS = {"name": "Batch", "type": "records", "versions": "0+"}


def test_an_instance_that_cannot_be_written(tmp_path: Path) -> None:
    """The default of records is null, which may not be valid: the report has the reason in place of bytes."""
    ran = call(draft(tmp_path, *FIELDS, RECORDS, name="PulseRequest"))
    assert ran.return_value == ExitCode.PROVEN, ran.exception
    assert "the default instance cannot be written: null-not-allowed: batch" in ran.stdout
    assert "an instance with every field set, " in ran.stdout
    assert "  0               -" in ran.stdout


@pytest.mark.parametrize(("release", "refused"), [("4.4", True), ("4.0", True), ("3.9", False)])
def test_the_rules_are_those_of_the_release(release: str, refused: bool, tmp_path: Path) -> None:
    """`zkBroker` is a listener until 3.9."""
    error = call(draft(tmp_path, *FIELDS, listeners=["zkBroker"]), "--release", release).exception
    assert isinstance(error, FatalError) == refused
    assert ("listener-unknown" in str(error)) == refused
