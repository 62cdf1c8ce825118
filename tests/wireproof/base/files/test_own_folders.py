"""Temporary folders: removed whole, and nothing else is, whatever an attacker or the user puts there."""

import errno
import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from wireproof.base.files import own_folders
from wireproof.base.files.own_folders import MARKER, OwnFolder, remove_own_folder, sweep, temporary_folder

FORK = multiprocessing.get_context("fork")
OTHER_USER = 0x40000001


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "a place, with spaces"
    made.mkdir()
    return made


@pytest.fixture
def treasure(tmp_path: Path) -> Path:
    """Return a folder of the user with a file in it."""
    made = tmp_path / "treasure"
    made.mkdir()
    (made / "file").write_text("the user's")
    (made / "file").chmod(0o640)
    return made


def abandoned(place: Path, fill: Callable[[Path], object] = lambda folder: None) -> Path:
    """Return a folder whose process was killed."""

    def make() -> None:
        folder = OwnFolder("test", place)
        fill(folder.path)
        os.kill(os.getpid(), signal.SIGKILL)

    process = FORK.Process(target=make)
    process.start()
    process.join()
    (found,) = place.iterdir()
    return found


def test_a_folder_that_cannot_be_marked_goes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk a folder still has room, its marker has none."""
    monkeypatch.setattr(os, "write", Mock(side_effect=OSError(errno.ENOSPC, "full")))
    with pytest.raises(OSError, match="full"):
        OwnFolder("test", place)
    assert not any(place.iterdir())


def is_whole(treasure: Path) -> bool:
    file = treasure / "file"
    return file.read_text() == "the user's" and file.stat().st_mode & 0o777 == 0o640


def test_a_folder_is_removed_with_all_that_it_holds(place: Path) -> None:
    """Deep trees, folders without write permission, pipes and broken links go."""
    with temporary_folder("test", place) as folder:
        deep = folder
        for _ in range(300):
            deep = deep / "d"
            deep.mkdir()
        os.mkfifo(folder / "pipe")
        (folder / "broken").symlink_to("/nowhere")
        (folder / "locked").mkdir()
        (folder / "locked" / "file").write_text("x")
        (folder / "locked").chmod(0o500)
    assert list(place.iterdir()) == []


def test_links_are_removed_and_their_targets_stay(place: Path, treasure: Path) -> None:
    """Neither the target of a link nor the content and mode of a hard-linked file changes."""
    with temporary_folder("test", place) as folder:
        (folder / "link").symlink_to(treasure)
        (folder / "file").symlink_to(treasure / "file")
        os.link(treasure / "file", folder / "hard")
    assert list(place.iterdir()) == []
    assert is_whole(treasure)


def test_a_folder_in_use_stays(place: Path) -> None:
    """Another process does not take the folder of a process that lives; after its end the next one does."""
    with temporary_folder("test", place) as folder:
        other = FORK.Process(target=sweep, args=("test", place))
        other.start()
        other.join()
        sweep("test", place)
        assert folder.is_dir()
    left = abandoned(place)
    assert left.is_dir()
    with temporary_folder("another", place):
        assert left.is_dir(), "it is of another kind"
    OwnFolder("test", place).remove()
    assert list(place.iterdir()) == []


def unmarked(folder: Path) -> None:
    (folder / MARKER).unlink()


def with_other_text(folder: Path) -> None:
    (folder / MARKER).write_text("something else")


def with_linked_marker(folder: Path) -> None:
    (folder / MARKER).rename(folder.parent.parent / "marker")
    (folder / MARKER).symlink_to(folder.parent.parent / "marker")


def with_hard_linked_marker(folder: Path) -> None:
    os.link(folder / MARKER, folder / "second name")


def of_another_user(folder: Path) -> None:
    os.chown(folder, OTHER_USER, OTHER_USER)


def with_the_marker_of_another_user(folder: Path) -> None:
    os.chown(folder / MARKER, OTHER_USER, OTHER_USER)


AS_ROOT = [of_another_user, with_the_marker_of_another_user] if os.geteuid() == 0 else []


@pytest.mark.parametrize(
    "change", [unmarked, with_other_text, with_linked_marker, with_hard_linked_marker, *AS_ROOT]
)
def test_a_folder_without_our_marker_and_owner_stays(place: Path, change: Callable[[Path], None]) -> None:
    """The name alone does not make a folder wireproof's."""
    left = abandoned(place, lambda folder: (folder / "file").write_text("kept"))
    change(left)
    sweep("test", place)
    assert not remove_own_folder(left)
    assert (left / "file").read_text() == "kept"


