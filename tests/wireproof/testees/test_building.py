"""Testees from their folders: what is read of testee.toml, and how they are built."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from wireproof.testees import ChildProcess, Container, TesteeError, prepare_testee, shipped
from wireproof.testees.build.testee_build import build_folder
from wireproof.testees.description import manifest
from wireproof.testees.description.manifest import TesteeReference, read_manifest

GOOD = """
name = "python-mine"
language = "python"
version = "1.0"
variants = ["fast", "slow"]
build = [["{python}", "-c", "open('built', 'w').write('{version}')"]]
run = ["./run.sh", "{variant}", "{other}", "{folder}"]
[limits]
memory_mib = 100
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "a testee"
    made.mkdir()
    (made / "testee.toml").write_text(GOOD)
    (made / "run.sh").write_text("#!/bin/sh\n")
    return made


def quiet(words: str) -> None:
    """Listens and says nothing."""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("python-mine", TesteeReference("python-mine")),
        ("python-mine:slow@2.0", TesteeReference("python-mine", "slow", "2.0")),
        ("./a folder/x@1.2-rc1", TesteeReference("./a folder/x", "", "1.2-rc1")),
        ("@", TesteeReference("@")),
    ],
)
def test_the_word_that_names_a_testee(text: str, word: TesteeReference) -> None:
    """Name, variant, version; what cannot be taken apart is a name."""
    assert TesteeReference.parse(text) == word


def test_a_folder_is_built_into_the_cache(folder: Path, tmp_path: Path) -> None:
    """Placeholders are filled in, other braces stay; the program is found where it was built."""
    launch = prepare_testee(f"{folder}:slow@2.0", tmp_path / "cache", quiet)

    assert isinstance(launch.target, ChildProcess)
    assert launch.target.folder is not None
    assert launch.target.folder.parent == tmp_path / "cache" / "testees"
    assert (launch.target.folder / "built").read_text() == "2.0"
    assert launch.target.command == (str(launch.target.folder / "run.sh"), "slow", "{other}", str(folder))
    assert launch.name == "python-mine:slow@2.0"
    assert launch.target.limits.memory_bytes == 100 << 20
    assert launch.home == folder


def test_another_version_than_the_folder_names(folder: Path, tmp_path: Path) -> None:
    """What the folder says beside it, its ledger, is of the one that it names."""
    built = {version: prepare_testee(f"{folder}{version}", tmp_path, print) for version in ("", "@1.0", "@3")}
    assert {version: launch.instead_of for version, launch in built.items()} == {
        "": "",
        "@1.0": "",
        "@3": "1.0",
    }


def test_what_a_build_reads_of_wireproof_is_part_of_it(folder: Path, tmp_path: Path) -> None:
    """A new table of releases is a new build; one that reads nothing of it is not made anew."""
    text = (folder / "testee.toml").read_text()
    (folder / "testee.toml").write_text(f'reads = ["releases"]\n{text}')
    reading = [read_manifest(folder), replace(read_manifest(folder), reads=())]
    assert len({build_folder(each, "1.0", tmp_path) for each in reading}) == 2
    (folder / "testee.toml").write_text(f'reads = ["moods"]\n{text}')
    with pytest.raises(TesteeError, match="reads has to be a list of releases"):
        read_manifest(folder)


def test_it_is_built_once(folder: Path, tmp_path: Path) -> None:
    """Until a file of it changes, or another version is asked for."""
    told: list[str] = []

    def build(word: str) -> Path | None:
        target = prepare_testee(word, tmp_path, told.append).target
        assert isinstance(target, ChildProcess)
        return target.folder

    first = build(str(folder))
    assert build(str(folder)) == first
    assert build(f"{folder}:slow") == first
    assert len(told) == 1
    assert build(f"{folder}@3") != first
    (folder / "run.sh").write_text("#!/bin/sh\nexit 0\n")
    assert build(str(folder)) != first
    assert told == [
        "building python-mine with 1.0 of its codec",
        "building python-mine with 3 of its codec",
        "building python-mine with 1.0 of its codec",
    ]


def test_a_build_that_fails(folder: Path, tmp_path: Path) -> None:
    """The command, its code and its last words are told; nothing that looks finished is left."""
    command = "import sys; print('no compiler', file=sys.stderr); sys.exit(3)"
    (folder / "testee.toml").write_text(GOOD.replace("open('built', 'w').write('{version}')", command))
    with pytest.raises(TesteeError, match=r"(?s)python-mine does not build: .* ended with 3:\n  no compiler"):
        prepare_testee(str(folder), tmp_path / "cache", quiet)
    assert list((tmp_path / "cache" / "testees").iterdir()) == []


def test_a_build_that_fails_and_complains_on_standard_output(folder: Path, tmp_path: Path) -> None:
    """As Maven does, which writes colours and nothing else to standard error."""
    command = r"import sys; print('\x1b[1mno pom\x1b[0m'); print('\x1b[0m', file=sys.stderr); sys.exit(1)"
    program = folder / "complain.py"
    program.write_text(command)
    (folder / "testee.toml").write_text(
        GOOD.replace("\"-c\", \"open('built', 'w').write('{version}')\"", '"complain.py"')
    )
    with pytest.raises(TesteeError, match=r"ended with 1:\n  no pom"):
        prepare_testee(str(folder), tmp_path / "cache", quiet)


def test_a_tool_that_is_missing(folder: Path, tmp_path: Path) -> None:
    """The language says what is to be installed."""
    (folder / "testee.toml").write_text(GOOD.replace('"{python}"', '"/nowhere/compiler"'))
    with pytest.raises(TesteeError, match=r"(?s)cannot start /nowhere/compiler.*written in python: install"):
        prepare_testee(str(folder), tmp_path / "cache", quiet)


