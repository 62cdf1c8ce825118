"""`corpus fmt` and `corpus min` on folders, files and streams: what they print, change and end with."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.support.environments import small_corpus
from wireproof.app.cli.corpus.corpus_command import command
from wireproof.base.exit_codes import FatalError
from wireproof.traffic.corpus.corpus_entry import id_of
from wireproof.traffic.corpus.corpus_folder import open_set

CELLS = small_corpus.real_cells("MetadataRequest", 0, 9, 13)
GOLDEN = "golden/4.4.0/clients/MetadataRequest.ndjson"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with the account of a capture."""
    folder = tmp_path_factory.mktemp("corpus") / "set"
    small_corpus.write_set(folder, small_corpus.real_environment(), CELLS)
    return folder


@pytest.fixture
def corpus(made: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may spoil."""
    for path in made.rglob("*.ndjson"):
        copy = tmp_path / path.relative_to(made)
        copy.parent.mkdir(parents=True)
        copy.write_bytes(path.read_bytes())
    account = {"coverage": 1, "release": "4.4.0", "listeners": {}}
    (tmp_path / "coverage").mkdir()
    (tmp_path / "coverage/4.4.0.json").write_text(json.dumps(account, indent=1) + "\n", "utf-8")
    return tmp_path


def asked(*words: object, text: str | None = None) -> Result:
    return CliRunner().invoke(command, [*map(str, words)], input=text, standalone_mode=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_in_form_stays(corpus: Path) -> None:
    """Exit code 0, nothing printed, nothing written."""
    before = contents(corpus)
    for words in (["fmt"], ["fmt", "--check"]):
        result = asked(*words, corpus)
        assert (result.return_value, result.stdout) == (0, "")
        assert "3 files, 0 " in result.stderr
    assert contents(corpus) == before


def test_what_is_not_is_listed_and_written(corpus: Path) -> None:
    """With --check its names and exit code 1; without it is put right, the account of captures, too."""
    before = contents(corpus)
    for path in (corpus / GOLDEN, corpus / "coverage/4.4.0.json"):
        path.write_text(path.read_text("utf-8").replace(":", ": "), "utf-8")
    spoiled = contents(corpus)
    checked = asked("fmt", "--check", corpus)
    assert checked.return_value == 1
    assert checked.stdout.split() == [str(corpus / GOLDEN), str(corpus / "coverage/4.4.0.json")]
    assert contents(corpus) == spoiled

    assert asked("fmt", corpus).return_value == 0
    assert contents(corpus) == before
    assert asked("fmt", "--check", corpus / GOLDEN).return_value == 0


def test_what_was_edited_stays_and_the_rest_is_put_right(corpus: Path) -> None:
    """Exit code 1 with the line; the other file is written."""
    (malformed,) = (corpus / "malformed").rglob("*.ndjson")
    right = malformed.read_bytes()
    malformed.write_bytes(right.replace(b"\n", b"\r\n"))
    golden = corpus / GOLDEN
    edited = golden.read_bytes().replace(b'"name":"', b'"name":"x', 1)
    golden.write_bytes(edited)
    result = asked("fmt", corpus)

    assert result.return_value == 1
    assert f"{golden}:2: edited by hand: " in result.stderr
    assert golden.read_bytes() == edited
    assert malformed.read_bytes() == right


def test_a_stream_is_put_right_on_its_way(corpus: Path) -> None:
    """From standard input to standard output; what cannot be put right writes nothing."""
    text = (corpus / GOLDEN).read_text("utf-8")

    assert asked("fmt", "-", text=text.replace("\n", "\n\n")).stdout == text
    broken = asked("fmt", "-", text=text[:-20])
    assert (broken.return_value, broken.stdout) == (1, "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["fmt", "nowhere"], "nowhere: does not exist"),
        (["fmt", "-", "--check"], "excludes other paths and --check"),
        (["min", "nowhere"], "nowhere: does not exist"),
    ],
)
def test_what_cannot_be_done_is_said(words: list[str], says: str) -> None:
    """Exit code 2, in words."""
    error = asked(*words).exception

    assert isinstance(error, FatalError | click.ClickException)
    assert error.exit_code == 2
    assert says in str(error)


def test_min_says_what_goes_and_takes_it_away(corpus: Path) -> None:
    """A dry run prints the same lines and changes nothing; what is left is whole, and has no more to give."""
    before = contents(corpus)
    dry = asked("min", "--dry-run", corpus)
    assert contents(corpus) == before
    wet = asked("min", corpus)
    assert wet.stdout == dry.stdout != ""
    assert "would go" in dry.stderr
    gone = {line.split("\t")[0] for line in wet.stdout.splitlines()}
    assert all(len(line.split("\t")) == 4 for line in wet.stdout.splitlines())
    left = {id_of(each) for _, part in open_set(corpus).index() for each in part.entries}
    assert not gone & left
    ids = {
        json.loads(line)["id"]
        for name, data in before.items()
        if name.endswith("ndjson")
        for line in data.splitlines()
        if b'"corpus"' not in line
    }
    assert gone | left == ids
    assert asked("lint", corpus).return_value == 0
    assert asked("min", corpus).stdout == ""


def test_min_changes_nothing_of_what_is_not_whole(corpus: Path) -> None:
    """An edited entry anywhere keeps every file as it is."""
    golden = corpus / GOLDEN
    golden.write_bytes(golden.read_bytes().replace(b'"name":"', b'"name":"x', 1))
    before = contents(corpus)
    result = asked("min", corpus)

    assert isinstance(result.exception, FatalError)
    assert result.exception.exit_code == 1
    assert "edited by hand" in str(result.exception)
    assert contents(corpus) == before
