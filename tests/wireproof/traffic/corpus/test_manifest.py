"""The manifest of a corpus: which change raises which number of the version."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.environments import small_corpus
from wireproof.traffic.corpus.corpus_entry import CorpusError
from wireproof.traffic.corpus.corpus_file import CorpusFile, CorpusKind, corpus_file_text, head_of
from wireproof.traffic.corpus.corpus_folder import open_set
from wireproof.traffic.corpus.manifest.corpus_manifest import FIRST_VERSION, MANIFEST, CorpusManifest

CELLS = small_corpus.real_cells("MetadataRequest", 0, 13)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_corpus.write_set(tmp_path / "set", small_corpus.real_environment(), CELLS)


def rewrite(folder: Path, change: Callable[[CorpusFile], CorpusFile]) -> None:
    """Change the golden file, as the tool would write it."""
    ((place, part),) = open_set(folder / CorpusKind.GOLDEN).parts()
    Path(place).write_text(corpus_file_text(change(part)), encoding="utf-8", newline="\n")


def with_entries(part: CorpusFile, *entries: object) -> CorpusFile:
    return CorpusFile(head_of(CorpusKind.GOLDEN, part.head, entries), entries)  # type: ignore[arg-type]


def next_version(before: CorpusManifest, folder: Path) -> str:
    return before.compare(CorpusManifest.of_folder(folder, before.version)).next_version(before.version)


def test_an_unchanged_corpus_has_no_difference(folder: Path) -> None:
    """Written and read, the manifest describes the folder, each entry of it."""
    before = CorpusManifest.of_folder(folder, "1.2.3")
    (folder / MANIFEST).write_text(before.text())
    read = CorpusManifest.read(folder)
    assert read == before
    assert not read.compare(CorpusManifest.of_folder(folder, "1.2.3"))
    entries = sum(len(part.entries) for _, part in open_set(folder).parts())
    assert sum(len(words) - 1 for words in read.files.values()) == entries > 2


def test_a_removed_entry_raises_the_first_number(folder: Path) -> None:
    """Also where another was added."""
    before = CorpusManifest.of_folder(folder, "1.2.3")
    rewrite(folder, lambda part: with_entries(part, *part.entries[1:]))
    assert next_version(before, folder) == "2.0.0"


def test_a_removed_file_raises_the_first_number(folder: Path) -> None:
    """Its entries are gone."""
    before = CorpusManifest.of_folder(folder, "0.9.1")
    for path in (folder / CorpusKind.MALFORMED).rglob("*.ndjson"):
        path.unlink()
    assert next_version(before, folder) == "1.0.0"


def test_an_added_entry_raises_the_second_number(folder: Path) -> None:
    """The others stay, whatever the order."""
    now = CorpusManifest.of_folder(folder, "1.2.3")
    rewrite(folder, lambda part: with_entries(part, *part.entries[1:]))
    before = CorpusManifest.of_folder(folder, "1.2.3")
    difference = before.compare(now)
    assert difference.next_version("1.2.3") == "1.3.0"
    assert (sum(difference.added.values()), dict(difference.removed)) == (1, {})


def test_metadata_raises_the_third_number(folder: Path) -> None:
    """A head, and a document."""
    before = CorpusManifest.of_folder(folder, "1.2.3")
    (folder / "FORMAT.md").write_text("another text")
    assert next_version(before, folder) == "1.2.4"
    before = CorpusManifest.of_folder(folder, "1.2.4")
    rewrite(folder, lambda part: replace(part, head=replace(part.head, tool="another")))
    assert next_version(before, folder) == "1.2.5"


def test_another_format_raises_the_first_number(folder: Path) -> None:
    """Readers of the files have to change."""
    before = CorpusManifest.of_folder(folder, "1.2.3")
    other = CorpusManifest("1.2.3", before.files, before.corpus_format + 1)
    assert before.compare(other).next_version("1.2.3") == "2.0.0"


def test_a_damaged_corpus_gets_no_version(folder: Path) -> None:
    """An edited entry keeps its id, which is not that of its line any more."""
    path = next((folder / CorpusKind.GOLDEN).rglob("*.ndjson"))
    path.write_text(path.read_text("utf-8").replace('"provenance"', '"provenence"', 1))
    with pytest.raises(CorpusError):
        CorpusManifest.of_folder(folder, FIRST_VERSION)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": "1.0", "format": 1, "files": {}}', '{"version": 1, "files": {}}']
)
def test_another_file_is_no_manifest(tmp_path: Path, text: str) -> None:
    """The error names the file."""
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(CorpusError, match=r"manifest\.json: is not a manifest"):
        CorpusManifest.read(tmp_path)


def test_a_file_of_the_corpus_has_one_line(folder: Path) -> None:
    """So that a change of one message is a change of one line."""
    manifest = CorpusManifest.of_folder(folder, FIRST_VERSION)
    lines = manifest.text().splitlines()
    assert len(lines) == len(manifest.files) + 6
    assert json.loads(manifest.text())["version"] == FIRST_VERSION
