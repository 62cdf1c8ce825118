"""The file watcher on a real folder. Each wait has a bound, and ends as soon as the change is reported."""

import shutil
from pathlib import Path
from queue import Empty, Queue

import pytest

from wireproof.app.assembly.file_watcher import ChangedFiles, FileWatcher, RequestInbox, WatchRequest
from wireproof.base.exit_codes import ExitCode, FatalError

WAIT_S = 30.0


class Inbox(RequestInbox):
    """An inbox that a test can wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: Queue[WatchRequest] = Queue()

    def put(self, request: WatchRequest) -> None:
        self.requests.put(request)

    def wait_for(self, path: Path) -> None:
        """Take requests until one has the path."""
        while True:
            request = self.requests.get(timeout=WAIT_S)
            assert isinstance(request, ChangedFiles), request
            if path in request.paths:
                return


def watching(folder: Path, inbox: Inbox, only: Path | None = None) -> FileWatcher:
    return FileWatcher(folder, inbox, lambda path: path.suffix == ".tmp", only)


def test_a_changed_file_is_reported(tmp_path: Path):
    """One that is written, made in a new folder, renamed as editors do, or removed."""
    folder = tmp_path.resolve()
    codec, inbox = folder / "codec.py", Inbox()
    codec.write_text("1")
    with watching(folder, inbox):
        codec.write_text("2")
        inbox.wait_for(codec)
        (folder / "new").mkdir()
        inner = folder / "new" / "inner.py"
        inner.write_text("1")
        inbox.wait_for(inner)
        (folder / "codec.py.tmp").write_text("3")
        (folder / "codec.py.tmp").rename(codec)
        inbox.wait_for(codec)
        codec.unlink()
        inbox.wait_for(codec)


@pytest.mark.parametrize("times", range(2))
def test_a_file_of_a_new_folder_is_reported(tmp_path: Path, times: int):
    """Also one that is there before the folder can be watched, and one in a folder that is moved here."""
    folder, inbox = tmp_path.resolve() / "watched", Inbox()
    folder.mkdir()
    elsewhere = tmp_path.resolve() / "elsewhere" / "inner"
    elsewhere.mkdir(parents=True)
    (elsewhere / "codec.py").write_text("1")
    with watching(folder, inbox):
        (folder / "a" / "b").mkdir(parents=True)
        (folder / "a" / "b" / "codec.py").write_text("1")
        inbox.wait_for(folder / "a" / "b" / "codec.py")
        elsewhere.parent.rename(folder / "moved")
        inbox.wait_for(folder / "moved" / "inner" / "codec.py")


def test_an_ignored_file_is_not_reported(tmp_path: Path):
    """Nor is a folder: the request after both has the other file alone."""
    folder, inbox = tmp_path.resolve(), Inbox()
    with watching(folder, inbox):
        (folder / "a.tmp").write_text("1")
        (folder / "sub").mkdir()
        (folder / "codec.py").write_text("1")
        request = inbox.requests.get(timeout=WAIT_S)
    assert request == ChangedFiles(frozenset({folder / "codec.py"}))


def test_one_file_alone(tmp_path: Path):
    """A program in a folder with others: they are not its sources."""
    folder, inbox = tmp_path.resolve(), Inbox()
    program = folder / "program"
    with watching(folder, inbox, only=program):
        (folder / "other").write_text("1")
        program.write_text("1")
        request = inbox.requests.get(timeout=WAIT_S)
    assert request == ChangedFiles(frozenset({program}))


def test_a_folder_that_is_removed_and_returns(tmp_path: Path):
    """The watcher reports both, and watches the new folder."""
    folder, inbox = tmp_path.resolve() / "codec", Inbox()
    folder.mkdir()
    (folder / "codec.py").write_text("1")
    with watching(folder, inbox):
        shutil.rmtree(folder)
        inbox.wait_for(folder)
        folder.mkdir()
        inbox.wait_for(folder)
        assert any(_reported(folder / "codec.py", str(number), inbox) for number in range(300))


def _reported(file: Path, text: str, inbox: Inbox) -> bool:
    """Write a file; return whether a change is reported soon: the new watch may not be there yet."""
    file.write_text(text)
    try:
        return inbox.requests.get(timeout=0.1) == ChangedFiles(frozenset({file}))
    except Empty:
        return False


def test_a_folder_that_cannot_be_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The error has the reason and the way out, before any round."""
    import watchfiles

    def refused(*_: object, **__: object) -> None:
        raise OSError("OS file watch limit reached")

    monkeypatch.setattr(watchfiles, "watch", refused)
    with (
        pytest.raises(FatalError, match="OS file watch limit reached") as raised,
        watching(tmp_path, Inbox()),
    ):
        pass
    assert raised.value.exit_code is ExitCode.MISSING
    assert "WATCHFILES_FORCE_POLLING" in raised.value.advice
