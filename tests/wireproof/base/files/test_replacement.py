"""Files that appear whole or not at all: the old content stays until the new one is complete."""

import os
from pathlib import Path

import pytest

from wireproof.base.files.replacement import (
    create_file,
    ignore_folder,
    open_private,
    remove_file,
    replace_file,
    replacing,
    write_output,
)


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """The new content has the permissions of the old one; no other file stays."""
    file = tmp_path / "file"
    file.write_text("old")
    file.chmod(0o600)
    replace_file(file, "new")
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_a_failure_leaves_the_old_file(tmp_path: Path) -> None:
    """After an exception, Ctrl-C among them, only the old file is there."""
    file = tmp_path / "file"
    file.write_text("old")

    def interrupted() -> None:
        with replacing(file) as stream:
            stream.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_an_error_names_the_file_that_the_caller_knows(tmp_path: Path) -> None:
    """The name of the temporary file is in no message."""
    with pytest.raises(FileNotFoundError) as raised:
        replace_file(tmp_path / "nowhere" / "file", "text")
    assert raised.value.filename == str(tmp_path / "nowhere" / "file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as refused:
        replace_file(tmp_path / "folder", "text")
    assert refused.value.filename == str(tmp_path / "folder")
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_a_planted_link_is_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link with the temporary file's name is refused; a link at the place is replaced, its target stays."""
    (tmp_path / "victim").write_text("the user's")
    monkeypatch.setattr("wireproof.base.files.replacement.fresh_name", lambda kind: "guessed")
    (tmp_path / "guessed").symlink_to(tmp_path / "victim")
    with pytest.raises(FileExistsError):
        replace_file(tmp_path / "file", "text")
    monkeypatch.undo()
    (tmp_path / "file").symlink_to(tmp_path / "victim")
    replace_file(tmp_path / "file", "text")
    assert not (tmp_path / "file").is_symlink()
    assert (tmp_path / "victim").read_text() == "the user's"


def test_a_hard_linked_file_keeps_its_other_name(tmp_path: Path) -> None:
    """A file is replaced and not written into: the other name has the old content."""
    (tmp_path / "file").write_text("old")
    os.link(tmp_path / "file", tmp_path / "other")
    replace_file(tmp_path / "file", "new")
    assert (tmp_path / "other").read_text() == "old"


def test_an_output_keeps_the_links_of_the_user(tmp_path: Path) -> None:
    """The user's link leads to the new content; a device is written to."""
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_output(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    write_output(Path(os.devnull), "text")
    assert not Path(os.devnull).is_file()


def test_only_a_regular_file_is_removed(tmp_path: Path) -> None:
    """A link stays with its target, a folder stays, a missing file is not an error."""
    (tmp_path / "real").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("removed")
    for name in ("link", "folder", "file", "missing", "nowhere/missing"):
        remove_file(tmp_path / name)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder", "link", "real"]


def test_a_file_is_not_created_through_a_link(tmp_path: Path) -> None:
    """A dangling link of the user in place of ``.gitignore`` creates no file elsewhere."""
    (tmp_path / ".gitignore").symlink_to(tmp_path / "elsewhere")
    ignore_folder(tmp_path)
    assert not (tmp_path / "elsewhere").exists()
    assert create_file(tmp_path / "new", "text")
    assert not create_file(tmp_path / "new", "other")
    assert (tmp_path / "new").read_text() == "text"


def test_a_private_file_is_for_its_owner(tmp_path: Path) -> None:
    """Other users cannot read it; bytes are added to it, and a link is not written through."""
    for mode in ("xb", "ab"):
        with open_private(tmp_path / "file", mode) as file:
            file.write(b"text")
    assert (tmp_path / "file").read_bytes() == b"texttext"
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with pytest.raises(OSError, match="symbolic links"):
        open_private(tmp_path / "link", "ab")
