"""The pre-commit hook: its entry, called with the files of a commit."""

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any, Final

import yaml

from tests.support.commands.forked_command import run_command

ROOT: Final = Path(__file__).parents[2]
LEDGERS: Final = sorted((ROOT / "codecs" / "testees").glob("*/ledger.toml"))


def hook() -> dict[str, Any]:
    (found,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return dict(found)


def call(*files: Path) -> subprocess.CompletedProcess[str]:
    program, *words = shlex.split(hook()["entry"])
    assert program == "wireproof"
    return run_command(Path.cwd(), *words, *map(str, files))


def test_the_shipped_ledgers_pass():
    """Several files in one call, as pre-commit passes them."""
    ran = call(*LEDGERS[:2])

    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count("faults: 0") == 2


def test_a_wrong_ledger_fails(tmp_path: Path):
    """Whatever the others are."""
    wrong = tmp_path / "ledger.toml"
    wrong.write_text(LEDGERS[0].read_text(encoding="utf-8").replace("expires = 20", "expires = 19"), "utf-8")

    assert call(LEDGERS[1], wrong).returncode == 6


def test_only_ledgers_are_checked():
    """In any folder."""
    files = re.compile(hook()["files"])

    assert all(files.search(path) for path in ("ledger.toml", "codecs/mine/ledger.toml"))
    assert not any(files.search(path) for path in ("my-ledger.toml", "ledger.toml.bak", "ledger/x.toml"))
