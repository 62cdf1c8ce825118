"""The manifest of a corpus: its version, and what it contained when it got that version.

The version is semantic: a codec that passes with 1.2.0 passes with 1.3.0 on the entries of both.
`ContentDifference` computes the number that a change raises.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from wireproof.base.text.parsing import parse_json
from wireproof.traffic.corpus.corpus_entry import CorpusError, Problem
from wireproof.traffic.corpus.corpus_file import FORMAT, CorpusKind, read_corpus_file
from wireproof.traffic.corpus.corpus_folder import corpus_text, coverage_report_files

VERSION: Final = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
"""Three numbers."""


@dataclass(frozen=True, slots=True)
class ContentDifference:
    """The difference between the content of a corpus and that of its manifest.

    Attributes:
        removed: the number of removed entries, by file; a changed entry counts as removed and as added.
        added: the number of new entries, by file.
        described: the files whose heads, order or text changed.
        another_format: the number of the format changed.
    """

    removed: Mapping[str, int] = field(default_factory=dict)
    added: Mapping[str, int] = field(default_factory=dict)
    described: tuple[str, ...] = ()
    another_format: bool = False

    def __bool__(self) -> bool:
        """True if anything changed."""
        return bool(self.removed or self.added or self.described or self.another_format)

    def next_version(self, version: str) -> str:
        """The version after this one: major if an entry changed or is gone, minor if one is new."""
        numbers = VERSION.fullmatch(version)
        assert numbers is not None
        major, minor, patch = map(int, numbers.groups())
        if self.removed or self.another_format:
            return f"{major + 1}.0.0"
        if self.added:
            return f"{major}.{minor + 1}.0"
        return f"{major}.{minor}.{patch + 1}"


MANIFEST: Final = "manifest.json"
"""The name of the file, in the folder of the corpus."""

FIRST_VERSION: Final = "1.0.0"

_TEXTS: Final = ("FORMAT.md", "schema.json")
_DIGEST_DIGITS: Final = 20
_ID_DIGITS: Final = 8
"""The digits of an entry's id that the manifest has. They are compared within one file."""
_ID_PLACE: Final = len('{"id":"')


@dataclass(frozen=True, slots=True)
class CorpusManifest:
    """A version and its content.

    Attributes:
        version: three numbers.
        files: the digest of each file, by its path, and the first digits of the ids of its entries.
        corpus_format: the number of the format, as in the heads.
    """

    version: str
    files: Mapping[str, tuple[str, ...]] = field(hash=False)
    corpus_format: int = FORMAT

    @classmethod
    def of_folder(cls, folder: Path, version: str) -> "CorpusManifest":
        """The manifest that describes a folder. Raises CorpusError if a file of it is damaged."""
        files: dict[str, tuple[str, ...]] = {}
        for path in sorted(path for kind in CorpusKind for path in (folder / kind).rglob("*.ndjson")):
            text = corpus_text(path)
            read_corpus_file(text, str(path))  # each id is that of its line
            head, *entries = text.splitlines()
            ids = (line[_ID_PLACE : _ID_PLACE + _ID_DIGITS] for line in entries)
            files[path.relative_to(folder).as_posix()] = (_digest(head), *ids)
        others = [*coverage_report_files(folder), *(folder / name for name in _TEXTS)]
        for path in others:
            if path.is_file():
                files[path.relative_to(folder).as_posix()] = (_digest(corpus_text(path)),)
        return cls(version, dict(sorted(files.items())))

    @classmethod
    def read(cls, folder: Path) -> "CorpusManifest | None":
        """The manifest in a folder; None if there is none.

        Raises CorpusError if the file is not a manifest.
        """
        path = folder / MANIFEST
        if not path.exists():
            return None
        try:
            return cls._parse(parse_json(corpus_text(path)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CorpusError(Problem(str(path), 0, f"is not a manifest: {error}")) from error

    @classmethod
    def _parse(cls, members: Mapping[str, Any]) -> "CorpusManifest":
        version = members["version"]
        if not VERSION.fullmatch(version):
            raise ValueError(f"version {version!r}: expected three numbers, such as {FIRST_VERSION}")
        files = {name: tuple(text.split()) for name, text in members["files"].items()}
        return cls(version, files, members["format"])

    def text(self) -> str:
        """The text of the file, a line for each file of the corpus."""
        files = {name: " ".join(words) for name, words in self.files.items()}
        members = {"version": self.version, "format": self.corpus_format, "files": files}
        return json.dumps(members, indent=1) + "\n"

    def compare(self, now: "CorpusManifest") -> ContentDifference:
        """The difference from this content to another."""
        removed: Counter[str] = Counter()
        added: Counter[str] = Counter()
        described: list[str] = []
        for name in sorted(self.files.keys() | now.files.keys()):
            before, after = self.files.get(name, ()), now.files.get(name, ())
            was, is_now = Counter(before[1:]), Counter(after[1:])
            removed[name] += (was - is_now).total()
            added[name] += (is_now - was).total()
            if before != after and was == is_now:
                described.append(name)
        return ContentDifference(+removed, +added, tuple(described), self.corpus_format != now.corpus_format)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_DIGITS]
