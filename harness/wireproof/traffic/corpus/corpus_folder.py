"""The files of a corpus: in a folder, as one file, or in a stream."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from wireproof.base.files.own_folders import OwnFolder
from wireproof.base.files.replacement import replace_file
from wireproof.base.text.parsing import read_text, text_of
from wireproof.model.cell import CellId
from wireproof.traffic.corpus.corpus_entry import CorpusError, Entry, GoldenEntry, Problem, Provenance
from wireproof.traffic.corpus.corpus_file import (
    CorpusFile,
    CorpusHead,
    CorpusKind,
    corpus_file_text,
    head_of,
    read_corpus_file,
    sort_entries,
    split_corpus_files,
)
from wireproof.traffic.corpus.coverage_report import CoverageReport

SUFFIX: Final = ".ndjson"
_KINDS: Final = tuple(str(kind) for kind in CorpusKind)
_Message: TypeAlias = tuple[str, str]
"""(release, message)"""


def corpus_file_path(head: CorpusHead) -> str:
    """Return the path of a file in a corpus: ``golden/4.4.0/clients/FetchRequest.ndjson``."""
    return f"{head.kind}/{head.release}/{head.module}/{head.message}{SUFFIX}"


class EntrySource(Protocol):
    """A source of the entries of cells."""

    def of(self, cell_id: str) -> Sequence[Entry]:
        """Return the entries of a cell, if any."""


@dataclass(frozen=True, slots=True)
class LooseEntries:
    """Entries without their corpus."""

    entries: tuple[Entry, ...]

    def of(self, cell_id: str) -> Sequence[Entry]:
        return [entry for entry in self.entries if entry.cell == cell_id]


@dataclass(slots=True)
class CorpusSet:
    """The files of a corpus, in a folder or a stream. It can be pickled; it keeps one message's entries."""

    texts: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()
    _places: dict[_Message, list[str]] = field(default_factory=dict)
    _latest: tuple[_Message, list[Entry]] | None = None

    def parts(self) -> Iterator[tuple[str, CorpusFile]]:
        """Iterate over the files with their names. Raises CorpusError if a file is not complete."""
        for place in self.places:
            yield place, read_corpus_file(self._text(place), place)

    @property
    def places(self) -> list[str]:
        """The names of the files."""
        return [*self.texts, *map(str, self.paths)]

    @property
    def in_folder(self) -> bool:
        """True if these are files in a folder; their paths then have to match their heads."""
        return bool(self.paths)

    def part_at(self, place: str) -> CorpusFile:
        """Read one file. Raises CorpusError if it is not complete."""
        return read_corpus_file(self._text(place), place)

    def index(self, kinds: Collection[CorpusKind] = tuple(CorpusKind)) -> list[tuple[str, CorpusFile]]:
        """Read every file once, and note the files of each message for `of`.

        Args:
            kinds: the kinds of files to return; the files of other kinds must be complete, too.

        Raises:
            CorpusError: the error holds the problems of all files.
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
        """Return the entries of a cell, if the set has any."""
        release, message, _ = CellId.parse(cell_id)
        if self._latest is None or self._latest[0] != (release, message):
            places = self._places.get((release, message), [])
            entries = [entry for place in places for entry in self.part_at(place).entries]
            self._latest = (release, message), entries
        return [entry for entry in self._latest[1] if entry.cell == cell_id]

    def _text(self, place: str) -> str:
        return self.texts[place] if place in self.texts else corpus_text(Path(place))


def open_set(path: Path, stream: str | None = None) -> CorpusSet:
    """Open the corpus in a folder, in one file, or in a text from a stream.

    A folder has ``golden`` or ``malformed`` in it, or is a part of such a folder. Raises CorpusError if there
    is no corpus file.
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
    """Return the files of entries in a corpus, or in a part of one; a file returns itself.

    Raises CorpusError if there is none.
    """
    if not path.is_dir():
        return [path]
    kinds = [path / kind for kind in _KINDS if (path / kind).is_dir()]
    files = sorted(file for folder in kinds or [path] for file in folder.rglob(f"*{SUFFIX}"))
    if files:
        return files
    raise CorpusError(Problem(str(path), 0, "holds no corpus file, such as golden/4.4.0/...ndjson"))