def test_nothing_is_built_offline(folder: Path, tmp_path: Path) -> None:
    """What is built already is used; the error says what is missing. A testee without a build needs none."""
    cache = tmp_path / "cache"
    with pytest.raises(TesteeError, match=r"(?s)with 1.0 of its codec is not built, and --offline.*Run once"):
        prepare_testee(str(folder), cache, quiet, offline=True)
    assert not cache.exists()
    built = prepare_testee(str(folder), cache, quiet)
    assert prepare_testee(str(folder), cache, quiet, offline=True) == built
    (folder / "testee.toml").write_text(
        "\n".join(line for line in GOOD.splitlines() if not line.startswith("build"))
    )
    prepare_testee(str(folder), cache, quiet, offline=True)


def test_a_known_tool_that_is_missing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the line that installs the tool."""
    (folder / "testee.toml").write_text(GOOD.replace('"{python}"', '"mvn"'))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TesteeError, match=r"(?s)cannot start mvn.*Type: .* install maven"):
        prepare_testee(str(folder), tmp_path / "cache", quiet)


def test_a_rustup_without_a_default_toolchain(folder: Path, tmp_path: Path) -> None:
    """The error has one line of rustup's advice, not its whole output."""
    written = "error: rustup could not choose a version of cargo to run, and no default is configured."
    command = f"import sys; print('{written}', file=sys.stderr); sys.exit(1)"
    (folder / "testee.toml").write_text(GOOD.replace("open('built', 'w').write('{version}')", command))
    with pytest.raises(TesteeError) as raised:
        prepare_testee(str(folder), tmp_path / "cache", quiet)
    assert raised.value.message.endswith("has no default Rust toolchain")
    assert "Type: rustup default stable" in str(raised.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("name =", "nome ="), "nome is not a key of it; name has to be a text"),
        (lambda text: text.replace('version = "1.0"', "version = 1.0"), "version has to be a text"),
        (lambda text: text.replace('run = ["', 'run = "').replace('{folder}"]', 'x"'), "cannot read"),
        (
            lambda text: text.replace("memory_mib = 100", "memory_mib = 0"),
            "limits.memory_mib has to be",
        ),
        (lambda text: text.replace("memory_mib", "memory"), "limits.memory is not a key of it"),
        (
            lambda text: text.replace("build = [[", "build = [").replace("]]", "]"),
            "build has to be a list",
        ),
    ],
)
def test_a_manifest_that_is_wrong(folder: Path, change: Callable[[str], str], words: str) -> None:
    """All of what is wrong is told, with the file."""
    (folder / "testee.toml").write_text(change(GOOD))
    with pytest.raises(TesteeError) as raised:
        read_manifest(folder)
    assert words in raised.value.message
    assert str(folder) in raised.value.message


def test_a_variant_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    """Those that are there are named."""
    with pytest.raises(TesteeError, match=r"no variant 'quick'\nIt has: fast, slow\."):
        prepare_testee(f"{folder}:quick", tmp_path, quiet)


def test_a_program_is_a_testee(tmp_path: Path) -> None:
    """It is started as it is; what is neither folder nor program is told so."""
    launch = prepare_testee(sys.executable, tmp_path, quiet)
    assert launch.target == ChildProcess((str(Path(sys.executable).resolve()),))
    with pytest.raises(TesteeError, match="nobody is not a testee: not one that comes with wireproof"):
        prepare_testee("nobody", tmp_path, quiet)


@pytest.mark.parametrize("name", shipped())
def test_the_testees_that_come_with_wireproof(name: str) -> None:
    """Their folders bear their names, and their manifests can be read."""
    from wireproof.testees import shipped_folder

    read = read_manifest(shipped_folder() / name)
    assert read.name == name
    assert name.startswith(f"{read.language}-")


def test_the_manifest_of_the_page(tmp_path: Path) -> None:
    """It can be read, and the page has every key and limit that there is."""
    page = (Path(__file__).parents[3] / "docs" / "reference" / "testee-protocol.md").read_text("utf-8")
    (tmp_path / "testee.toml").write_text(page.split("```toml\n")[1].split("```")[0])

    assert read_manifest(tmp_path).variants == ("compiled", "interpreted")
    for key in (*manifest.KEYS, *manifest.LIMITS):
        assert f"| `{key}` |" in page


def test_an_image_in_place_of_a_command(folder: Path, tmp_path: Path) -> None:
    """With the limits of the file and a label for each run; nothing is loaded until it starts."""
    (folder / "testee.toml").write_text(
        'name = "own"\nlanguage = "go"\nversion = "7"\ncontainer = "own:{version}"\nrun = ["--fast"]\n'
        "[limits]\nmemory_mib = 100\nprocesses = 9\n"
    )
    own, again = (prepare_testee(str(folder), tmp_path, quiet).target for _ in range(2))
    bare = prepare_testee("container:some/image:2", tmp_path, quiet)

    assert isinstance(own, Container)
    assert isinstance(again, Container)
    assert isinstance(bare.target, Container)
    assert (own.image, own.command) == ("own:7", ("--fast",))
    assert (own.limits.memory_bytes, own.limits.processes) == (100 << 20, 9)
    assert own.run != again.run
    assert (bare.target.image, bare.target.command, bare.home) == ("some/image:2", (), None)
    loaded = "import sys, wireproof.testees; assert not {'docker', 'testcontainers'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", loaded], check=True)
