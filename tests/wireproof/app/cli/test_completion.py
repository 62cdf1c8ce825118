"""The completion of words in a shell, as bash and zsh ask for it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.commands.forked_command import run_command
from wireproof.kafka.releases.release_table import table
from wireproof.proof.testees.description.manifest import shipped

NEWEST = table().find("newest").version


def completed(*words: str) -> list[str]:
    """Return what bash offers for the last word."""
    environment = {
        **os.environ,
        "_WIREPROOF_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["wireproof", *words]),
        "COMP_CWORD": str(len(words)),
    }
    ran = run_command(Path.cwd(), env=environment)
    assert ran.stderr == ""
    return [line.partition(",")[2] for line in ran.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["rep"], ["replay", "report"]),
        (["run", "--maxf"], ["--maxfail"]),
        (["run", "--message", "ApiVersionsRe"], ["ApiVersionsRequest", "ApiVersionsResponse"]),
        (["run", "--module", "share"], ["share-coordinator"]),
        (["run", "--release", "new"], ["newest"]),
        (["show", NEWEST[:3]], [f"{NEWEST}/"]),
        (["show", f"{NEWEST}/ApiVersionsRequest/"], [f"{NEWEST}/ApiVersionsRequest/{n}" for n in range(6)]),
        (["show", "0.0.0/Api"], []),
        (["ledger", "na"], ["narrow"]),
        (["schema", "che"], ["check"]),
    ],
)  # fmt: skip
def test_a_word_is_completed(words: list[str], expected: list[str]):
    """Commands, subcommands, options, messages, modules, releases and cells."""
    assert completed(*words) == expected


def test_testees_are_completed():
    """Those that come with wireproof."""
    assert completed("run", "--testee", "") == list(shipped())


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_takes_the_script(shell: str, tmp_path: Path):
    """The shell reads it without an error; bash then knows the completion of the command."""
    program = shutil.which(shell)
    script = subprocess.run(
        [sys.executable, "-m", "wireproof", "completion", shell], capture_output=True, text=True, check=True
    ).stdout
    assert "_WIREPROOF_COMPLETE" in script
    if shell == "bash":
        assert program is not None
        ran = subprocess.run(
            [program, "-c", f"{script}\ncomplete -p wireproof"], capture_output=True, text=True, check=False
        )
        assert (ran.returncode, "wireproof" in ran.stdout) == (0, True), ran.stderr
