"""Testees in folders: reading of testee.toml, and building."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from wireproof.proof.testees.build.launch import prepare_testee
from wireproof.proof.testees.build.testee_build import build_folder
from wireproof.proof.testees.description import manifest
from wireproof.proof.testees.description.manifest import (
    TesteeReference,
    read_manifest,
    shipped,
    shipped_folder,
)
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.process.testee_container import Container
from wireproof.proof.testees.testee_errors import TesteeError

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
    """Ignore a message."""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("python-mine", TesteeReference("python-mine")),
        ("python-mine:slow@2.0", TesteeReference("python-mine", "slow", "2.0")),
        ("./a folder/x@1.2-rc1", TesteeReference("./a folder/x", "", "1.2-rc1")),
        ("@", TesteeReference("@")),
    ],
)
def test_a_testee_is_named_by_a_word(text: str, word: TesteeReference) -> None:
    """A word has a name, a variant and a version; a word without such parts is a name."""
    assert TesteeReference.parse(text) == word


def test_a_folder_is_built_into_the_cache(folder: Path, tmp_path: Path) -> None:
    """Placeholders are replaced, other braces stay; the program is found in the cache."""
    launch = prepare_testee(f"{folder}:slow@2.0", tmp_path / "cache", quiet)

    assert isinstance(launch.target, ChildProcess)
    assert launch.target.folder is not None
    assert launch.target.folder.parent == tmp_path / "cache" / "testees"
    assert (launch.target.folder / "built").read_text() == "2.0"
    assert launch.target.command == (str(launch.target.folder / "run.sh"), "slow", "{other}", str(folder))
    assert launch.name == "python-mine:slow@2.0"
    assert launch.target.limits.memory_bytes == 100 << 20
    assert launch.home == folder


def test_another_version_has_no_ledger(folder: Path, tmp_path: Path) -> None:
    """The folder's ledger is for the version that the folder names."""
    built = {version: prepare_testee(f"{folder}{version}", tmp_path, print) for version in ("", "@1.0", "@3")}
    assert {version: launch.instead_of for version, launch in built.items()} == {
        "": "",
        "@1.0": "",
        "@3": "1.0",
    }


def test_a_build_depends_on_the_files_of_wireproof_that_it_reads(folder: Path, tmp_path: Path) -> None:
    """A changed table of releases needs a new build; a testee that does not read the table is not built
    again."""
    text = (folder / "testee.toml").read_text()
    (folder / "testee.toml").write_text(f'reads = ["releases"]\n{text}')
    reading = [read_manifest(folder), replace(read_manifest(folder), reads=())]
    assert len({build_folder(each, "1.0", tmp_path) for each in reading}) == 2
    (folder / "testee.toml").write_text(f'reads = ["moods"]\n{text}')
    with pytest.raises(TesteeError, match="reads has to be a list of releases"):
        read_manifest(folder)


def test_a_testee_is_built_once(folder: Path, tmp_path: Path) -> None:
    """A changed file, or another version, needs a new build."""
    messages: list[str] = []

    def build(word: str) -> Path | None:
        target = prepare_testee(word, tmp_path, messages.append).target
        assert isinstance(target, ChildProcess)
        return target.folder

    first = build(str(folder))
    assert build(str(folder)) == first
    assert build(f"{folder}:slow") == first
    assert len(messages) == 1
    assert build(f"{folder}@3") != first
    (folder / "run.sh").write_text("#!/bin/sh\nexit 0\n")
    assert build(str(folder)) != first
    assert messages == [
        "building python-mine with 1.0 of its codec",
        "building python-mine with 3 of its codec",
        "building python-mine with 1.0 of its codec",
    ]


def test_builds_that_no_run_used_for_a_week_are_removed(folder: Path, tmp_path: Path) -> None:
    """A new build removes its own testee's: each edit of an adapter makes one. A build in use is as young as
    its last use. Builds of others, folders of the user and links stay, whatever their names."""
    cache = tmp_path / "cache" / "testees"

    def build(text: str) -> Path:
        (folder / "run.sh").write_text(f"#!/bin/sh\n{text}\n")
        target = prepare_testee(str(folder), tmp_path / "cache", quiet).target
        assert isinstance(target, ChildProcess)
        assert target.folder is not None
        return target.folder

    old, used, young = map(build, ("exit 1", "exit 2", "exit 3"))
    others = [cache / "python-mine-2@1.0-old", cache / "python-mine@1.0-mine", cache / "python-mine@1.0-link"]
    for each in others[:2]:
        (each / "env").mkdir(parents=True)
    others[2].symlink_to(young)
    long_ago = time.time() - 8 * 86_400
    for each in (old, used, *others[:2]):
        os.utime(each, (long_ago, long_ago))
    os.utime(others[2], (long_ago, long_ago), follow_symlinks=False)
    build("exit 2")
    new = build("exit 4")
    assert set(cache.iterdir()) == {used, young, new, *others}


