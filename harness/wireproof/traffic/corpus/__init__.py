"""The golden corpus: entries about the bytes of one cell each, as text that diffs and greps.

`corpus/FORMAT.md` describes the files. Kafka's classes, captures and Spark jobs make entries; codecs are
compared with them. The package needs no Java; only `candidates` and `collection` use a codec.
"""

from wireproof.traffic.corpus.candidates import (
    SMALL_BYTES,
    Candidate,
    FrameLocation,
    FrameOrigin,
    FrameReader,
    rank_of,
)
from wireproof.traffic.corpus.collection import CaptureCollector, CollectedCell, DiskLogs, too_large
from wireproof.traffic.corpus.corpus_entry import (
    AcceptedReading,
    Change,
    CorpusError,
    Entry,
    GoldenEntry,
    MalformedEntry,
    Problem,
    Provenance,
)
from wireproof.traffic.corpus.corpus_file import (
    CorpusFile,
    CorpusHead,
    CorpusKind,
    corpus_file_text,
    head_of,
    read_corpus_file,
    split_corpus_files,
)
from wireproof.traffic.corpus.corpus_folder import (
    CorpusSet,
    CorpusWriter,
    EntrySource,
    LooseEntries,
    NewCorpusFolder,
    corpus_files,
    corpus_text,
    coverage_report_files,
    open_set,
    read_coverage_report,
    replace_changed_file,
    replace_coverage_report,
)
from wireproof.traffic.corpus.coverage_report import NOT_ASKED, CoverageReport, CoverageReportBuilder, Reasons
from wireproof.traffic.corpus.entry_lines import entry_of, id_of, line_of
from wireproof.traffic.corpus.entry_selection import Offer, choose, covering, entry_fingerprint, entry_from
from wireproof.traffic.corpus.formatting import LayoutsOf, formatted, lint_corpus_file
from wireproof.traffic.corpus.manifest import FIRST_VERSION, MANIFEST, ContentDifference, CorpusManifest
from wireproof.traffic.corpus.minimization import minimize, reasons_to_keep

__all__ = [
    "FIRST_VERSION",
    "MANIFEST",
    "NOT_ASKED",
    "SMALL_BYTES",
    "CorpusWriter",
    "Candidate",
    "Change",
    "ContentDifference",
    "CorpusError",
    "CorpusManifest",
    "CorpusSet",
    "Entry",
    "EntrySource",
    "CollectedCell",
    "DiskLogs",
    "CaptureCollector",
    "GoldenEntry",
    "CorpusHead",
    "CorpusKind",
    "LayoutsOf",
    "FrameReader",
    "LooseEntries",
    "MalformedEntry",
    "NewCorpusFolder",
    "Offer",
    "CorpusFile",
    "FrameLocation",
    "Problem",
    "Provenance",
    "CoverageReport",
    "CoverageReportBuilder",
    "Reasons",
    "AcceptedReading",
    "FrameOrigin",
    "choose",
    "corpus_files",
    "corpus_text",
    "covering",
    "entry_from",
    "entry_of",
    "formatted",
    "head_of",
    "id_of",
    "minimize",
    "line_of",
    "lint_corpus_file",
    "open_set",
    "corpus_file_text",
    "rank_of",
    "coverage_report_files",
    "read_corpus_file",
    "read_coverage_report",
    "replace_changed_file",
    "replace_coverage_report",
    "entry_fingerprint",
    "reasons_to_keep",
    "split_corpus_files",
    "too_large",
]
