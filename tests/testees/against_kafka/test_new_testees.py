"""A new testee works before its author has written a line, in each language."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.testees.other_languages import EACH_LANGUAGE


def wireproof(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wireproof", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


@pytest.mark.parametrize("language", EACH_LANGUAGE)
def test_a_new_testee_is_sound_and_proven(tmp_path: Path, language: str) -> None:
    """The lines that `testee new` says to type are typed; its codec holds against wrong bytes, too."""
    ran = wireproof(tmp_path, "testee", "new", "my codecs/first one", "--language", language)
    assert ran.returncode == 0, ran.stderr
    lines = re.findall("^  wireproof (.*)$", ran.stderr, re.MULTILINE)
    assert lines == ["testee check 'my codecs/first one'", "run --testee 'my codecs/first one'"]

    ran = wireproof(tmp_path, "testee", "check", "my codecs/first one")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"first-one 0.1.0, {language}" in ran.stdout
    assert "claims 4 of" in ran.stdout

    ran = wireproof(tmp_path, "run", "--testee", "my codecs/first one")
    assert ran.returncode == 0, ran.stderr
    assert "4 of 4 cells" in ran.stderr
    assert "0 findings" in ran.stderr

    ran = wireproof(tmp_path, "run", "--testee", "my codecs/first one", "--phase", "mutations")
    assert ran.returncode == 0, ran.stderr
