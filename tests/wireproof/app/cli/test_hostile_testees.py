"""A testee whose words are hostile: nothing that it says reaches a terminal as it is."""

import json
import sys
from pathlib import Path

import pytest

from tests.support.commands.forked_command import run_command
from tests.support.hostile.hostile_texts import HOSTILE, UNSEEN
from tests.wireproof.app.cli import hostile_testee
from wireproof.base.exit_codes import ExitCode

ALL = (
    "".join(text for name, text in HOSTILE.items() if name != "lone-surrogate") + "\n::error::x\r\n##[error]x"
)
TEXTS = {"all": ALL, "lone-surrogate": HOSTILE["lone-surrogate"]}
WAYS = ("identity", "limits", "messages", "registry", "dies", "value", "internal")
MANIFEST = 'name = "hostile"\nlanguage = "python"\nversion = "1"\nrun = {run}\n'


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("way", WAYS)
def test_what_a_testee_says(way: str, name: str, tmp_path: Path) -> None:
    """`testee check` ends with a documented code, says whose fault it is, and shows no escape sequence."""
    run = [sys.executable, "-S", hostile_testee.__file__, way, json.dumps(TEXTS[name])]
    (tmp_path / "testee.toml").write_text(MANIFEST.format(run=json.dumps(run)), "utf-8")
    done = run_command(Path.cwd(), "testee", "check", str(tmp_path))

    written = done.stdout + done.stderr
    assert done.returncode in set(ExitCode) - {ExitCode.BROKEN}, written
    assert "Traceback" not in written
    assert "wireproof itself failed" not in written
    assert not set(UNSEEN) & set(written)
    assert not [line for line in written.splitlines() if line.strip().startswith("::") or "##[" in line]
    assert not [line for line in written.splitlines() if line.startswith("Proven.")]
