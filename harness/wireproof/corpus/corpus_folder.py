"""Where a corpus lies: a folder of files, one file, or a stream of them."""

import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Protocol, TypeAlias

from wireproof.corpus.corpus_entry import Entry
from wireproof.corpus.corpus_errors import CorpusError, Problem
from wireproof.corpus.corpus_file import (
    CorpusFile,
    CorpusHead,
    CorpusKind,
    corpus_file_text,
    read_corpus_file,
    split_corpus_files,
)
from wireproof.corpus.coverage_report import CoverageReport
from wireproof.model import CellId

__all__ = [
    "CorpusSet",
    "EntrySource",
    "LooseEntries",
    "NewSet",
    "corpus_files",
    "corpus_text",
    "open_set",
    "corpus_file_path",
    "coverage_report_files",
    "read_coverage_report",
    "replace_file",
    "replace_corpus_file",
    "replace_coverage_report",
]

SUFFIX: Final = ".ndjson"
_KINDS: Final = tuple(str(kind) for kind in CorpusKind)
_Message: TypeAlias = tuple[str, str]
"""(release, message)"""


def corpus_file_path(head: CorpusHead) -> str:
    """Where a file lies in a corpus: ``golden/4.4.0/clients/FetchRequest.ndjson``."""
    return f"{head.kind}/{head.release}/{head.module}/{head.message}{SUFFIX}"


class EntrySource(Protocol):
    """Where the entries of cells come from."""

    def of(self, cell_id: str) -> Sequence[Entry]:
        """The entries of a cell; none where there are none."""
        ...


@dataclass(frozen=True, slots=True)
class LooseEntries:
    """Entries that were taken out of a corpus."""

    entries: tuple[Entry, ...]

    def of(self, cell_id: str) -> Sequence[Entry]:
        """Those of a cell."""
        return [entry for entry in self.entries if entry.cell == cell_id]


@dataclass(slots=True)
class CorpusSet:
    """Files of a corpus; plain data, which can be pickled. The entries of the latest message are held.

    Attributes:
        texts: of a stream: its files by their place.
        paths: of a folder: the files.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()
    _places: dict[_Message, list[str]] = field(default_factory=dict)
    _latest: tuple[_Message, list[Entry]] | None = None

    def parts(self) -> Iterator[tuple[str, CorpusFile]]:
        """Each file with its place.

        Raises:
            CorpusError: at a file that is not whole.
        """
        for place in self.places:
            yield place, read_corpus_file(self._text(place), place)

    @property
    def places(self) -> list[str]:
        """The files."""
        return [*self.texts, *map(str, self.paths)]

    @property
    def in_folder(self) -> bool:
        """Return True if these are files in a folder, whose names say what they hold."""
        return bool(self.paths)

    def part_at(self, place: str) -> CorpusFile:
        """One file.

        Raises:
            CorpusError: it is not whole.
        """
        return read_corpus_file(self._text(place), place)

    def index(self, kinds: Collection[CorpusKind] = tuple(CorpusKind)) -> list[tuple[str, CorpusFile]]:
        """Every file, read once; afterwards `of` knows where to look.

        Args:
            kinds: of which entries; files of others are read all the same, and held to be whole.

        Raises:
            CorpusError: with what is wrong with all of them.
        """
        found: list[tuple[str, CorpusFile]] = []
        problems: list[Problem] = []
        for place in self.places:
            try:
                part = self.part_at(place)
            except CorpusError as error:
                problems.extend(error.problems)
                continue
            if part.head.kind not in kinds:
                continue
            self._places.setdefault((part.head.release, part.head.message), []).append(place)
            found.append((place, part))
        if problems:
            raise CorpusError(*problems)
        return found

    def of(self, cell_id: str) -> list[Entry]:
        """The entries of a cell; none where the set has none."""
        release, message, _ = CellId.parse(cell_id)
        if self._latest is None or self._latest[0] != (release, message):
            places = self._places.get((release, message), [])
            entries = [entry for place in places for entry in self.part_at(place).entries]
            self._latest = (release, message), entries
        return [entry for entry in self._latest[1] if entry.cell == cell_id]

    def _text(self, place: str) -> str:
        return self.texts[place] if place in self.texts else corpus_text(Path(place))


def open_set(path: Path, stream: str | None = None) -> CorpusSet:
    """The corpus in a folder, in one file, or in a text that was read from a stream.

    A folder is one with ``golden`` or ``malformed`` in it, or a part of such a one.

    Raises:
        CorpusError: there is no file of a corpus.
    """
    if stream is not None:
        texts = split_corpus_files(stream)
        if len(texts) == 1:
            return CorpusSet({str(path): texts[0]})
        return CorpusSet({f"{path}#{index}": text for index, text in enumerate(texts, 1)})
    if path.is_dir():
        return CorpusSet(paths=tuple(corpus_files(path)))
    return open_set(path, corpus_text(path))


def corpus_files(path: Path) -> list[Path]:
    """The files of entries of a corpus, or of a part of one; a file is one itself.

    Raises:
        CorpusError: there is none.
    """
    if not path.is_dir():
        return [path]
    kinds = [path / kind for kind in _KINDS if (path / kind).is_dir()]
    files = sorted(file for folder in kinds or [path] for file in folder.rglob(f"*{SUFFIX}"))
    if files:
        return files
    raise CorpusError(Problem(str(path), 0, "holds no file of a corpus, such as golden/4.4.0/...ndjson"))


def corpus_text(path: Path) -> str:
    """Read a file.

    Raises:
        CorpusError: it cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise CorpusError(Problem(str(path), 0, f"cannot be read: {error.strerror}")) from error
    except UnicodeError:
        raise CorpusError(Problem(str(path), 0, "is no UTF-8")) from None


