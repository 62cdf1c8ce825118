"""Reading event files back: each line becomes the event that it was written from; shards become one run.

A file may be cut short, still be written to, or come from another program. A line is held at a time, so that
the memory does not grow with the file.
"""

import errno
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from wireproof.base.exit_codes import ExitCode, worst
from wireproof.base.text.parsing import MISSHAPEN, parse_json, shape_fault
from wireproof.model.cell import Cell, Phase
from wireproof.proof.run.core.cell_events import CellResult, ComparedCell
from wireproof.proof.run.core.run_events import (
    ClaimFinding,
    LedgerFinding,
    ReportedEvent,
    RunFooter,
    RunHeader,
)
from wireproof.proof.run.engine.engine import RunAccount
from wireproof.verdict.report.events.event_json import FORMAT_VERSION, cell_id_of, event_of

MOST_CHARACTERS: Final = 16 << 20
"""The limit of one line. The longest line that a run writes holds values of a few MiB."""

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
    """A text is not an event file of this wireproof: `line` counts from 1; `advice` may be empty."""

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
    """Yield the lines that a function reads, given a limit. Raises EventFileError if a line is too long."""
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


_ONE_RUN: Final = "The file has the events of two runs: each needs a file of its own"


def read_event_file(path: Path) -> Iterator[ReportedEvent]:
    """Yield the events of a file; see `read_event_lines`.

    Raises:
        EventFileError: the text is not an event file of this wireproof.
        OSError: the file cannot be read.
    """
    yield from read_event_lines(event_lines(path))


def read_event_lines(lines: Iterable[str]) -> Iterator[ReportedEvent]:
    """Yield the events of an event file's lines.

    A last line without its line feed was cut short, or is still being written: it is left out. Raises
    EventFileError if a line is not an event, the first is not a header, or the format is another one.
    """
    begun = ended = False
    modules: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.endswith("\n"):
            break
        if ended:
            raise EventFileError(number, f"the run ended in the line before. {_ONE_RUN}")
        event = _event_of_line(number, line, modules)
        begun, ended = True, isinstance(event, RunFooter)
        yield event
    if not begun:
        raise EventFileError(1, "there is no event: the file is empty, or its run has just begun")


def _event_of_line(number: int, line: str, modules: dict[str, str]) -> ReportedEvent:
    """Return the event of a line. An event without a module gets the module of its cell's failure."""
    try:
        parsed = parse_json(line)
        if number == 1:
            check_header(parsed)
        elif parsed["event"] == "header":
            raise EventFileError(number, f"there is a second header. {_ONE_RUN}")
        elif parsed["event"] == "failed":
            modules[parsed["cell"]] = parsed["module"]
        elif parsed["event"] == "shrunk":
            # The line has no module: take it from the earlier failure of the same cell.
            parsed["module"] = modules.get(cell_id_of(parsed["case"]), "")
        event = event_of(parsed)
    except EventFileError:
        raise
    except MISSHAPEN as error:
        raise EventFileError(number, f"this is not an event of wireproof: {shape_fault(error)}") from error
    return event


class MergeError(ValueError):
    """Files that cannot be read as one run; `advice` says what to do next, or is empty."""

    def __init__(self, reason: str, advice: str = "") -> None:
        super().__init__(reason)
        self.advice = advice


