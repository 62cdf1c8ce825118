"""The writer of new entries to a corpus; existing entries stay."""

from collections.abc import Callable, Sequence
from pathlib import Path

from wireproof.model import CellId
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, Provenance
from wireproof.traffic.corpus.corpus_file import (
    CorpusFile,
    CorpusHead,
    head_of,
    read_corpus_file,
    sort_entries,
)
from wireproof.traffic.corpus.corpus_folder import corpus_file_path, corpus_text, replace_corpus_file


class CorpusWriter:
    """A writer that adds entries to the corpus in a folder.

    Args:
        head: makes the head of a new file for a module and a message.

    Attributes:
        entries: the number of new entries.
    """

    def __init__(self, folder: Path, head: Callable[[str, str], CorpusHead]) -> None:
        self._folder = folder
        self._head = head
        self._files: dict[tuple[str, str], CorpusFile | None] = {}
        self._new: dict[tuple[str, str], list[GoldenEntry]] = {}
        self.entries = 0

    def existing(self, module: str, cell: str, provenance: Provenance) -> list[GoldenEntry]:
        """Return the existing entries of a cell and provenance.

        Raises:
            CorpusError: their file is not complete.
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
            files += replace_corpus_file(
                self._folder, _joined(self._head(module, message), existing, entries)
            )
        return files

    def _part(self, module: str, message: str) -> CorpusFile | None:
        key = module, message
        if key not in self._files:
            place = self._folder / corpus_file_path(self._head(module, message))
            self._files[key] = read_corpus_file(corpus_text(place), str(place)) if place.exists() else None
        return self._files[key]


def _joined(head: CorpusHead, existing: CorpusFile | None, new: Sequence[GoldenEntry]) -> CorpusFile:
    old = [each for each in existing.entries if isinstance(each, GoldenEntry)] if existing else []
    entries = sort_entries([*old, *new])
    return CorpusFile(head_of(head.kind, existing.head if existing else head, entries), tuple(entries))
