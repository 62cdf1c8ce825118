"""The pages about public codecs name the existing testees, at the tested versions."""

import re
from pathlib import Path

from kafkawire import messages
from wireproof.app.assembly.ledger_in_use import open_ledger
from wireproof.kafka.releases.release_table import table
from wireproof.proof.testees.description.manifest import read_manifest, shipped, shipped_folder
from wireproof.verdict.report.comparison.matrix_document import MatrixDocument

DOCS = Path(__file__).parents[4] / "docs" / "reference"
SAVED = DOCS / "generated" / "codecs-matrix.json"


def test_every_testee_is_on_the_page() -> None:
    """The page uses the names of the command line, and names no other testee."""
    named = set(re.findall(r"^\*\*[^*]+\*\* \(`([^`]+)`", (DOCS / "codecs.md").read_text(), re.MULTILINE))
    assert named == set(shipped())


def test_the_page_has_what_each_codec_refuses() -> None:
    """A row for each testee, with the counts of its ledger's bounds."""
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (.*) \|$", (DOCS / "codecs.md").read_text(), re.MULTILINE))
    assert set(rows) == set(shipped())
    for name in shipped():
        bounds = open_ledger(str(shipped_folder() / name / "ledger.toml")).bounds
        if bounds is None:
            assert re.match(r"promised|not counted", rows[name]), name
            continue
        assert rows[name].endswith(f" | {bounds['stricter']}"), name
        written = f"{bounds['written']:,} written, {bounds['failed']:,} end in an undeclared error"
        assert written in rows[name] or (rows[name].startswith("none written") and not bounds["written"]), (
            name
        )


def test_the_table_is_of_the_versions_under_test() -> None:
    """A new version of a codec needs a new table. Testees that build slowly are left out."""
    saved = MatrixDocument.parse(SAVED.read_text("utf-8"))
    manifests = [read_manifest(shipped_folder() / name) for name in shipped()]
    under_test = {each.name: each.version for each in manifests if not each.slow}
    assert {each.testee: each.version for each in saved.codecs if each.testee} == under_test
    assert [each.testee for each in saved.left_out] == [each.name for each in manifests if each.slow]


def test_the_table_is_of_every_cell_of_the_newest_release() -> None:
    """It is complete, nothing in it is a finding, and it is small enough for the repository."""
    saved = MatrixDocument.parse(SAVED.read_text("utf-8"))
    assert saved.releases == (table().newest,)
    assert saved.complete
    compared = {each.message for each in saved.messages}
    assert compared | set(saved.unclaimed) >= set(messages(saved.releases[0]))
    assert [each for each in saved.deviations if not each.entry] == []
    assert SAVED.stat().st_size < 2_000_000


def test_the_page_has_the_command_that_wrote_the_table() -> None:
    """The table records its command."""
    saved = MatrixDocument.parse(SAVED.read_text("utf-8"))
    page = (DOCS / "codecs.md").read_text("utf-8").replace("\\\n", "")
    assert list(saved.command) in [line.split() for line in page.splitlines()]
