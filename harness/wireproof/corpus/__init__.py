"""The golden corpus: entries, each a statement about one cell, as text that diffs and greps.

Pure but for `files`: no Java, and no codec but where entries are gathered out of captures. Whoever makes
entries (Kafka's classes, a capture, a pipeline) and whoever holds a codec against them meet here and in the
files, which `corpus/FORMAT.md` describes.
"""

from wireproof.corpus.candidates import (
    SMALL_BYTES,
    Candidate,
    FrameLocation,
    FrameOrigin,
    FrameReader,
    FrameReading,
    Rank,
    provenance_of,
    rank_of,
)
from wireproof.corpus.collection import ORPHAN, CaptureCollector, CollectedCell, too_large
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
from wireproof.corpus.corpus_file import (
    FORMAT,
    CorpusFile,
    CorpusHead,
    CorpusKind,
    corpus_file_text,
    head_of,
    read_corpus_file,
    split_corpus_files,
)
from wireproof.corpus.corpus_folder import (
    CorpusSet,
    EntrySource,
    LooseEntries,
    NewSet,
    corpus_file_path,
    corpus_files,
    corpus_text,
    coverage_report_files,
    open_set,
    read_coverage_report,
    replace_corpus_file,
    replace_coverage_report,
    replace_file,
)
from wireproof.corpus.corpus_writer import CorpusWriter
from wireproof.corpus.coverage_report import (
    NOT_ASKED,
    CoverageReport,
    CoverageReportBuilder,
    ListenerCoverage,
    Reasons,
)
from wireproof.corpus.disk_logs import DISK, DiskLogs
from wireproof.corpus.entry_selection import Choice, Offer, choose, entry_from, merged, shown_by
from wireproof.corpus.formatting import Formatted, formatted
from wireproof.corpus.lint import LayoutsOf, faults_of_value, lint_corpus_file
from wireproof.corpus.minimization import least, shown_wrong
from wireproof.corpus.set_cover import covering

__all__ = [
    "FORMAT",
    "NOT_ASKED",
    "ORPHAN",
    "SMALL_BYTES",
    "CorpusWriter",
    "Candidate",
    "Change",
    "Choice",
    "CorpusError",
    "CorpusSet",
    "Entry",
    "EntrySource",
    "Formatted",
    "CollectedCell",
    "DISK",
    "DiskLogs",
    "CaptureCollector",
    "Golden",
    "CorpusHead",
    "CorpusKind",
    "LayoutsOf",
    "ListenerCoverage",
    "FrameReading",
    "FrameReader",
    "LooseEntries",
    "Malformed",
    "NewSet",
    "Offer",
    "CorpusFile",
    "FrameLocation",
    "Problem",
    "Provenance",
    "Rank",
    "CoverageReport",
    "CoverageReportBuilder",
    "Reasons",
    "Taken",
    "FrameOrigin",
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
    "lint_corpus_file",
    "merged",
    "open_set",
    "corpus_file_path",
    "corpus_file_text",
    "provenance_of",
    "rank_of",
    "coverage_report_files",
    "read_corpus_file",
    "read_coverage_report",
    "replace_file",
    "replace_corpus_file",
    "replace_coverage_report",
    "shown_by",
    "shown_wrong",
    "split_corpus_files",
    "too_large",
]
