"""The files of a watched folder whose changes start no round."""

import os
from pathlib import Path

import pytest

from wireproof.app.assembly.file_watcher import GitIgnoreRules, IgnoredFiles


@pytest.mark.parametrize(
    "name",
    [
        "target/debug/adapter", "env/bin/python", "node_modules/left-pad/index.js", "__pycache__/codec.pyc",
        ".wireproof/last-failed.json", ".git/index.lock", ".venv/lib/a.py", ".idea/workspace.xml",
        ".codec.py.swp", "codec.py~", "4913", ".#codec.py", "#codec.py#", "codec.py___jb_tmp___",
        "sub/folder/.mypy_cache/3.11/codec.json", ".DS_Store", "codec.pyc",
    ],
)  # fmt: skip
def test_build_output_caches_and_temporary_files(name: str, tmp_path: Path):
    """Of builds, version control, editors and interpreters."""
    assert IgnoredFiles(tmp_path).ignores(tmp_path / name)


@pytest.mark.parametrize(
    "name",
    ["codec.py", "testee.toml", "ledger.toml", "src/codec.rs", "environment.py", "a.swift", "target.go"],
)
def test_sources(name: str, tmp_path: Path):
    """The files that a build reads start a round, and so does the ledger."""
    assert not IgnoredFiles(tmp_path).ignores(tmp_path / name)


def test_the_files_that_the_run_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Reports, and the temporary files from which they are renamed: each round would start the next one."""
    monkeypatch.chdir(tmp_path)
    ignored = IgnoredFiles(tmp_path, [Path("report.xml"), Path("reports/run.ndjson")])

    for name in ("report.xml", ".wireproof-file-0123456789abcdef", "reports/run.ndjson"):
        assert ignored.ignores(tmp_path / name)
    for name in ("sub/report.xml", "report.xml.py", "reports/other.py"):
        assert not ignored.ignores(tmp_path / name)


def test_a_folder_below_another_of_that_name(tmp_path: Path):
    """Only the parts below the watched folder count."""
    folder = tmp_path / "target" / "env"
    folder.mkdir(parents=True)
    assert not IgnoredFiles(folder).ignores(folder / "codec.py")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with rules at its root, and others in the testee's folder."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("*.log\n/out/\ngenerated/\n# a comment\n!kept.log\n")
    folder = tmp_path / "codecs" / "mine"
    folder.mkdir(parents=True)
    (folder / ".gitignore").write_text("/only-here.py\nbuild/*\n!build/kept.py\n!local.log\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "ignored"),
    [
        ("codecs/mine/a.log", True),
        ("codecs/mine/kept.log", False),
        ("codecs/mine/local.log", False),
        ("codecs/mine/generated/deep/codec.py", True),
        ("codecs/mine/only-here.py", True),
        ("codecs/mine/sub/only-here.py", False),
        ("codecs/mine/build/x.py", True),
        ("codecs/mine/build/kept.py", False),
        ("codecs/mine/out/x.py", False),
        ("out/x.py", True),
        ("codecs/mine/codec.py", False),
    ],
)
def test_the_rules_of_gitignore_files(name: str, ignored: bool, repository: Path):
    """Outer files first, inner ones win; a rule with a slash is about its own folder."""
    rules = GitIgnoreRules(repository / "codecs" / "mine")
    assert rules.ignores(repository / name) is ignored


def test_rules_are_read_again_when_they_change(repository: Path):
    """And rules outside of a repository are those of the folder alone."""
    folder = repository / "codecs" / "mine"
    rules = GitIgnoreRules(folder)
    assert not rules.ignores(folder / "codec.py")
    (folder / ".gitignore").write_text("codec.py\n")
    os.utime(folder / ".gitignore", (1, 1))
    assert rules.ignores(folder / "codec.py")
    assert not rules.ignores(Path("/elsewhere/a.log"))


def test_a_gitignore_file_that_cannot_be_read(tmp_path: Path):
    """A folder of that name, or bytes that are not UTF-8, hides nothing and breaks nothing."""
    (tmp_path / ".gitignore").mkdir()
    assert not IgnoredFiles(tmp_path).ignores(tmp_path / "codec.py")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".gitignore").write_bytes(b"\xff\xfe\x00\n*.log\n[\n")
    assert IgnoredFiles(tmp_path).ignores(tmp_path / "sub" / "a.log")
    assert not IgnoredFiles(tmp_path).ignores(tmp_path / "sub" / "codec.py")
