"""The same mistake has the same exit code in every command."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from wireproof.cli.app import _wireproof
from wireproof.exit_codes import ExitCode

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
TABLE = [(words, "unknown release '9.9", ExitCode.USAGE) for words in UNKNOWN_RELEASE] + [
    (words, "nosuch is no testee", ExitCode.MISSING) for words in MISTYPED_TESTEE
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
    ran = CliRunner().invoke(_wireproof, words)
    assert message in ran.output, ran.output
    assert ran.exit_code == code