def test_a_link_with_the_name_of_a_folder_stays(place: Path, treasure: Path) -> None:
    """A link to a folder with a marker is not followed, and the marked folder has another name."""
    left = abandoned(place)
    moved = left.rename(treasure / "moved")
    left.symlink_to(moved)
    sweep("test", place)
    assert not remove_own_folder(left)
    assert left.is_symlink()
    assert (moved / MARKER).is_file()


@pytest.mark.parametrize("moment", ["opened", "inside"])
def test_a_folder_that_is_swapped_for_a_link_meanwhile_is_not_followed(
    place: Path, treasure: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """The swap happens before the folder is opened, or before an inner one is: the target stays."""
    left = abandoned(place, lambda folder: (folder / "inner").mkdir())
    (left / "inner" / "file").write_text("wireproof's")
    real = os.open if moment == "opened" else os.rename

    def swap(name: Any, *args: Any, **options: Any) -> Any:
        victim = left if moment == "opened" else left / "inner"
        if name == victim.name and not victim.is_symlink():
            shutil.move(victim, treasure / "moved")
            victim.symlink_to(treasure)
        return real(name, *args, **options)

    monkeypatch.setattr(os, real.__name__, swap)
    sweep("test", place)
    monkeypatch.undo()
    assert (treasure / "moved").is_dir(), "the swap happened"
    assert is_whole(treasure)


def test_a_mount_point_stays(place: Path, treasure: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be renamed, as the system refuses it for a mount point, keeps its content."""
    left = abandoned(place, lambda folder: (folder / "mounted").mkdir())
    (left / "mounted" / "file").write_text("another disk's")
    real = os.rename

    def refuse(source: Any, target: Any, **options: Any) -> None:
        if source == "mounted":
            raise OSError("Device or resource busy")
        real(source, target, **options)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(OSError, match="busy"):
        remove_own_folder(left)
    monkeypatch.undo()
    assert (left / "mounted" / "file").read_text() == "another disk's"
    assert (left / MARKER).is_file()


def test_a_published_folder_has_a_free_place(place: Path, treasure: Path) -> None:
    """The place may be empty; one with files, and a link, are refused and stay as they are."""
    (place / "empty").mkdir()
    (place / "link").symlink_to(treasure)
    for name, refused in (("new", False), ("empty", False), ("link", True), ("../treasure", True)):
        folder = OwnFolder("test", place, mode=0o755)
        (folder.path / "made").write_text("made")
        if refused:
            with pytest.raises(OSError, match=r"Not a directory|not empty"):
                folder.publish(place / name)
        else:
            folder.publish(place / name)
        folder.remove()
    assert [each.name for each in (place / "new").iterdir()] == ["made"]
    assert sorted(each.name for each in place.iterdir()) == ["empty", "link", "new"]
    assert is_whole(treasure)


def test_a_marked_folder_can_be_removed_later(place: Path) -> None:
    """A published folder that kept its marker is wireproof's."""
    folder = OwnFolder("test", place)
    folder.publish(place / "kept", marked=True)
    folder.remove()
    assert (place / "kept").is_dir()
    assert remove_own_folder(place / "kept")
    assert list(place.iterdir()) == []
    assert not remove_own_folder(place / "kept")


def test_a_part_of_an_own_folder_is_removed(place: Path, treasure: Path) -> None:
    """A folder inside goes; a link inside and a folder outside are refused."""
    folder = OwnFolder("test", place)
    (folder.path / "node" / "data" / "deep").mkdir(parents=True)
    (folder.path / "node" / "link").symlink_to(treasure)
    (folder.path / "linked").symlink_to(treasure.parent)
    folder.remove_inside(folder.path / "node" / "data")
    assert [each.name for each in (folder.path / "node").iterdir()] == ["link"]
    with pytest.raises(OSError, match="Not a directory"):
        folder.remove_inside(folder.path / "linked" / "treasure")
    with pytest.raises(ValueError, match="treasure"):
        folder.remove_inside(treasure)
    folder.remove()
    assert is_whole(treasure)


def test_names_are_not_predictable() -> None:
    """Two names of a kind differ, and match only the pattern of their kind."""
    assert own_folders.fresh_name("test") != own_folders.fresh_name("test")