def corpus_text(path: Path) -> str:
    """Read a file. Raises CorpusError if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return text_of(stream)
    except OSError as error:
        raise CorpusError(Problem(str(path), 0, f"cannot be read: {error.strerror}")) from error
    except ValueError as error:
        raise CorpusError(Problem(str(path), 0, str(error))) from None


class NewCorpusFolder:
    """A new folder that appears complete or not at all: a temporary folder that is renamed at the end.

    Use it as a context manager: after an exception, including Ctrl-C, it removes what was written. Raises
    FileExistsError if the folder exists and is not empty.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> "NewCorpusFolder":
        if self._path.exists() and (not self._path.is_dir() or any(self._path.iterdir())):
            raise FileExistsError(f"{self._path} exists already")
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._folder = OwnFolder("corpus", self._path.parent, mode=0o777)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._folder.publish(self._path)
        finally:
            self._folder.remove()

    def write(self, part: CorpusFile) -> int:
        """Write a file; return its size in bytes."""
        data = corpus_file_text(part).encode()
        path = self._folder.path / corpus_file_path(part.head)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return len(data)


def replace_corpus_file(folder: Path, part: CorpusFile) -> bool:
    """Write a corpus file atomically; return True if that changed it.

    Raises OSError if it cannot be written; the old file is unchanged.
    """
    return replace_changed_file(folder / corpus_file_path(part.head), corpus_file_text(part))


def read_coverage_report(folder: Path, release: str) -> CoverageReport:
    """Read the coverage report of a release; return an empty one if there is no file.

    Raises CorpusError if the file is not a coverage report.
    """
    path = _coverage_path(folder, release)
    try:
        return CoverageReport.read(read_text(path))
    except FileNotFoundError:
        return CoverageReport(release)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusError(Problem(str(path), 0, f"not a coverage report: {error}")) from error


def replace_coverage_report(folder: Path, report: CoverageReport) -> bool:
    """Write the coverage report of a release; return True if that changed it.

    Raises OSError if it cannot be written.
    """
    return replace_changed_file(_coverage_path(folder, report.release), report.text())


def coverage_report_files(path: Path) -> list[Path]:
    """Return the paths of a corpus's coverage reports."""
    return sorted((path / "coverage").glob("*.json"))


def _coverage_path(folder: Path, release: str) -> Path:
    return folder / "coverage" / f"{release}.json"


def replace_changed_file(path: Path, text: str) -> bool:
    """Write a file atomically; return True if that changed it.

    Raises OSError if it cannot be written; the old file is unchanged.
    """
    data = text.encode()
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, data)
    return True


@dataclass(slots=True)
class CorpusWriter:
    """A writer that adds entries to the corpus in a folder.

    `head` makes the head of a new file for a module and a message; `entries` is the number of new entries.
    """

    folder: Path
    head: Callable[[str, str], CorpusHead]
    entries: int = 0
    _files: dict[tuple[str, str], CorpusFile | None] = field(default_factory=dict)
    _new: dict[tuple[str, str], list[GoldenEntry]] = field(default_factory=dict)

    def existing(self, module: str, cell: str, provenance: Provenance) -> list[GoldenEntry]:
        """Return the existing entries of a cell and provenance.

        Raises CorpusError if their file is not complete.
        """
        part = self._part(module, CellId.parse(cell).message)
        every = part.entries if part else ()
        return [
            each
            for each in every
            if isinstance(each, GoldenEntry) and (each.cell, each.provenance) == (cell, provenance)
        ]

    def add(self, module: str, entries: Sequence[GoldenEntry]) -> None:
        """Add entries of one module."""
        for each in entries:
            self._new.setdefault((module, CellId.parse(each.cell).message), []).append(each)
            self.entries += 1

    def write(self) -> int:
        """Write every file with new entries, each atomically; return the number of files.

        Raises:
            CorpusError: an existing file is not complete.
            OSError: the folder cannot be written.
        """
        files = 0
        for (module, message), entries in sorted(self._new.items()):
            existing = self._part(module, message)
            files += replace_corpus_file(self.folder, _joined(self.head(module, message), existing, entries))
        return files

    def _part(self, module: str, message: str) -> CorpusFile | None:
        key = module, message
        if key not in self._files:
            place = self.folder / corpus_file_path(self.head(module, message))
            self._files[key] = read_corpus_file(corpus_text(place), str(place)) if place.exists() else None
        return self._files[key]


def _joined(head: CorpusHead, existing: CorpusFile | None, new: Sequence[GoldenEntry]) -> CorpusFile:
    old = [each for each in existing.entries if isinstance(each, GoldenEntry)] if existing else []
    entries = sort_entries([*old, *new])
    return CorpusFile(head_of(head.kind, existing.head if existing else head, entries), tuple(entries))