class NewSet:
    """A folder that is there whole or not at all: written beside its place, and renamed at the end.

    Use as a context manager: an exception, Ctrl-C too, takes what was written away again.

    Raises:
        FileExistsError: something is there already.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._beside = path.with_name(f".{path.name}.{os.getpid()}")

    def __enter__(self) -> "NewSet":
        if self._path.exists() and (not self._path.is_dir() or any(self._path.iterdir())):
            raise FileExistsError(f"{self._path} is there already")
        self._beside.mkdir(parents=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            if self._path.is_dir():
                self._path.rmdir()
            self._beside.rename(self._path)
        else:
            shutil.rmtree(self._beside, ignore_errors=True)

    def write(self, part: CorpusFile) -> int:
        """Write a file; its size in bytes."""
        data = corpus_file_text(part).encode()
        place = self._beside / corpus_file_path(part.head)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        return len(data)


def replace_corpus_file(folder: Path, part: CorpusFile) -> bool:
    """Write a file of a corpus in one step; whether that changed anything.

    Raises:
        OSError: it cannot be written; the old one is as it was.
    """
    return replace_file(folder / corpus_file_path(part.head), corpus_file_text(part))


def read_coverage_report(folder: Path, release: str) -> CoverageReport:
    """The account of the captures of a release; an empty one where there is none.

    Raises:
        CorpusError: the file is no account.
    """
    place = _reach_path(folder, release)
    try:
        return CoverageReport.read(place.read_text("utf-8"))
    except FileNotFoundError:
        return CoverageReport(release)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusError(Problem(str(place), 0, f"no account of captures: {error}")) from error


def replace_coverage_report(folder: Path, reach: CoverageReport) -> bool:
    """Write the account of the captures of a release; whether that changed anything.

    Raises:
        OSError: it cannot be written.
    """
    return replace_file(_reach_path(folder, reach.release), reach.text())


def coverage_report_files(path: Path) -> list[Path]:
    """The accounts of captures beside the entries of a corpus."""
    return sorted((path / "coverage").glob("*.json"))


def _reach_path(folder: Path, release: str) -> Path:
    return folder / "coverage" / f"{release}.json"


def replace_file(place: Path, text: str) -> bool:
    """Write a file in one step; whether that changed anything.

    Raises:
        OSError: it cannot be written; the old one is as it was.
    """
    data = text.encode()
    if place.is_file() and place.read_bytes() == data:
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    arriving = place.with_name(f".{place.name}.{os.getpid()}")
    try:
        arriving.write_bytes(data)
        arriving.replace(place)
    finally:
        arriving.unlink(missing_ok=True)
    return True
