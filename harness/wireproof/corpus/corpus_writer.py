"""New entries to a corpus that may have some: message by message, what is there stays."""

from collections.abc import Callable, Sequence
from pathlib import Path

from wireproof.corpus.corpus_entry import Golden, Provenance
from wireproof.corpus.corpus_file import CorpusFile, CorpusHead, head_of, read_corpus_file
from wireproof.corpus.corpus_folder import corpus_file_path, replace_corpus_file
from wireproof.corpus.entry_selection import merged
from wireproof.model import CellId

__all__ = ["CorpusWriter"]


class CorpusWriter:
    """Adds entries to the corpus in a folder.

    Args:
        head: makes the head of a file that is new, of a module and a message.

    Attributes:
        entries: how many are new.
    """

    def __init__(self, folder: Path, head: Callable[[str, str], CorpusHead]) -> None:
        self._folder = folder
        self._head = head
        self._there: dict[tuple[str, str], CorpusFile | None] = {}
        self._new: dict[tuple[str, str], list[Golden]] = {}
        self.entries = 0

    def there(self, module: str, cell: str, provenance: Provenance) -> list[Golden]:
        """The entries of a cell and provenance that the corpus has already.

        Raises:
            CorpusError: their file is not whole.
        """
        part = self._part(module, CellId.parse(cell).message)
        every = part.entries if part else ()
        return [
            each
            for each in every
            if isinstance(each, Golden) and (each.cell, each.provenance) == (cell, provenance)
        ]

    def add(self, module: str, entries: Sequence[Golden]) -> None:
        """New entries of one module."""
        for each in entries:
            self._new.setdefault((module, CellId.parse(each.cell).message), []).append(each)
            self.entries += 1

    def write(self) -> int:
        """Write every file to which something was added, each whole or not at all; how many.

        Raises:
            CorpusError: a file that is there is not whole.
            OSError: the folder cannot be written.
        """
        files = 0
        for (module, message), entries in sorted(self._new.items()):
            there = self._part(module, message)
            files += replace_corpus_file(self._folder, _joined(self._head(module, message), there, entries))
        return files

    def _part(self, module: str, message: str) -> CorpusFile | None:
        key = module, message
        if key not in self._there:
            place = self._folder / corpus_file_path(self._head(module, message))
            self._there[key] = (
                read_corpus_file(place.read_text("utf-8"), str(place)) if place.exists() else None
            )
        return self._there[key]


def _joined(head: CorpusHead, there: CorpusFile | None, new: Sequence[Golden]) -> CorpusFile:
    old = [each for each in there.entries if isinstance(each, Golden)] if there else []
    entries = merged(old, new)
    return CorpusFile(head_of(head.kind, there.head if there else head, entries), tuple(entries))
