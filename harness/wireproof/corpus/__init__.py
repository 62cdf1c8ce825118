"""The golden corpus: entries, each a statement about one cell, as text that diffs and greps.

Pure but for `files`: no Java, and no codec but where entries are gathered out of captures. Whoever makes
entries (Kafka's classes, a capture, a pipeline) and whoever holds a codec against them meet here and in the
files, which `corpus/FORMAT.md` describes.
"""

from wireproof.corpus.choosing import chosen, merged
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
from wireproof.corpus.files import (
    CorpusSet,
    EntrySource,
    LooseEntries,
    NewSet,
    corpus_files,
    corpus_text,
    open_set,
    part_path,
    reach_files,
    read_reach,
    replace_file,
    replace_part,
    replace_reach,
)
from wireproof.corpus.formatting import Formatted, formatted
from wireproof.corpus.gathering import OWN_CLIENT, Candidate, Gathering
from wireproof.corpus.lint import LayoutsOf, faults_of_value, lint_part
from wireproof.corpus.minimum import least, shown_wrong
from wireproof.corpus.part import FORMAT, Head, Kind, Part, head_of, part_text, read_part, split_parts
from wireproof.corpus.reach import NOT_ASKED, ListenerReach, Reach, Reasons

__all__ = [
    "FORMAT",
    "NOT_ASKED",
    "OWN_CLIENT",
    "Candidate",
    "Change",
    "CorpusError",
    "CorpusSet",
    "Entry",
    "EntrySource",
    "Formatted",
    "Gathering",
    "Golden",
    "Head",
    "Kind",
    "LayoutsOf",
    "ListenerReach",
    "LooseEntries",
    "Malformed",
    "NewSet",
    "Part",
    "Problem",
    "Provenance",
    "Reach",
    "Reasons",
    "Taken",
    "chosen",
    "corpus_files",
    "corpus_text",
    "covering",
    "entry_of",
    "faults_of_value",
    "formatted",
    "head_of",
    "id_of",
    "least",
    "line_of",
    "lint_part",
    "merged",
    "open_set",
    "part_path",
    "part_text",
    "reach_files",
    "read_part",
    "read_reach",
    "replace_file",
    "replace_part",
    "replace_reach",
    "shown_wrong",
    "split_parts",
]
