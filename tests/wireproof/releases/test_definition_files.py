"""Message files of a user: each problem has its file and line, and no file stops the reader."""

import json
import os
import tracemalloc
from pathlib import Path

import pytest

from wireproof.releases import ReleaseError, definition_paths, read_definitions
from wireproof.releases import _definition_files as module

GOOD = {
    "apiKey": 1,
    "type": "request",
    "name": "GoodRequest",
    "validVersions": "0",
    "flexibleVersions": "none",
    "fields": [],
}


def good(path: Path, name: str = "GoodRequest") -> Path:
    path.write_text(json.dumps({**GOOD, "name": name}))
    return path


def problems(*paths: Path) -> tuple[str, ...]:
    with pytest.raises(ReleaseError) as error:
        read_definitions(paths)
    return error.value.problems


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "1: error: expected a value, not the end of the text"),
        (b"\n\n// nothing\n", "4: error: expected a value, not the end of the text"),
        (b'{\n  "name": "\xff"\n}', "2: error: byte 13 is not UTF-8"),
        ("{}".encode("utf-16"), "1: error: the file begins with the byte-order mark of UTF-16"),
        ("{}".encode("utf-32"), "1: error: the file begins with the byte-order mark of UTF-32"),
        (b'{\n  /* "name" }', "2: error: a comment begins here that no */ ends"),
        (b'{\n "a": 1,\n "b" 2}', "3: error: a colon should follow the key 'b'"),
        (b'{"a":\n' * 10_000, "201: error: more than 200 objects and arrays inside each other"),
        (b"\0" * 1000, "1: error: "),
    ],
    ids=["empty", "comment", "latin-1", "utf-16", "utf-32", "open-comment", "colon", "deep", "zeros"],
)
def test_a_file_that_is_not_a_definition(data: bytes, words: str, tmp_path: Path) -> None:
    """The error names the line."""
    path = tmp_path / "Draft.json"
    path.write_bytes(data)
    assert problems(path)[0].startswith(f"{path}:{words}")


def test_a_byte_order_mark_of_utf_8_is_read(tmp_path: Path) -> None:
    """Editors write it, and Kafka's generator takes it."""
    path = tmp_path / "GoodRequest.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(GOOD).encode())
    assert set(read_definitions([path]).files) == {"GoodRequest"}


def test_files_that_are_no_files(tmp_path: Path) -> None:
    """A FIFO without a writer does not block, a device does not deliver, a loop of links is refused."""
    fifo, loop, folder = (tmp_path / name for name in ("Fifo.json", "Loop.json", "Folder.json"))
    os.mkfifo(fifo)
    loop.symlink_to(loop)
    folder.mkdir()
    assert problems(fifo) == (f"{fifo}:1: error: this is a FIFO: a message definition is a regular file",)
    assert problems(folder) == (
        f"{folder}:1: error: this is a folder: a message definition is a regular file",
    )
    assert problems(Path("/dev/zero")) == (
        "/dev/zero:1: error: this is a device: a message definition is a regular file",
    )
    assert problems(loop) == (f"{loop}:1: error: the file cannot be read: Too many levels of symbolic links",)
    gone = tmp_path / "Gone.json"
    assert problems(gone) == (f"{gone}:1: error: the file cannot be read: No such file or directory",)


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the operating system's. (A test that runs as root could read any file.)"""
    path = good(tmp_path / "GoodRequest.json")

    def forbid(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("wireproof.releases._definition_files.os.open", forbid)
    assert problems(path) == (f"{path}:1: error: the file cannot be read: Permission denied",)


def test_a_file_of_100_mb_is_not_read(tmp_path: Path) -> None:
    """Neither the file nor a part of it is in memory."""
    path = tmp_path / "Long.json"
    with path.open("wb") as file:
        file.truncate(100 << 20)
    tracemalloc.start()
    try:
        (words,) = problems(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert words.startswith(f"{path}:1: error: the file has 104,857,600 bytes: a message file has at most")
    assert most < 1 << 20


def test_a_file_that_grows_is_read_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size is asked before it is read."""
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    path = good(tmp_path / "GoodRequest.json")
    assert read_definitions([path]).files if path.stat().st_size <= 100 else problems(path)
    assert ":1: error: the file has " in problems(good(tmp_path / "B.json", "B" * 100))[0]


def test_all_files_together_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files up to the limit are read; the first one beyond it is named."""
    paths = [good(tmp_path / f"G{number}.json", f"G{number}Request") for number in range(5)]
    monkeypatch.setattr(module, "MOST_BYTES_TOGETHER", paths[0].stat().st_size * 3)
    assert problems(*paths)[0].startswith(f"{paths[3]}:1: error: the file has ")


def test_a_folder_of_5000_files(tmp_path: Path) -> None:
    """All are read; the message lists twenty errors and counts the others."""
    for number in range(5_000):
        text = json.dumps({**GOOD, "name": f"N{number}Request"})
        (tmp_path / f"N{number}.json").write_text(text if number % 2 else text[:-1])
    with pytest.raises(ReleaseError) as error:
        read_definitions(definition_paths(tmp_path))
    assert len(error.value.problems) == 2_500
    assert error.value.message.endswith("\nand 2480 more")
    assert len(error.value.message.splitlines()) == 21


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    """A loop of links ends, and a linked folder is not read twice."""
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "loop").symlink_to(tmp_path)
    path = good(inner / "GoodRequest.json")
    assert definition_paths(tmp_path) == [path]


def test_a_search_of_a_whole_disk_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of files is limited."""
    monkeypatch.setattr(module, "MOST_FILES", 10)
    for number in range(11):
        good(tmp_path / f"G{number}.json")
    with pytest.raises(ReleaseError, match="more than 10 message files or folders"):
        definition_paths(tmp_path)


def test_a_folder_that_cannot_be_searched(tmp_path: Path) -> None:
    """The error names it."""
    with pytest.raises(ReleaseError, match=r"cannot read .*Gone: No such file"):
        definition_paths(tmp_path / "Gone")


def test_two_messages_of_one_name(tmp_path: Path) -> None:
    """The later file is named, with the earlier one."""
    first, second = good(tmp_path / "A.json"), good(tmp_path / "B.json")
    assert problems(first, second) == (
        f"{second}:1: error: GoodRequest is defined in {first} already: keep one of the two",
    )
