"""`wireproof schema check --accepted`: what a file of accepted findings changes."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.wireproof.app.cli.schema.test_schema_check import call, fails, write
from wireproof.base.exit_codes import ExitCode

ENTRY = """\
# ours
[[accepted]]
message = "HeartbeatRequest"
field = "groupId"
rule = "released-version"
reason = "The fork's own clients alone."
date = 2026-11-24
"""


def operands(folder: Path) -> tuple[str, str]:
    """Return two definitions: the type of the one field differs."""
    other = [{"name": "GroupId", "type": "bytes", "versions": "0+"}]
    return write(folder / "old.json"), write(folder / "new.json", fields=other)


def accepting(folder: Path, text: str) -> list[str]:
    """Return the arguments that compare the two definitions with a file of accepted findings."""
    path = folder / "accepted.toml"
    path.write_text(text)
    return [*operands(folder), "--accepted", str(path)]


def test_an_accepted_finding_does_not_fail(tmp_path: Path) -> None:
    """The report lists it with its day and its reason; without the file the change fails."""
    assert call(*operands(tmp_path)).return_value == ExitCode.DIVERGENCE
    ran = call(*accepting(tmp_path, ENTRY))
    assert ran.return_value == ExitCode.PROVEN
    assert "Breaks" not in ran.stdout
    assert ran.stdout.endswith(
        "Accepted: 1 change\n"
        "  HeartbeatRequest 0: groupId: type: string -> bytes  [released-version]\n"
        "    2026-11-24: The fork's own clients alone.\n"
    )
    assert ran.stderr.endswith(": 2 changes; safe: 1; accepted: 1\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"HeartbeatRequest"', '"HeartBeatRequest"'),
        ('"groupId"', '"groupID"'),
        ('"released-version"', '"equal-bytes"'),
    ],
    ids=["message", "field", "rule"],
)
def test_another_identity_accepts_nothing(old: str, new: str, tmp_path: Path) -> None:
    """The finding fails."""
    ran = call(*accepting(tmp_path, ENTRY.replace(old, new)))
    assert ran.return_value == ExitCode.DIVERGENCE
    assert "Breaks readers and writers: 1 change" in ran.stdout
    assert "Accepted" not in ran.stdout


def test_an_entry_without_a_finding_fails(tmp_path: Path) -> None:
    """The report names its line, in each form; with another message selected it is not judged."""
    old = write(tmp_path / "old.json")
    (tmp_path / "accepted.toml").write_text(ENTRY)
    path = str(tmp_path / "accepted.toml")
    ran = call(old, old, "--accepted", path)
    assert ran.return_value == ExitCode.DIVERGENCE
    words = "no finding that fails matches HeartbeatRequest groupId [released-version]: remove the entry"
    assert f"{path}:2: error: {words}" in ran.stdout
    assert f"::error file={path},line=2," in call(old, old, "--accepted", path, "--format", "github").stdout
    plain = json.loads(call(old, old, "--accepted", path, "--format", "json").stdout)
    assert [each["line"] for each in plain["unmatched"]] == [2]
    (run,) = json.loads(call(old, old, "--accepted", path, "--format", "sarif").stdout)["runs"]
    assert [each["ruleId"] for each in run["results"]] == ["accepted-unmatched"]
    junit = ElementTree.fromstring(call(old, old, "--accepted", path, "--format", "junit").stdout.encode())
    assert len(list(junit.iter("failure"))) == 1
    ran = call("4.4", "4.4", "--message", "FetchRequest", "--accepted", path)
    assert (ran.return_value, ran.stdout) == (ExitCode.PROVEN, "")
    assert call("4.4", "4.4", "--accepted", path).return_value == ExitCode.DIVERGENCE


def test_servers_get_no_issue_for_an_accepted_finding(tmp_path: Path) -> None:
    """JSON keeps the finding with its reason."""
    arguments = accepting(tmp_path, ENTRY)
    assert call(*arguments, "--format", "github").stdout == ""
    found = json.loads(call(*arguments, "--format", "json").stdout)["findings"]
    accepted = {each["what"]: each["accepted"] for each in found}
    assert accepted["type"] == {"reason": "The fork's own clients alone.", "date": "2026-11-24"}
    assert accepted["default"] is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("reason = ", "# reason = ", "2: error: reason is missing: write why the change is accepted"),
        ('"The fork\'s own clients alone."', '" "', "2: error: reason is not a text"),
        ("date = ", "# date = ", "2: error: date is missing: write the day"),
        ("2026-11-24", '"soon"', "2: error: date is not a date: write the day"),
        ("released-version", "no-rule", "2: error: the rule 'no-rule' is unknown"),
        ("field = ", "path = ", "2: error: unknown key 'path': expected message, field, rule, reason, date"),
        ("[[accepted]]", "[[exceptions]]", "1: error: unknown key 'exceptions': expected [[accepted]]"),
        ("date = 2026-11-24", "date = ", "7: error: "),
    ],
    ids=["no-reason", "empty", "no-date", "not-a-date", "rule", "key", "table", "toml"],
)
def test_a_wrong_file_of_accepted_findings(old: str, new: str, words: str, tmp_path: Path) -> None:
    """The error has the file and the line of the entry."""
    error = fails(*accepting(tmp_path, ENTRY.replace(old, new)))
    assert error.exit_code == ExitCode.USAGE
    assert f"{tmp_path / 'accepted.toml'}:{words}" in error.message
