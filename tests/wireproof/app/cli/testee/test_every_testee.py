"""All testees that come with wireproof: none is forgotten, and each one's end is reported."""

import configparser
import itertools
import re
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from wireproof.app.cli.options import one_after_the_other
from wireproof.app.cli.testee.testee_command import command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.proof.testees.description.manifest import (
    Manifest,
    every_shipped_word,
    read_manifest,
    shipped,
    shipped_folder,
)

ROOT = Path(__file__).parents[5]


def manifests() -> list[Manifest]:
    return [read_manifest(shipped_folder() / name) for name in shipped()]


def environment(name: str) -> list[list[str]]:
    """The commands of a tox environment."""
    tox = configparser.ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    return [shlex.split(line) for line in tox[f"testenv:{name}"]["commands"].splitlines() if line]


def ci_gates() -> list[str]:
    """The words of each gate of testees that a change must pass."""
    text = (ROOT / ".ci" / "run").read_text().replace("\\\n", " ")
    return re.findall(r"^ *part \d+ testees .*?-- testee run (.*)$", text, re.MULTILINE)


def names_in(words: str) -> list[str]:
    return list(itertools.takewhile(lambda word: word[0] != "-", shlex.split(words)))


def test_every_testee_has_its_turn_in_each_variant() -> None:
    """But for those whose build is slow."""
    words = list(every_shipped_word())
    for manifest in manifests():
        found = [word for word in words if word.partition(":")[0] == manifest.name]
        wanted = [f"{manifest.name}:{each}" for each in manifest.variants] or [manifest.name]
        assert found == ([] if manifest.slow else wanted)


def test_the_environments_ask_for_all() -> None:
    """A new adapter is checked and proven without being named anywhere."""
    assert environment("testees") == [["wireproof", "{posargs:testee", "run", "--all}"]]
    assert environment("adapters") == [["wireproof", "testee", "check", "{posargs:--all}"]]


def test_the_page_says_how_to_run_a_slow_testee() -> None:
    """`--all` leaves it out."""
    page = (ROOT / "docs" / "reference" / "codecs.md").read_text("utf-8")
    slow = [manifest.name for manifest in manifests() if manifest.slow]
    assert slow
    assert all(f"`wireproof testee {verb} {name}`" in page for verb in ("check", "run") for name in slow)


def test_ci_proves_testees_that_there_are() -> None:
    """The gates that a change must pass are of testees that there are."""
    words = [word for words in ci_gates() for word in names_in(words)]
    assert words
    assert set(words) <= set(every_shipped_word())


def test_ci_holds_ledgers_against_all_mutations() -> None:
    """The default plan has a slice of them: a cause that is right there may be wrong in the rest."""
    (words,) = (words for words in ci_gates() if "--phase mutations" in words)
    names = names_in(words)
    assert names
    for name in names:
        ledger = tomllib.loads((shipped_folder() / name.partition(":")[0] / "ledger.toml").read_text())
        assert "stricter" in ledger["bounds"], name
    assert '--shard "$((commits % ' in words


def test_the_list_counts_what_is_known_of_each() -> None:
    """Name, version, language, variants, deviations in the ledger (if any), whether built."""
    ran = CliRunner().invoke(command, ["list", "--format", "tsv"], standalone_mode=False)
    rows = {row[0]: row for row in (line.split("\t") for line in ran.output.splitlines())}
    assert list(rows) == shipped()
    for manifest in manifests():
        ledger = manifest.folder / "ledger.toml"
        tables = tomllib.loads(ledger.read_text()) if ledger.is_file() else {}
        known = len(tables.get("deviation", ()))
        assert known or manifest.name == "java-kafka"
        about = [manifest.name, manifest.version, manifest.language]
        assert rows[manifest.name][:3] == about
        assert rows[manifest.name][4] == str(known)
        assert rows[manifest.name][5] in ("yes", "no", "slow")


def doing(codes: dict[str, int | FatalError], done: list[str]) -> Callable[[str], int]:
    def do(word: str) -> int:
        done.append(word)
        code = codes[word]
        if isinstance(code, FatalError):
            raise code
        return code

    return do


@pytest.mark.parametrize(
    ("codes", "code"),
    [
        ({"a": 0, "b": 0}, 0),
        ({"a": 0, "b": 6, "c": 1}, 1),
        ({"a": 1, "b": FatalError("no go", "", ExitCode.MISSING), "c": 0}, 4),
        ({"a": 7, "b": 6}, 6),
    ],
)
def test_each_has_its_turn_and_the_first_kind_counts(
    codes: dict[str, int | FatalError], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order of the public surface; the end says how each ended."""
    done: list[str] = []
    assert one_after_the_other(list(codes), doing(codes, done)) == code
    assert done == list(codes)
    ends = capsys.readouterr().err.splitlines()[-len(codes) :]
    assert [line.split()[1] for line in ends] == list(codes)


def test_an_interrupt_ends_all() -> None:
    """Nobody wants to type Ctrl-C once for each."""
    done: list[str] = []
    assert one_after_the_other(["a", "b"], doing({"a": 130, "b": 0}, done)) == 130
    assert done == ["a"]


@pytest.mark.parametrize("words", [["run"], ["run", "--all", "x"], ["check"], ["check", "--all", "x"]])
def test_names_or_all(words: list[str]) -> None:
    """Neither and both are a mistake."""
    ran = CliRunner().invoke(command, words)
    assert ran.exit_code == 2
    assert "name testees, or give --all" in ran.output
