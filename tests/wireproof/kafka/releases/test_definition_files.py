"""Message files of a user: each problem has its file and line, and no file stops the reader."""

import json
import os
import tracemalloc
from pathlib import Path

import pytest

from kafkawire.schema import resolve
from wireproof.app.cli.explain_command import explanations_of
from wireproof.kafka.releases import definition_files as limits
from wireproof.kafka.releases import definition_files as module
from wireproof.kafka.releases.definition_files import FileRule, definition_paths, read_definitions
from wireproof.kafka.releases.release_table import ReleaseError, table
from wireproof.kafka.releases.snapshots import load_snapshot

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
    gone = tmp_path / "Gone.json"
    kinds = {fifo: "a FIFO", folder: "a folder", Path("/dev/zero"): "a device"}
    for path, kind in kinds.items():
        words = f"error: this is {kind}: a message definition is a regular file [file-unreadable]"
        assert problems(path) == (f"{path}:1: {words}",)
    reasons = {loop: "Too many levels of symbolic links", gone: "No such file or directory"}
    for path, reason in reasons.items():
        words = f"error: the file cannot be read: {reason} [file-unreadable]"
        assert problems(path) == (f"{path}:1: {words}",)


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the operating system's. (A test that runs as root could read any file.)"""
    path = good(tmp_path / "GoodRequest.json")

    def forbid(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("wireproof.kafka.releases.definition_files.os.open", forbid)
    assert problems(path) == (
        f"{path}:1: error: the file cannot be read: Permission denied [file-unreadable]",
    )


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


def test_a_file_is_read_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte more is refused."""
    path = good(tmp_path / "GoodRequest.json")
    monkeypatch.setattr(module, "MOST_BYTES", path.stat().st_size)
    assert set(read_definitions([path]).files) == {"GoodRequest"}
    monkeypatch.setattr(module, "MOST_BYTES", path.stat().st_size - 1)
    assert problems(path)[0].endswith(" [file-size]")


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
        f"{second}:1: error: GoodRequest is defined in {first} already: keep one of the two [message-twice]",
    )


DOUBLING = [
    {
        "name": f"S{number}",
        "versions": "0+",
        "fields": [
            {"name": name, "type": f"S{number + 1}" if number < 40 else "int8", "versions": "0+"}
            for name in ("Left", "Right")
        ],
    }
    for number in range(41)
]


def chain(length: int) -> list[dict[str, object]]:
    return [
        {
            "name": f"S{number}",
            "versions": "0+",
            "fields": [
                {"name": "X", "type": f"S{number + 1}" if number < length - 1 else "int8", "versions": "0+"}
            ],
        }
        for number in range(length)
    ]


@pytest.mark.parametrize(
    ("structs", "words"),
    [
        (DOUBLING, "more than 20,000 fields when its structs are written out"),
        (chain(33), "more than 32 structs are inside each other"),
        (chain(1_000), "more than 32 structs are inside each other"),
    ],
    ids=["doubling", "deep", "very-deep"],
)
def test_few_lines_that_mean_much(structs: list[dict[str, object]], words: str, tmp_path: Path) -> None:
    """Forty structs that hold the next one twice are 10^12 fields of a layout; the error comes before it."""
    first = {"name": "First", "type": "S0", "versions": "0+"}
    path = tmp_path / "GoodRequest.json"
    path.write_text(json.dumps({**GOOD, "fields": [first], "commonStructs": structs}))
    (line,) = problems(path)
    assert line.startswith(f"{path}:1: error: ")
    assert words in line
    assert line.endswith("this is a limit of wireproof [message-size]")


def test_the_deepest_message_that_is_read(tmp_path: Path) -> None:
    """Its layout is resolved."""
    first = {"name": "First", "type": "S0", "versions": "0+"}
    path = tmp_path / "GoodRequest.json"
    path.write_text(json.dumps({**GOOD, "fields": [first], "commonStructs": chain(31)}))
    spec = read_definitions([path]).files["GoodRequest"].spec
    assert resolve(spec, 0).root.fields[0].struct is not None


def test_no_message_of_kafka_is_near_the_limits() -> None:
    """The largest has 100 fields; five structs are inside each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "MOST_FIELDS", 200)
        patch.setattr(limits, "MOST_DEPTH", 6)
        for release in table():
            for _, spec in load_snapshot(release):
                assert limits.size_problem(spec) == "", spec.name


@pytest.mark.parametrize("text", ["[]" * 5_000 + "int32", "[]" * 50_000, "[] " * 5_000])
def test_an_array_of_arrays_of_arrays(text: str, tmp_path: Path) -> None:
    """Its depth is not that of the reader's own calls; the quoted text is cut."""
    path = tmp_path / "GoodRequest.json"
    path.write_text(json.dumps({**GOOD, "fields": [{"name": "A", "type": text, "versions": "0"}]}))
    (line,) = problems(path)
    assert f"{path}:1: error: a: an array " in line
    assert "[array-" in line
    assert len(line) < 1_100


@pytest.mark.parametrize(
    "changes",
    [
        {"validVersions": "0-" * 5_000},
        {"apiKey": 10**4_000},
        {"name": "X" * 100_000, "type": "nothing"},
        {"fields": [{"name": "A", "type": "int32", "versions": "0", "default": "9" * 100_000}]},
        {"fields": [{"name": "A" * 100_000, "type": "nothing", "versions": "0"}]},
    ],
    ids=["range", "number", "name", "default", "field"],
)
def test_a_value_of_a_million_letters(changes: dict[str, object], tmp_path: Path) -> None:
    """The error quotes the beginning, and has the rule."""
    path = tmp_path / "GoodRequest.json"
    path.write_text(json.dumps({**GOOD, **changes}))
    for line in problems(path):
        assert line.startswith(f"{path}:1: error: ")
        assert line.endswith("]")
        assert len(line) < 1_100


@pytest.mark.parametrize("rule", list(FileRule), ids=lambda each: each.value)
def test_each_rule_is_explained(rule: FileRule) -> None:
    """`wireproof explain` has it."""
    assert [each.name for each in explanations_of(rule.value)] == [rule.value]
