"""The golden corpus: entries, each a statement about one cell, as text that diffs and greps.

Pure but for `files`: no Java, no codec. Whoever makes entries (Kafka's classes, a capture, a pipeline) and
whoever holds a codec against them meet here and in the files, which `corpus/FORMAT.md` describes.
"""

from wireproof.corpus.cover import covering
from wireproof.corpus.entry import (
    Change,
    Entry,
    Golden,
    Malformed,
    Provenance,
    Taken,
    entry_of,
    id_of,
    line_of,
)
from wireproof.corpus.errors import CorpusError, Problem
from wireproof.corpus.files import CorpusSet, EntrySource, LooseEntries, NewSet, open_set, part_path
from wireproof.corpus.lint import faults_of_value, lint_part
from wireproof.corpus.part import FORMAT, Head, Kind, Part, head_of, part_text, read_part, split_parts

__all__ = [
    "FORMAT",
    "Change",
    "CorpusError",
    "CorpusSet",
    "Entry",
    "EntrySource",
    "Golden",
    "Head",
    "Kind",
    "LooseEntries",
    "Malformed",
    "NewSet",
    "Part",
    "Problem",
    "Provenance",
    "Taken",
    "covering",
    "entry_of",
    "faults_of_value",
    "head_of",
    "id_of",
    "line_of",
    "lint_part",
    "open_set",
    "part_path",
    "part_text",
    "read_part",
    "split_parts",
]
