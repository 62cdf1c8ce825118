"""The lines of an event file, whatever the file is: a line is held at a time, and no line is long."""

import errno
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from wireproof.verdict.report.events.event_json import FORMAT_VERSION

MOST_CHARACTERS: Final = 16 << 20
"""Of one line. The longest that a run writes holds values of a few MiB."""

_OTHER_FORMS: Final[Mapping[bytes, str]] = {
    b"\x1f\x8b": "it is compressed with gzip: unpack it first",
    b"\x28\xb5\x2f\xfd": "it is compressed with zstd: unpack it first",
    b"\xfd7zXZ": "it is compressed with xz: unpack it first",
    b"BZh": "it is compressed with bzip2: unpack it first",
    b"PK\x03\x04": "it is a zip archive: unpack it first",
    b"\xff\xfe": "it is UTF-16: expected UTF-8",
    b"\xfe\xff": "it is UTF-16: expected UTF-8",
    b"\xef\xbb\xbf": "it begins with a byte order mark: expected UTF-8 without one",
}
"""The first bytes of files that tools make of an event file, and what is wrong with each."""
_LONGEST_MAGIC: Final = max(map(len, _OTHER_FORMS))


class EventFileError(ValueError):
    """A text is not an event file of this wireproof, at a line, from 1; `advice` may be empty."""

    def __init__(self, line: int, reason: str, advice: str = "") -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.advice = advice


def event_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file, with their line feeds. Bytes that are not UTF-8 become lone surrogates.

    Raises:
        EventFileError: the file is compressed or in another encoding, or has a line that is too long.
        OSError: the file cannot be read, or is not a regular file: pipes can be read only once, devices may
            never end.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        reason = "it is not a regular file: write its text to a file first"
        raise OSError(errno.ESPIPE, reason, str(path))
    with path.open("rb") as stream:
        _check_form(stream)
    with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        yield from bounded_lines(text.readline)


def _check_form(stream: BinaryIO) -> None:
    first = stream.read(_LONGEST_MAGIC)
    for magic, reason in _OTHER_FORMS.items():
        if first.startswith(magic):
            raise EventFileError(1, reason)


def bounded_lines(read_line: Callable[[int], str]) -> Iterator[str]:
    """Yield the lines of a reader of so many characters. Raises EventFileError if one is too long."""
    for number in range(1, sys.maxsize):
        line = read_line(MOST_CHARACTERS)
        if len(line) == MOST_CHARACTERS:
            raise EventFileError(number, f"it is longer than {MOST_CHARACTERS:,} characters")
        if not line:
            return
        yield line


def check_header(parsed: Any) -> None:
    """Check that the first line of a file, as parsed JSON, is a header of this format.

    Raises EventFileError if it is another event, or a header of another format.
    """
    if parsed["event"] != "header":
        raise EventFileError(1, "the first event is not a header: this is not the beginning of an event file")
    found = parsed["format"]
    if found == FORMAT_VERSION and type(found) is int:
        return
    version = str(parsed.get("version", "?"))[:40]
    of_file = f"the file has format {repr(found)[:40]} of wireproof {version}"
    reason = f"{of_file}; this wireproof reads format {FORMAT_VERSION}"
    if type(found) is int and found > FORMAT_VERSION:
        raise EventFileError(1, reason, f"Install wireproof {version} or a newer one to read it.")
    raise EventFileError(1, reason, f"Prove the codec again, or read the file with wireproof {version}.")
