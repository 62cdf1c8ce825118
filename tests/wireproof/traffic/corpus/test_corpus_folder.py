"""A corpus is written whole or not at all, and is read from any place."""

import pickle
from pathlib import Path

import pytest

from tests.support.environments import small_corpus, small_environment
from wireproof.traffic.corpus.corpus_entry import CorpusError
from wireproof.traffic.corpus.corpus_file import CorpusKind, corpus_file_text
from wireproof.traffic.corpus.corpus_folder import NewCorpusFolder, open_set

ENVIRONMENT = small_environment.make()()
CELLS = [small_environment.cell("PingRequest", version) for version in (0, 3)]
PARTS = small_corpus.parts_of(ENVIRONMENT, CELLS)


def test_an_interrupted_writer_leaves_no_files(tmp_path: Path) -> None:
    """After Ctrl-C neither the folder nor a temporary file is left."""

    def stopped() -> None:
        with NewCorpusFolder(tmp_path / "set") as new:
            new.write(PARTS[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()

    assert list(tmp_path.iterdir()) == []


def test_existing_files_are_never_overwritten(tmp_path: Path) -> None:
    """A folder with content is refused and stays as it is; an empty one is used."""
    small_corpus.write_set(tmp_path / "set", ENVIRONMENT, CELLS)
    before = sorted(path.read_bytes() for path in (tmp_path / "set").rglob("*.ndjson"))
    with pytest.raises(FileExistsError), NewCorpusFolder(tmp_path / "set"):
        raise AssertionError("not reached")
    (tmp_path / "empty").mkdir()
    small_corpus.write_set(tmp_path / "empty", ENVIRONMENT, CELLS)

    assert sorted(path.read_bytes() for path in (tmp_path / "set").rglob("*.ndjson")) == before
    assert {path.name for path in tmp_path.iterdir()} == {"set", "empty"}


def test_folder_file_and_stream_hold_the_same_entries(tmp_path: Path) -> None:
    """The same entries come from a folder, a part of it, one file, and the output of `--output -`, also after
    pickling."""
    folder = small_corpus.write_set(tmp_path / "set", ENVIRONMENT, CELLS)
    golden = folder / "golden/1.0.0/clients/PingRequest.ndjson"
    text = "".join(map(corpus_file_text, PARTS))
    (tmp_path / "one.ndjson").write_text(text, "utf-8")
    for source, parts in (
        (open_set(folder), PARTS),
        (open_set(folder / "golden"), PARTS[:1]),
        (open_set(golden), PARTS[:1]),
        (open_set(tmp_path / "one.ndjson"), PARTS),
        (open_set(Path("-"), text), PARTS),
    ):
        source.index()
        there = pickle.loads(pickle.dumps(source))
        for cell in CELLS:
            want = [entry for part in parts for entry in part.entries if entry.cell == cell.id]
            assert there.of(cell.id) == want
    assert open_set(folder).of("1.0.0/PingRequest/1") == []


def test_one_kind_of_entries_can_be_read_alone(tmp_path: Path) -> None:
    """Unwanted malformed entries are skipped, but their files must be whole."""
    folder = small_corpus.write_set(tmp_path / "set", ENVIRONMENT, CELLS)
    source = open_set(folder)
    source.index((CorpusKind.GOLDEN,))

    assert {type(entry).__name__ for entry in source.of(CELLS[0].id)} == {"GoldenEntry"}

    spoiled = folder / "malformed/1.0.0/clients/PingRequest.ndjson"
    spoiled.write_bytes(spoiled.read_bytes()[:-40])
    with pytest.raises(CorpusError, match="cut short"):
        open_set(folder).index((CorpusKind.GOLDEN,))


def test_a_path_without_a_corpus_is_refused(tmp_path: Path) -> None:
    """The path is an empty folder, a missing file, or a file that is not text."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for path, words in (
        (tmp_path, "no corpus file"),
        (tmp_path / "none", "cannot be read"),
        (tmp_path / "binary", "not UTF-8"),
    ):
        with pytest.raises(CorpusError, match=words):
            open_set(path)
