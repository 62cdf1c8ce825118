"""Reading message files of a user: every problem gets its file and line, and no file can stop the reader.

A file may be anything: a FIFO, a device, 100 MB of text, UTF-16. The reader opens regular files only, without
waiting, and reads a bounded number of bytes of each and of all.
"""

import codecs
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeAlias

from kafkawire.schema import Dialect, FieldSpec, MessageSpec, SchemaProblem, Severity, read_message
from kafkawire.schema.dialect import TODAY
from kafkawire.schema.model import struct_fields
from wireproof.base.text.stated_rule import StatedRule
from wireproof.base.text.wording import first_lines
from wireproof.kafka.releases.release_table import ReleaseError

MOST_FIELDS: Final = 20_000
"""The most fields of a message, with its structs expanded. Kafka's largest message has 100."""
MOST_DEPTH: Final = 32
"""The most levels of nested structs. Kafka's deepest message has 5."""


def size_problem(spec: MessageSpec) -> str:
    """Return the limit that a definition exceeds, in words; empty for none.

    Versions are ignored: fields count together even if no version has them together.
    """
    common = {struct.name: struct.fields for struct in spec.common_structs}
    inline = {name: field.fields for name, field in struct_fields(spec.fields) if field.fields}
    level: Counter[str] = Counter()
    total = _count(spec.fields, 1, level)
    for _ in range(MOST_DEPTH):
        if total > MOST_FIELDS:
            return f"the message has more than {MOST_FIELDS:,} fields when its structs are written out"
        if not level:
            return ""
        deeper: Counter[str] = Counter()
        for name, times in level.items():
            total += _count(common.get(name, inline.get(name, ())), times, deeper)
        level = deeper
    return f"more than {MOST_DEPTH} structs are inside each other"


def _count(fields: Iterable[FieldSpec], times: int, structs: Counter[str]) -> int:
    """Count the fields of a list that occurs `times` times, and add their structs to `structs`."""
    count = 0
    for field in fields:
        count += times
        if field.struct_name is not None:
            structs[field.struct_name] += times
    return count


MOST_BYTES: Final = 16 << 20
"""The most bytes of one file. Kafka's longest has 20 kB."""
MOST_BYTES_TOGETHER: Final = 64 << 20
"""The most bytes of all files of a folder. Kafka's 400 files have 1 MB."""
MOST_FILES: Final = 20_000
"""The most files of a folder and its subfolders. It ends the search of a whole disk."""
_SHOWN: Final = 20
_MOST_TEXT: Final = 1_000
"""Characters of a problem that are printed."""
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_KINDS: Final = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


class FileRule(StatedRule):
    """A rule about message files; problems have its id."""

    FILE_UNREADABLE = "file-unreadable", "A message definition is a regular file that can be read."
    FILE_ENCODING = "file-encoding", "A message file is UTF-8 text."
    FILE_SIZE = (
        "file-size",
        f"A message file has at most {MOST_BYTES:,} bytes, all files together {MOST_BYTES_TOGETHER:,}. This "
        "is a limit of wireproof, not of Kafka.",
    )
    MESSAGE_SIZE = (
        "message-size",
        f"A message has at most {MOST_FIELDS:,} fields when its structs are written out, and at most "
        f"{MOST_DEPTH} structs inside each other. This is a limit of wireproof, not of Kafka: layouts repeat "
        "a struct wherever it is used.",
    )
    MESSAGE_TWICE = "message-twice", "A folder has one definition of a message."


@dataclass(frozen=True, slots=True)
class DefinitionFile:
    """A message file without an error, and its text as Kafka's generator would read it."""

    path: Path
    spec: MessageSpec
    text: str


@dataclass(frozen=True, slots=True)
class Definitions:
    """Message files by the name of the message, and oddities that Kafka's generator accepts."""

    files: dict[str, DefinitionFile]
    warnings: tuple[SchemaProblem, ...]


def definition_paths(folder: Path) -> list[Path]:
    """Return the ``.json`` files of a folder and its subfolders, in order; links to folders are not followed.

    Raises ReleaseError if a folder cannot be read, or there is no such file.
    """
    found: list[Path] = []
    errors: list[OSError] = []
    for count, (place, _, names) in enumerate(os.walk(folder, onerror=errors.append)):
        found += (Path(place, name) for name in names if name.endswith(".json"))
        if count > MOST_FILES or len(found) > MOST_FILES:
            words = f"{folder} has more than {MOST_FILES:,} message files or folders"
            raise ReleaseError(words, "Name a folder of definitions.")
    if errors:
        raise ReleaseError(
            f"cannot read {errors[0].filename}: {errors[0].strerror}", "Check its permissions."
        )
    if not found:
        raise ReleaseError(f"{folder} has no message file", "Kafka's are named such as FetchRequest.json.")
    return sorted(found)


def read_definitions(paths: Sequence[Path], dialect: Dialect = TODAY) -> Definitions:
    """Read message files.

    Raises ReleaseError if a file has errors, or two define one message. `problems` has each as ``FILE:LINE:
    error: RULE``; the message has the first of them.
    """
    return _together(_read(paths, dialect))


