"""Kafka releases: which there are, their jars, and the schemas in them."""

from wireproof.releases._errors import ReleaseError
from wireproof.releases._fetch import Fetcher, FetchError, JgoFetcher, Progress
from wireproof.releases._store import JarState, JarStatus, JarStore, cache_folder
from wireproof.releases._table import AbsentModule, Jar, Module, Release, ReleaseTable, read_table, table

__all__ = [
    "AbsentModule",
    "FetchError",
    "Fetcher",
    "Jar",
    "JarState",
    "JarStatus",
    "JarStore",
    "JgoFetcher",
    "Module",
    "Progress",
    "Release",
    "ReleaseError",
    "ReleaseTable",
    "cache_folder",
    "read_table",
    "table",
]
