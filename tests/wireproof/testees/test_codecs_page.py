"""The pages about public codecs name the existing testees, at the tested versions."""

import re
from pathlib import Path

from wireproof.testees import read_manifest, shipped, shipped_folder

DOCS = Path(__file__).parents[3] / "docs" / "reference"


def test_every_testee_is_on_the_page() -> None:
    """The page uses the names of the command line, and names no other testee."""
    named = set(re.findall(r"^\*\*[^*]+\*\* \(`([^`]+)`", (DOCS / "codecs.md").read_text(), re.MULTILINE))
    assert named == set(shipped())


def test_the_table_is_of_the_versions_under_test() -> None:
    """A new version of a codec needs a new table: `tox run -e matrix`. Testees that build slowly are left
    out."""
    head = next(
        line
        for line in (DOCS / "codecs-matrix.md").read_text().splitlines()
        if line.startswith("| message |")
    )
    versions_on_page = re.findall(r"\| `[^`]+` ([\w.+-]+) (?=\|)", head)
    manifests = [read_manifest(shipped_folder() / name) for name in shipped()]
    versions = [each.version for each in manifests if not each.slow]
    assert sorted(versions_on_page[1:]) == sorted(versions)  # the first column is our own codec's


def test_one_environment_writes_the_table() -> None:
    """The command on the page is the one in tox.ini."""
    tox = (DOCS.parents[1] / "tox.ini").read_text()
    assert "wireproof matrix --format markdown --output docs/reference/codecs-matrix.md {posargs}" in tox
    assert "tox run -e matrix" in (DOCS / "codecs.md").read_text()
