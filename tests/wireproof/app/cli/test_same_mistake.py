"""The same mistake has the same exit code in every command."""

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.support.environments import small_corpus
from wireproof.app.cli.app import command_line
from wireproof.base.exit_codes import ExitCode

CASE = "MetadataRequest/12/enumerated/topics/null"
UNKNOWN_RELEASE = (
    ("run", "--release", "9.9"),
    ("cells", "--release", "9.9"),
    ("show", "9.9.9/FetchRequest/12"),
    ("matrix", "--release", "9.9"),
    ("power", "--release", "9.9"),
    ("replay", f"9.9.9/{CASE}"),
    ("releases", "9.9"),
    ("testee", "check", "python-kafka-python", "--release", "9.9"),
    ("corpus", "make", "9.9", "--output", "made"),
    ("judge", "--broker", "jars:9.9", "--", "true"),
    ("capture", "--broker", "jars:9.9", "--output", "made"),
)
MISTYPED_TESTEE = (
    ("run", "--testee", "nosuch"),
    ("matrix", "--testee", "nosuch"),
    ("power", "--testee", "nosuch"),
    ("replay", "--testee", "nosuch", f"4.4.0/{CASE}"),
    ("testee", "check", "nosuch"),
    ("testee", "run", "nosuch"),
)
ORACLE_OF_A_CORPUS = (
    ("run", "--no-java", "edited"),
    ("replay", "--no-java", "edited", "4.4.0/MetadataRequest/9/corpus/x"),
    ("decode", "--corpus", "edited", "00"),
)
CORPUS_ITSELF = (
    ("corpus", "lint", "edited"),
    ("corpus", "fmt", "--check", "edited"),
    ("corpus", "min", "edited"),
    ("corpus", "stats", "edited"),
    ("corpus", "verify", "--no-java", "edited"),
)
TABLE = [(words, "unknown release '9.9", ExitCode.USAGE) for words in UNKNOWN_RELEASE] + [
    (words, "nosuch is not a testee", ExitCode.MISSING) for words in MISTYPED_TESTEE
]
EDITED_CORPUS = [(words, ExitCode.BROKEN) for words in ORACLE_OF_A_CORPUS] + [
    (words, ExitCode.DIVERGENCE) for words in CORPUS_ITSELF
]


@pytest.mark.parametrize(
    ("words", "message", "code"), TABLE, ids=lambda each: " ".join(each) if isinstance(each, tuple) else ""
)
def test_a_mistake(
    words: tuple[str, ...], message: str, code: ExitCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code is that of the table, and the error names what was typed."""
    monkeypatch.chdir(tmp_path)
    for word in ("PYTHONWARNINGS", "PYTHONDEVMODE"):  # a codec may warn, though these tests may not
        monkeypatch.delenv(word, raising=False)
    ran = CliRunner().invoke(command_line, words)
    assert message in ran.output, ran.output
    assert ran.exit_code == code


@pytest.fixture(scope="module")
def edited_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus in which one digit of one entry was changed by hand."""
    folder = tmp_path_factory.mktemp("corpora")
    cells = small_corpus.real_cells("MetadataRequest", 9)
    written = small_corpus.write_set(folder / "edited", small_corpus.real_environment(), cells)
    (file, *_) = sorted(written.rglob("*.ndjson"))
    head, entry, *rest = file.read_text().splitlines(keepends=True)
    changed, edits = re.subn(r'("body":")([0-9a-f])', _other_digit, entry, count=1)
    assert edits == 1
    file.write_text("".join([head, changed, *rest]))
    return folder


def _other_digit(found: re.Match[str]) -> str:
    return found[1] + ("1" if found[2] == "0" else "0")


@pytest.mark.parametrize(
    ("words", "code"), EDITED_CORPUS, ids=lambda each: " ".join(each) if isinstance(each, tuple) else ""
)
def test_an_edited_corpus(
    words: tuple[str, ...], code: ExitCode, edited_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the oracle of a command it failed (5). The commands of a corpus find it (1). All name the edit."""
    monkeypatch.chdir(edited_corpus)
    ran = CliRunner().invoke(command_line, words, standalone_mode=False)
    error = ran.exception
    assert "edited by hand: its id is" in f"{ran.output}{error}"
    assert (error.exit_code if isinstance(error, click.ClickException) else ran.return_value) == code