def test_a_failed_build_is_an_error(folder: Path, tmp_path: Path) -> None:
    """The error has the command, its exit code and the end of its output; no half-built folder is left."""
    command = "import sys; print('no compiler', file=sys.stderr); sys.exit(3)"
    (folder / "testee.toml").write_text(GOOD.replace("open('built', 'w').write('{version}')", command))
    with pytest.raises(TesteeError, match=r"(?s)python-mine does not build: .* ended with 3:\n  no compiler"):
        prepare_testee(str(folder), tmp_path / "cache", quiet)
    assert list((tmp_path / "cache" / "testees").iterdir()) == []


@pytest.mark.parametrize("name", ["node_modules", "env", "target"])
@pytest.mark.parametrize("fails", ["build", "start"])
def test_a_folder_that_is_not_copied_is_named(folder: Path, tmp_path: Path, name: str, fails: str) -> None:
    """A testee that needs what builds make, and does not make it, gets the command to add to its build."""
    (folder / name).mkdir()
    (folder / "run.sh").chmod(0o755)
    need = f"import os, sys; sys.exit(not os.path.isdir('{name}'))"
    made = "open('built', 'w').write('{version}')"
    (folder / "testee.toml").write_text(GOOD.replace(made, need) if fails == "build" else GOOD)
    with pytest.raises(TesteeError) as raised:
        prepare_testee(str(folder), tmp_path / "cache", quiet).open_session("wireproof").hello()
    assert raised.value.advice.startswith(f"{folder / name} is not copied into the cache. Let `build`")
    (folder / "testee.toml").write_text(GOOD.replace(made, f"import os; os.mkdir('{name}')"))
    with pytest.raises(TesteeError) as other:
        prepare_testee(str(folder), tmp_path / "cache", quiet).open_session("wireproof").hello()
    assert other.value.advice.startswith("Try it by hand"), "its build makes the folder"


def test_the_error_of_a_build_may_be_on_standard_output(folder: Path, tmp_path: Path) -> None:
    """Maven does so: it writes only colours to standard error."""
    command = r"import sys; print('\x1b[1mno pom\x1b[0m'); print('\x1b[0m', file=sys.stderr); sys.exit(1)"
    program = folder / "complain.py"
    program.write_text(command)
    (folder / "testee.toml").write_text(
        GOOD.replace("\"-c\", \"open('built', 'w').write('{version}')\"", '"complain.py"')
    )
    with pytest.raises(TesteeError, match=r"ended with 1:\n  no pom"):
        prepare_testee(str(folder), tmp_path / "cache", quiet)


def test_a_missing_language_is_an_error(folder: Path, tmp_path: Path) -> None:
    """The error names the program to install for the language."""
    (folder / "testee.toml").write_text(GOOD.replace('"{python}"', '"/nowhere/compiler"'))
    with pytest.raises(TesteeError, match=r"(?s)cannot start /nowhere/compiler.*written in python: install"):
        prepare_testee(str(folder), tmp_path / "cache", quiet)


def test_nothing_is_built_offline(folder: Path, tmp_path: Path) -> None:
    """An earlier build is used, and the error names a missing one. A testee without a build needs none."""
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