def parse_definitions(
    files: Mapping[Path, bytes], dialect: Dialect = TODAY, *, origin: str = ""
) -> Definitions:
    """Read message files from bytes, such as the files of a commit; the caller bounds their sizes.

    Args:
        files: each path with its bytes. The path becomes the `source` of the definition.
        origin: begins the name of each file in problems, such as ``main:``.

    Raises:
        ReleaseError: as `read_definitions` does.
    """
    parsed = (_parse(path, f"{origin}{path}", data, dialect) for path, data in files.items())
    return _together(parsed, origin)


def _together(parsed: "Iterable[_Parsed]", origin: str = "") -> Definitions:
    """Return the definitions without an error, each message once.

    Raises ReleaseError if there is an error.
    """
    files: dict[str, DefinitionFile] = {}
    problems: list[SchemaProblem] = []
    for file, found in parsed:
        problems += found
        if file is None:
            continue
        first = files.setdefault(file.spec.name, file)
        if first is not file:
            words = f"{file.spec.name} is defined in {first.path} already: keep one of the two"
            problems.append(_error(f"{origin}{file.path}", words, FileRule.MESSAGE_TWICE))
    errors = [_line(each) for each in problems if each.severity is Severity.ERROR]
    if errors:
        raise ReleaseError("\n".join(first_lines(errors, _SHOWN)), "Correct these errors.", tuple(errors))
    return Definitions(files, tuple(problems))


def definition_text(path: Path) -> str | None:
    """Return the text of a message file, valid or not; None for anything but a regular file of UTF-8."""
    data = _bytes_of(path, MOST_BYTES)
    if isinstance(data, _Unread):
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


_Parsed: TypeAlias = tuple[DefinitionFile | None, list[SchemaProblem]]
"""A definition if its file has no error, and the file's problems."""


def _read(paths: Sequence[Path], dialect: Dialect) -> Iterator[_Parsed]:
    left = MOST_BYTES_TOGETHER
    for path in paths:
        data = _bytes_of(path, min(MOST_BYTES, left))
        if isinstance(data, _Unread):
            yield None, [_error(str(path), data.words, data.rule)]
            continue
        left -= len(data)
        yield _parse(path, str(path), data, dialect)


def _parse(path: Path, name: str, data: bytes, dialect: Dialect) -> _Parsed:
    """Return the definition in the bytes of one file; `name` is the file's name in problems."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            words = f"the file begins with the byte-order mark of {encoding}: save it as UTF-8"
            return None, [_error(name, words, FileRule.FILE_ENCODING)]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        words = f"byte {error.start} is not UTF-8: save the file as UTF-8"
        line = data[: error.start].count(b"\n") + 1
        return None, [_error(name, words, FileRule.FILE_ENCODING, line)]
    spec, problems = read_message(text, name, dialect)
    if spec is not None and (words := size_problem(spec)):
        problems.append(_error(name, f"{words}: this is a limit of wireproof", FileRule.MESSAGE_SIZE))
    if spec is None or any(each.severity is Severity.ERROR for each in problems):
        return None, problems
    return DefinitionFile(path, replace(spec, source=str(path)), text), problems


@dataclass(frozen=True, slots=True)
class _Unread:
    """The reason why a file was not read."""

    rule: "FileRule"
    words: str


def _bytes_of(path: Path, most: int) -> bytes | _Unread:
    """The bytes of a regular file, or the reason why there are none."""
    try:
        # A FIFO without a writer would block, and so may a device.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        return _Unread(FileRule.FILE_UNREADABLE, f"the file cannot be read: {error.strerror}")
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            kind = next((word for test, word in _KINDS if test(about.st_mode)), "not a file")
            words = f"this is {kind}: a message definition is a regular file"
            return _Unread(FileRule.FILE_UNREADABLE, words)
        size = about.st_size
        data = b"" if size > most else _read_up_to(handle, most + 1)
    except OSError as error:
        return _Unread(FileRule.FILE_UNREADABLE, f"the file cannot be read: {error.strerror}")
    finally:
        os.close(handle)
    if size > most or len(data) > most:
        return _Unread(FileRule.FILE_SIZE, oversize_words(max(size, len(data))))
    return data


def oversize_words(size: int) -> str:
    """Return the sentence about a file of this size that is too long, alone or together with the others."""
    limit = f"a message file has at most {MOST_BYTES:,}, all files {MOST_BYTES_TOGETHER:,}"
    return f"the file has {size:,} bytes: {limit}"


def _read_up_to(handle: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := os.read(handle, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _error(name: str, words: str, rule: FileRule, line: int = 1) -> SchemaProblem:
    return SchemaProblem(name, line, "", Severity.ERROR, words, rule.value)


def _line(problem: SchemaProblem) -> str:
    """The problem as a line of bounded length: a file may have a name of a million letters in it."""
    text = str(problem)
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 3]}... [{problem.rule}]"