@dataclass(slots=True)
class RunFiles:
    """The event files of one run or of its shards. After `events`, `unfinished` has files without footer."""

    paths: Sequence[Path]
    unfinished: list[Path] = field(default_factory=list)

    def events(self) -> Iterator[ReportedEvent]:
        """Yield the events as those of one run: a header, the events of all files, a footer.

        A single complete file keeps its footer. For several files, the totals are added up; the duration is
        the longest one, since shards run side by side. A run with an unfinished file is never proven.

        Raises:
            MergeError: the files are not of one run, two have the same cell, or a file is named twice.
            EventFileError: a file is not an event file of this wireproof.
            OSError: a file cannot be read.
        """
        self.unfinished.clear()
        _check_once(self.paths)
        header = _merged_header([(path, _header(path)) for path in self.paths])
        yield header
        account = RunAccount()
        account.totals.cells_selected = header.cells
        footers: list[RunFooter] = []
        judged: dict[Cell, Path] = {}
        findings: set[LedgerFinding | ClaimFinding] = set()
        compares = False
        for path in self.paths:
            whole = len(footers)
            for event in _located(path):
                match event:
                    case RunHeader():
                        continue
                    case RunFooter():
                        footers.append(event)
                        continue
                    case CellResult():
                        _note_judged(event.cell, path, judged)
                    case ComparedCell():
                        compares = True
                    case LedgerFinding() | ClaimFinding():
                        if event in findings:
                            continue
                        findings.add(event)
                    case _:
                        pass
                account.take(event)
                yield event
            if len(footers) == whole:
                self.unfinished.append(path)
        if len(self.paths) == len(footers) == 1:
            yield footers[0]
            return
        account.close(claims_required=Phase.ENUMERATED in header.phases and not compares)
        codes = [account.exit_code(compares=compares), *(each.exit_code for each in footers)]
        if self.unfinished:
            codes.append(ExitCode.BELOW_FLOOR)
        duration_s = max((each.duration_s for each in footers), default=0.0)
        yield RunFooter(account.totals, duration_s, ExitCode(worst(codes)))


def _check_once(paths: Sequence[Path]) -> None:
    places = Counter(path.resolve() for path in paths)
    if twice := next((path for path in paths if places[path.resolve()] > 1), None):
        raise MergeError(f"{twice} is named twice", "Name the file of each shard once.")


def _located(path: Path) -> Iterator[ReportedEvent]:
    """Yield the events of a file; an error names the file."""
    try:
        yield from read_event_file(path)
    except EventFileError as error:
        raise MergeError(f"{path}: {error}", error.advice) from error


def _note_judged(cell: Cell, path: Path, judged: dict[Cell, Path]) -> None:
    other = judged.setdefault(cell, path)
    if other != path:
        raise MergeError(
            f"{other} and {path} both have {cell.id}: the shards of a run have no cell in common"
        )


def _header(path: Path) -> RunHeader:
    for event in _located(path):
        assert isinstance(event, RunHeader)
        return event
    raise MergeError(f"{path}: there is no event")


def _merged_header(found: Sequence[tuple[Path, RunHeader]]) -> RunHeader:
    """Return the header of the whole run.

    Raises MergeError if two headers differ in what the shards of a run have in common.
    """
    (first_path, first), *rest = found
    if not rest:
        return first
    for path, header in rest:
        for name in _COMMON:
            one, other = getattr(first, name), getattr(header, name)
            if one != other:
                texts = f"{_text(one)} in {first_path}, {_text(other)} in {path}"
                raise MergeError(f"these are not shards of one run: {name.replace('_', ' ')} is {texts}")
    headers = [header for _, header in found]
    return replace(
        first,
        command=("wireproof", "merge", *(str(path) for path, _ in found)),
        releases=tuple(dict.fromkeys(release for each in headers for release in each.releases)),
        jars=_union([each.jars for each in headers]),
        ledger=_union([each.ledger for each in headers]),
        terms=_union([each.terms for each in headers]),
        unclaimed=_unclaimed(headers),
        locations=_union([each.locations for each in headers]),
        retired=_union([each.retired for each in headers]),
        corpus=_union([each.corpus for each in headers]),
        unsaid=tuple(dict.fromkeys(words for each in headers for words in each.unsaid)),
        cells=sum(each.cells for each in headers),
        cells_offered=max(each.cells_offered for each in headers),
    )


def _unclaimed(headers: Sequence[RunHeader]) -> dict[str, tuple[int, ...]]:
    """Return the versions that no shard's testee claims: each shard has some of the cells."""
    found: dict[str, set[int]] = {}
    for each in headers:
        for name, versions in each.unclaimed.items():
            found.setdefault(name, set()).update(versions)
    return {name: tuple(sorted(versions)) for name, versions in found.items()}


_COMMON: Final = ("version", "subjects", "testee", "phases", "mutations", "seed", "ledger_of")
"""The properties of a header that all shards of a run share."""


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value) or "none"


_Value = TypeVar("_Value")


def _union(tables: Iterable[Mapping[str, _Value]]) -> dict[str, _Value]:
    merged: dict[str, _Value] = {}
    for table in tables:
        merged.update(table)
    return merged
