"""The definitions of releases that a Spark worker keeps: layouts, names and readers."""

from functools import lru_cache
from typing import Final

from kafkawire.schema import MessageLayout, MessageSpec, SchemaSet, resolve
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.corpus.candidates import FrameReader
from wireproof.traffic.fingerprint.fingerprinter import Fingerprinter
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer
from wireproof.traffic.wire.frame_identifier import FrameIdentifier
from wireproof.traffic.wire.inner_messages import InnerMessageReader

_MOST_RELEASES: Final = 4
"""The most releases that a worker keeps; one takes about 30 MiB. Others are made again at their next use."""
_MOST_CELLS: Final = 1024
"""The most cells whose fingerprinters a process keeps: a release has some 750, which take 40 MiB."""


@lru_cache(_MOST_RELEASES)
def schemas_of(release: str) -> SchemaSet:
    return load_snapshot(table().find(release))


@lru_cache(_MOST_RELEASES)
def _specs(release: str) -> dict[str, MessageSpec]:
    return {spec.name: spec for _, spec in schemas_of(release)}


def layout_of(release: str, message: str, version: int) -> MessageLayout:
    return resolve(_specs(release)[message], version)


def header_of(release: str, layout: MessageLayout) -> MessageLayout | None:
    """The layout of the header before a message; None for messages without a header."""
    return None if layout.header_version is None else naming_of(release).header(layout)


@lru_cache(_MOST_CELLS)
def fingerprinter_of(release: str, message: str, version: int) -> Fingerprinter:
    """The fingerprinter of a cell, with its classes of values."""
    layout = layout_of(release, message, version)
    return Fingerprinter(header_of(release, layout), layout)


@lru_cache(_MOST_RELEASES)
def naming_of(release: str) -> FrameIdentifier:
    """The names of a release."""
    return FrameIdentifier(schemas_of(release))


@lru_cache(_MOST_RELEASES)
def frame_reader_of(release: str, key: bytes) -> FrameReader:
    """The frame reader of a release, with the key of the capture's redaction."""
    return FrameReader(naming_of(release), InnerMessageReader(schemas_of(release)), Pseudonymizer(key))
