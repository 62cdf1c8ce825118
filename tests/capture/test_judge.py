"""``wireproof judge`` from beginning to end: a client that is right, and one that is not."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from junitparser import JUnitXml

from tests.support.capture.shared_node import SharedNode
from tests.support.commands.forked_command import run_command

COMMAND = ["judge", "--broker", "jars:4.3.1"]
CLIENT = """
import socket, struct, sys

host, port = sys.argv[1].rsplit(":", 1)
connection = socket.create_connection((host, int(port)))

def ask(key, version, body):
    request = struct.pack(">hhih", key, version, 1, 2) + b"me" + body
    connection.sendall(struct.pack(">i", len(request)) + request)
    size = struct.unpack(">i", connection.recv(4, socket.MSG_WAITALL))[0]
    return connection.recv(size, socket.MSG_WAITALL)

ask(18, 0, b"")
ask(3, 1, struct.pack(">ih", 1, 1) + b"t")
"""
WRONG = (
    CLIENT
    + """
ask(18, 3, b"\\x00" + b"\\x82\\x00a" + b"\\x02b" + b"\\x00")
print("a line of its own")
sys.exit(5)
"""
)


def judged(folder: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    client = folder / "client.py"
    client.write_text(program)
    return run_command(folder, *COMMAND, *words, "--", sys.executable, str(client), "{bootstrap}")


def test_a_right_client_passes(tmp_path: Path) -> None:
    """Exit code 0; the broker's error code is reported, and is not a finding."""
    done = judged(tmp_path, CLIENT, "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["requests"], found["wrong"], found["findings"]) == (2, 0, [])
    assert found["messages"][1]["errors"] == {"UNKNOWN_TOPIC_OR_PARTITION": 1}


def test_a_wrong_client_fails_in_every_report(shared_node: SharedNode, tmp_path: Path) -> None:
    """Exit code 1 before the program's own; the field in each file; its output is not between the events. The
    broker is one that is there."""
    there = ["--broker", "address:{}:{}".format(*shared_node.open)]
    done = judged(tmp_path, WRONG, *there, "--events", "-", "--junit", "a/j.xml", "--markdown", "m.md",
                  "--sarif", "s.json", "--code-quality", "q.json")  # fmt: skip
    assert done.returncode == 1, done.stderr
    header, finding, *_, footer = map(json.loads, done.stdout.splitlines())
    assert header["gate"] == "judge"
    assert (finding["fault"], finding["field"]) == ("differs", "clientSoftwareName")
    assert (footer["exitCode"], footer["ended"]) == (1, "ended with exit code 5")
    assert "a line of its own" in done.stderr
    failures = [
        result.message
        for suite in JUnitXml.fromfile(str(tmp_path / "a/j.xml"))
        for case in suite
        for result in case.result
    ]
    assert len(failures) == 2
    assert failures[0].startswith("[differs] clientSoftwareName")
    assert "clientSoftwareName" in (tmp_path / "m.md").read_text("utf-8")
    results = json.loads((tmp_path / "s.json").read_text("utf-8"))["runs"][0]["results"]
    issues = json.loads((tmp_path / "q.json").read_text("utf-8"))
    assert [each["ruleId"] for each in results] == ["differs", "not-run"]
    assert [each["check_name"] for each in issues] == ["wireproof/differs", "wireproof/not-run"]


def test_an_accepted_finding_of_a_client_does_not_fail(shared_node: SharedNode, tmp_path: Path) -> None:
    """The program's own end is left."""
    place = 'message = "ApiVersionsRequest"\nfield = "clientSoftwareName"\nrule = "differs"'
    (tmp_path / "known.toml").write_text(f'[[accepted]]\n{place}\nreason = "old"\ndate = 2026-11-28\n')
    there = ["--broker", "address:{}:{}".format(*shared_node.open)]
    done = judged(tmp_path, WRONG, *there, "--format", "json", "--accepted", "known.toml")
    assert done.returncode == 7, done.stderr
    found = json.loads(done.stdout)
    assert (found["wrong"], found["findings"], found["accepted"][0]["count"]) == (0, [], 1)
    assert "accepted: ApiVersionsRequest clientSoftwareName [differs], 1 time: 2026-11-28: old" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--events", "-", "--junit", "-"], "both want standard output"),
        (["--format", "json", "--annotations"], "both want standard output"),
        (["--broker", "jars:9.9"], "unknown release"),
        (["--vary", "--without", "tags-nesed"], "Did you mean tags-nested"),
        (["--vary", "--only", "tags-nested@FetchRequest"], "no response 'FetchRequest'"),
        (
            ["--vary", "--only", "tags-nested", "--versions", "each"],
            "--versions and --only exclude each other",
        ),
        (["--vary", "errors", "--versions", "each"], "offers no versions"),
    ],
)
def test_invalid_options_are_reported_before_anything_starts(
    words: list[str], says: str, tmp_path: Path
) -> None:
    """Exit code 2."""
    done = judged(tmp_path, CLIENT, *words)
    assert done.returncode == 2
    assert says in done.stderr
