"""The golden corpus: entries, each a statement about one cell, as text that diffs and greps.

Pure but for `files`: no Java, and no codec but where entries are gathered out of captures. Whoever makes
entries (Kafka's classes, a capture, a pipeline) and whoever holds a codec against them meet here and in the
files, which `corpus/FORMAT.md` describes.
"""

from wireproof.corpus.candidates import (
    SMALL_BYTES,
    Candidate,
    FrameReader,
    FrameReading,
    Place,
    Rank,
    Whence,
    provenance_of,
    rank_of,
)
from wireproof.corpus.collection import ORPHAN, GatheredCell, Gathering, too_large
from wireproof.corpus.corpus_entry import (
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
from wireproof.corpus.corpus_errors import CorpusError, Problem
from wireproof.corpus.corpus_file import FORMAT, Head, Kind, Part, head_of, part_text, read_part, split_parts
from wireproof.corpus.corpus_folder import (
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
from wireproof.corpus.corpus_writer import Adding
from wireproof.corpus.coverage_report import NOT_ASKED, ListenerReach, Reach, ReachCount, Reasons
from wireproof.corpus.disk_logs import DISK, DiskLogs
from wireproof.corpus.entry_selection import Choice, Offer, choose, entry_from, merged, shown_by
from wireproof.corpus.formatting import Formatted, formatted
from wireproof.corpus.lint import LayoutsOf, faults_of_value, lint_part
from wireproof.corpus.minimization import least, shown_wrong
from wireproof.corpus.set_cover import covering

__all__ = [
    "FORMAT",
    "NOT_ASKED",
    "ORPHAN",
    "SMALL_BYTES",
    "Adding",
    "Candidate",
    "Change",
    "Choice",
    "CorpusError",
    "CorpusSet",
    "Entry",
    "EntrySource",
    "Formatted",
    "GatheredCell",
    "DISK",
    "DiskLogs",
    "Gathering",
    "Golden",
    "Head",
    "Kind",
    "LayoutsOf",
    "ListenerReach",
    "FrameReading",
    "FrameReader",
    "LooseEntries",
    "Malformed",
    "NewSet",
    "Offer",
    "Part",
    "Place",
    "Problem",
    "Provenance",
    "Rank",
    "Reach",
    "ReachCount",
    "Reasons",
    "Taken",
    "Whence",
    "choose",
    "corpus_files",
    "corpus_text",
    "covering",
    "entry_from",
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
    "provenance_of",
    "rank_of",
    "reach_files",
    "read_part",
    "read_reach",
    "replace_file",
    "replace_part",
    "replace_reach",
    "shown_by",
    "shown_wrong",
    "split_parts",
    "too_large",
]
