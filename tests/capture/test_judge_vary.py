"""``wireproof judge --vary`` with a real broker: a client that reads right, and one that does not."""

import json
import subprocess
import sys
from pathlib import Path

from tests.support.capture.shared_node import SharedNode
from tests.support.commands.forked_command import run_command

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
answer = ask(18, 3, b"\\x00\\x02a\\x02b\\x00")
"""

ACCEPTED = """
[[accepted]]
message = "ApiVersionsResponse"
field = ""
rule = "tags-unknown"
reason = "the client is old"
date = 2026-11-28
"""


def judged(node: SharedNode, folder: Path, program: str, *words: str) -> "subprocess.CompletedProcess[str]":
    client = folder / "client.py"
    client.write_text(program)
    there = ["--broker", "address:{}:{}".format(*node.open)]
    command = ["judge", "--vary", *there, "--format", "json", *words]
    return run_command(folder, *command, "--", sys.executable, str(client), "{bootstrap}")


def test_a_right_reader_takes_each_variation(shared_node: SharedNode, tmp_path: Path) -> None:
    """Exit code 0; variations of messages that it never asks for are unmet."""
    done = judged(shared_node, tmp_path, CLIENT, "--versions", "none", "--without", "stream-close")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["fault"], found["findings"]) == ("", [])
    assert found["outcomes"]["tags-nested"] == found["outcomes"]["stream-bytes"] == "taken"
    assert found["outcomes"]["records-split"] == "unmet"
    assert "stream-close" not in found["outcomes"]


def test_without_an_answer_that_can_be_varied_nothing_is_judged(
    shared_node: SharedNode, tmp_path: Path
) -> None:
    """Exit code 3: the program was right without variations only."""
    done = judged(shared_node, tmp_path, CLIENT, "--only", "tags-root@ApiVersionsResponse#7")
    assert done.returncode == 3, done.stderr
    assert "Not judged: the program got no answer that can be varied so." in done.stderr
    assert json.loads(done.stdout)["outcomes"] == {"tags-root": "unmet"}


def test_a_reader_of_fixed_sizes_is_found(shared_node: SharedNode, tmp_path: Path) -> None:
    """The finding has one variation of one answer, bytes, rule and a replay line that finds it again."""
    wrong = CLIENT + "sys.exit(len(answer) != int(open(sys.argv[0] + '.size').read()))\n"
    learn = CLIENT + "open(sys.argv[0] + '.size', 'w').write(str(len(answer)))\n"
    assert judged(shared_node, tmp_path, learn, "--only", "stream-slow").returncode == 0
    done = judged(shared_node, tmp_path, wrong, "--only", "tags-unknown", "--only", "stream-split")
    assert done.returncode == 1, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["variation"] == "tags-unknown@ApiVersionsResponse#0"
    assert finding["rule"].startswith("KIP-482")
    assert len(finding["after"]) > len(finding["before"]) > 0
    assert "--only tags-unknown@ApiVersionsResponse#0" in finding["replay"]
    again = judged(shared_node, tmp_path, wrong, "--only", finding["variation"], "--junit", "report.xml")
    assert again.returncode == 1, again.stderr
    assert finding["replay"] in (tmp_path / "report.xml").read_text("utf-8")
    (tmp_path / "accepted.toml").write_text(ACCEPTED, "utf-8")
    taken = judged(shared_node, tmp_path, wrong, "--only", "tags-unknown", "--accepted", "accepted.toml")
    assert taken.returncode == 0, taken.stderr
    assert [each["fault"] for each in json.loads(taken.stdout)["accepted"]] == ["tags-unknown"]