def test_a_missing_known_tool_is_an_error(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error has the command that installs the tool."""
    (folder / "testee.toml").write_text(GOOD.replace('"{python}"', '"mvn"'))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TesteeError, match=r"(?s)cannot start mvn.*Type: .* install maven"):
        prepare_testee(str(folder), tmp_path / "cache", quiet)


def test_rustup_without_a_default_toolchain_is_an_error(folder: Path, tmp_path: Path) -> None:
    """The error has one line of rustup's advice instead of its whole output."""
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
        (lambda text: 'takes = "1.x"\n' + text, "takes: '1.x' has another form than >=1.2.0"),
        (lambda text: "takes = 1\n" + text, "takes has to be a text"),
        (lambda text: text.replace('run = ["', 'run = "').replace('{folder}"]', 'x"'), "cannot read"),
        (lambda text: text.replace("memory_mib = 100", "memory_mib = 0"), "limits.memory_mib has to be"),
        (lambda text: text.replace("memory_mib", "memory"), "limits.memory is not a key of it"),
        (lambda text: text.replace("build = [[", "build = [").replace("]]", "]"), "build has to be a list"),
    ],
)
def test_an_invalid_manifest_is_an_error(folder: Path, change: Callable[[str], str], words: str) -> None:
    """The error lists all faults of the file, with its name."""
    (folder / "testee.toml").write_text(change(GOOD))
    with pytest.raises(TesteeError) as raised:
        read_manifest(folder)
    assert words in raised.value.message
    assert str(folder) in raised.value.message


def test_an_unknown_variant_is_an_error(folder: Path, tmp_path: Path) -> None:
    """The error lists the valid variants."""
    with pytest.raises(TesteeError, match=r"no variant 'quick'\nIt has: fast, slow\."):
        prepare_testee(f"{folder}:quick", tmp_path, quiet)


def test_a_program_is_a_testee(tmp_path: Path) -> None:
    """The program is started as it is; a word that is neither folder nor program is an error."""
    launch = prepare_testee(sys.executable, tmp_path, quiet)
    assert launch.target == ChildProcess((str(Path(sys.executable).resolve()),))
    with pytest.raises(TesteeError, match="nobody is not a testee: not one that comes with wireproof"):
        prepare_testee("nobody", tmp_path, quiet)
    with pytest.raises(TesteeError, match=r"Did you mean python-kafka-python.*\?"):
        prepare_testee("kafka-python", tmp_path, quiet)


@pytest.mark.parametrize("name", shipped())
def test_the_testees_of_wireproof_are_valid(name: str) -> None:
    """Each folder has the name of its testee, and a valid manifest."""
    from wireproof.proof.testees.description.manifest import shipped_folder

    read = read_manifest(shipped_folder() / name)
    assert read.name == name
    assert name.startswith(f"{read.language}-")


def test_the_manifest_of_the_page_is_valid(tmp_path: Path) -> None:
    """The manifest is valid, and the page has every key and limit."""
    page = (Path(__file__).parents[4] / "docs" / "reference" / "testee-protocol.md").read_text("utf-8")
    (tmp_path / "testee.toml").write_text(page.split("```toml\n")[1].split("```")[0])

    assert read_manifest(tmp_path).variants == ("compiled", "interpreted")
    for key in (*manifest.KEYS, *manifest.LIMITS):
        assert f"| `{key}` |" in page


@pytest.mark.parametrize("version", ["1.4.9", "1.5.0-rc1", "2.0", "2.0.0-rc1", "10", "newest"])
def test_a_version_that_the_adapter_does_not_take_is_not_built(
    folder: Path, tmp_path: Path, version: str
) -> None:
    """The error names the versions that it takes, and no command of the build runs."""
    (folder / "testee.toml").write_text(
        'takes = ">=1.5,<2"\n' + GOOD.replace("'built'", f"{str(tmp_path / 'ran')!r}")
    )
    with pytest.raises(
        TesteeError, match=r"takes versions of its codec from 1\.5 on, below 2; .* is not one"
    ):
        prepare_testee(f"{folder}@{version}", tmp_path / "cache", quiet)

    assert not (tmp_path / "ran").exists()
    for taken in ("1.5", "1.5.0", "1.11.2", "1.6.0-rc1"):
        prepare_testee(f"{folder}@{taken}", tmp_path / "cache", quiet)


@pytest.mark.parametrize("manifest", [read_manifest(shipped_folder() / name) for name in shipped()])
def test_each_shipped_testee_says_which_versions_of_its_codec_its_adapter_takes(
    manifest: manifest.Manifest,
) -> None:
    """Its own version is one of them, and none of the next major version is."""
    assert manifest.version in manifest.takes
    assert "0.0.1" not in manifest.takes
    assert f"{int(manifest.version.partition('.')[0]) + 1}.0.0" not in manifest.takes


def test_an_image_replaces_the_command(folder: Path, tmp_path: Path) -> None:
    """The image has the limits of the file and a label for each run; it is loaded when it starts."""
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
    loaded = "import sys, wireproof.proof.testees; assert not {'docker', 'testcontainers'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", loaded], check=True)
