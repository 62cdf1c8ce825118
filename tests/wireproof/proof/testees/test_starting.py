"""The files of a new testee."""

from pathlib import Path

import pytest

from wireproof.proof.testees.build.scaffold import LANGUAGES, start_testee
from wireproof.proof.testees.description.manifest import read_manifest, shipped, shipped_folder
from wireproof.proof.testees.testee_errors import TesteeError


def test_each_language_has_a_template_and_a_kit() -> None:
    """Each language that can be asked for has both."""
    for folder in ("templates", "kits"):
        found = {path.name for path in (shipped_folder() / folder).iterdir() if path.is_dir()}
        assert found >= set(LANGUAGES)
    assert {path.name for path in (shipped_folder() / "templates").iterdir()} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_testee_has_the_name_of_its_folder(tmp_path: Path, language: str) -> None:
    """Characters that a name cannot have become hyphens; the template's own name is replaced."""
    files = start_testee(tmp_path / "here" / "my @codec: one", language)

    manifest = read_manifest(tmp_path / "here" / "my @codec: one")
    assert manifest.name == "my-codec-one"
    assert manifest.language == language
    assert [path.stem.lower() for path in files[:2]] == ["testee", "adapter"]
    assert '"my-codec"' not in "".join(path.read_text() for path in files)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A file, and a folder with files, stay as they were; an empty folder is used."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    for name in ("full", "full/notes"):
        with pytest.raises(TesteeError, match="is there already"):
            start_testee(tmp_path / name, "go")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes"]
    (tmp_path / "empty").mkdir()
    assert start_testee(tmp_path / "empty", "go")


def test_an_invalid_name_is_an_error(tmp_path: Path) -> None:
    """The name of one of wireproof's testees would hide the folder; some folders give no name."""
    with pytest.raises(TesteeError, match="comes with wireproof"):
        start_testee(Path(shipped()[0]), "python")
    with pytest.raises(TesteeError, match="gives no name"):
        start_testee(tmp_path / "…", "python")


def test_a_place_that_is_not_writable_is_an_error(tmp_path: Path) -> None:
    """The error has the system's reason."""
    (tmp_path / "file").write_text("")
    with pytest.raises(TesteeError, match=r"cannot write .*: Not a directory"):
        start_testee(tmp_path / "file" / "new", "python")
