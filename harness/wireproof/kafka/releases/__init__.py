"""Kafka releases: which there are, their jars, and the schemas in them."""

from wireproof.kafka.releases._brokers import broker_jars, broker_releases, coordinator_jars, pin_brokers
from wireproof.kafka.releases._definition_files import (
    MOST_BYTES,
    MOST_BYTES_TOGETHER,
    MOST_FILES,
    Definitions,
    FileRule,
    definition_paths,
    definition_text,
    oversize_words,
    parse_definitions,
    read_definitions,
)
from wireproof.kafka.releases._diff import ChangedCell, MovedMessage, ReleaseDiff, diff_releases
from wireproof.kafka.releases._errors import ReleaseError
from wireproof.kafka.releases._fetch import Fetcher, FetchError, JgoFetcher, Progress
from wireproof.kafka.releases._fork import Fork
from wireproof.kafka.releases._fork_overlay import lay_over
from wireproof.kafka.releases._forked_release import forked
from wireproof.kafka.releases._generators import generator_jars, generator_releases
from wireproof.kafka.releases._headers import HeaderTable, ask_headers, headers_of, with_headers
from wireproof.kafka.releases._schemas import count_differences, load_schemas
from wireproof.kafka.releases._snapshots import load_snapshot, snapshot_folder, write_snapshot
from wireproof.kafka.releases._store import JarState, JarStatus, JarStore, cache_folder
from wireproof.kafka.releases._table import (
    AbsentModule,
    ExtraJar,
    Jar,
    Module,
    Release,
    ReleaseTable,
    read_table,
    table,
)

__all__ = [
    "MOST_BYTES",
    "MOST_BYTES_TOGETHER",
    "MOST_FILES",
    "AbsentModule",
    "ExtraJar",
    "ChangedCell",
    "Definitions",
    "FetchError",
    "FileRule",
    "Fetcher",
    "Fork",
    "HeaderTable",
    "Jar",
    "JarState",
    "JarStatus",
    "JarStore",
    "JgoFetcher",
    "Module",
    "MovedMessage",
    "Progress",
    "Release",
    "ReleaseDiff",
    "ReleaseError",
    "ReleaseTable",
    "ask_headers",
    "broker_jars",
    "broker_releases",
    "cache_folder",
    "coordinator_jars",
    "count_differences",
    "definition_paths",
    "definition_text",
    "diff_releases",
    "generator_jars",
    "generator_releases",
    "forked",
    "headers_of",
    "lay_over",
    "load_schemas",
    "load_snapshot",
    "oversize_words",
    "parse_definitions",
    "pin_brokers",
    "read_definitions",
    "read_table",
    "snapshot_folder",
    "table",
    "with_headers",
    "write_snapshot",
]
