"""Entries from a capture (``wireproof corpus add``), and a redacted capture to publish (``sample``)."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from kafkawire.errors import CodecError
from wireproof.app.assembly.corpus.corpus_in_use import reach_lines
from wireproof.app.assembly.corpus.corpus_make import jars_of
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.parsing import parse_json, read_text
from wireproof.base.text.wording import counted, echo, echo_lines
from wireproof.base.version import own_version
from wireproof.kafka.releases.release_table import Release, ReleaseError, table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.cell import RECORDS_MODULE
from wireproof.traffic.corpus.candidates import FrameReader, choose, entry_fingerprint, entry_from
from wireproof.traffic.corpus.collection import CaptureCollector, CollectedCell, DiskLogs
from wireproof.traffic.corpus.corpus_entry import CorpusError, Provenance
from wireproof.traffic.corpus.corpus_file import CorpusHead, CorpusKind
from wireproof.traffic.corpus.corpus_folder import CorpusWriter, read_coverage_report, replace_coverage_report
from wireproof.traffic.corpus.coverage_report import Reasons
from wireproof.traffic.redaction.pseudonymizer import Pseudonymizer
from wireproof.traffic.redaction.segment_redactor import SegmentRedactor
from wireproof.traffic.wire.frame_identifier import FrameIdentifier
from wireproof.traffic.wire.inner_messages import InnerMessageReader
from wireproof.traffic.wire.segment_format import (
    MARKER_BYTES,
    SEGMENT_SUFFIX,
    SEGMENTS,
    SegmentFormatError,
    SegmentWriter,
)
from wireproof.traffic.wire.segment_reader import segment_facts, segment_marker

_SEGMENTS: Final = f"{SEGMENTS}/*{SEGMENT_SUFFIX}"


def captures_in(folder: Path) -> list[Path]:
    """The captures of a folder, by name: the folder itself, or those of several clusters in it."""
    if any(folder.glob(_SEGMENTS)):
        return [folder]
    return sorted({path.parent.parent for path in folder.glob(f"*/{_SEGMENTS}")})


def segment_files(*captures: Path) -> list[Path]:
    """All segment files of captures, of folders of captures, and single files."""
    files: list[Path] = []
    for path in captures:
        found = [path]
        if path.is_dir():
            found = [each for capture in captures_in(path) for each in sorted(capture.glob(_SEGMENTS))]
        if not found:
            words = f"{path} has no {_SEGMENTS}"
            raise FatalError(words, "`wireproof capture` writes such a folder.")
        if not path.exists():
            raise FatalError(f"{path} does not exist", "Name a capture, or one of its segment files.")
        files += found
    return files


def file_names(paths: Sequence[Path]) -> list[str]:
    """Unique names of files: the file name, with as many parent folders as needed."""
    parts = 1
    while len({path.parts[-parts:] for path in paths}) < len(set(paths)):
        parts += 1
    return ["/".join(path.parts[-parts:]) for path in paths]


LARGEST_BYTES: Final = 64 * 1024
"""The default limit of the size of a frame."""


def add_capture(capture: Path, output: Path, largest_bytes: int, word: str) -> str:
    """Add the frames of a capture to a corpus, report the counts on standard error, return the release.

    Args:
        word: the release, if the capture does not contain it; may be empty.
    """
    segments = segment_files(capture)
    with as_fatal(SegmentFormatError, CorpusError, CodecError, OSError):
        release = capture_release(segments, word)
        schemas = load_snapshot(release)
        naming = FrameIdentifier(schemas)
        reader = FrameReader(naming, InnerMessageReader(schemas), Pseudonymizer(capture_key(segments)))
        collector = CaptureCollector(naming, reader, largest_bytes)
        for path, name in zip(segments, file_names(segments), strict=True):
            with path.open("rb") as file:
                collector.read(file, name)
            echo(f"{name}: {counted(collector.frames, 'frame')} so far", err=True)
        entries, files = _write(collector.cells(), release, output)
        disk = DiskLogs(reader, largest_bytes)
        for path in log_files(capture):
            disk.read(path.read_bytes(), str(path.relative_to(capture)), path.parent.name)
        more, also = _write(disk.cells(), release, output)
        batches, again = _write_batches(disk, release, output)
        entries, files = entries + more + batches, files + also + again
        collector.coverage.explain(capture_reasons(capture))
        reach = read_coverage_report(output, release.version)
        reach.add(collector.coverage)
        files += replace_coverage_report(output, reach)
    _report(collector)
    _report_disk(disk)
    echo_lines(reach_lines(reach), err=True)
    echo(
        f"{counted(entries, 'entry', 'entries')} added, {counted(files, 'file')} changed in {output}",
        err=True,
    )
    return release.version


def capture_release(segments: Sequence[Path], word: str) -> Release:
    """The one release of all segments; `FatalError` if they have none, or the beginning of one is damaged."""
    words = {word} - {""}
    advice = "Name a capture without this file, or its other segment files."
    for path in segments:
        with as_fatal(SegmentFormatError, what=f"{path}: ", advice=advice), path.open("rb") as file:
            words |= {str(segment_facts(file).get("release") or "")} - {""}
    with as_fatal(ReleaseError):
        said = {each.version: each for each in map(table().find, words)}
    if len(said) > 1:
        several = f"the capture is of several releases: {', '.join(sorted(said))}"
        raise FatalError(several, "Add the segments of one release.")
    for release in said.values():
        return release
    raise FatalError("the segments do not contain their release", "Name it, such as --release 4.3.1.")


def capture_key(segments: Sequence[Path]) -> bytes:
    """The key of the redaction. It depends on the capture: only its owner can compute it."""
    digest = sha256(b"redaction")
    for path in segments:
        with path.open("rb") as file:
            digest.update(segment_marker(file))
    return digest.digest()


def log_files(capture: Path) -> list[Path]:
    """The files that the brokers of a capture kept on disk: logs, and snapshots of the metadata log."""
    return sorted(
        path
        for each in captures_in(capture)
        for path in each.glob("disk/*/*/*/*")
        if path.suffix in (".log", ".checkpoint") and path.is_file()
    )


def _write(cells: Iterable[CollectedCell], release: Release, output: Path) -> tuple[int, int]:
    """Add the new entries, message by message; return the numbers of entries and files."""
    adding = CorpusWriter(output, partial(golden_head, release))
    for cell in cells:
        name = f"{release.version}/{cell.layout.name}/{cell.layout.version}"
        there = adding.existing(cell.module, name, cell.provenance)
        shown = [entry_fingerprint(each, cell.prints, cell.layout, cell.header) for each in there]
        offers = [(each.fingerprint, len(each.data)) for each in cell.candidates]
        choices = choose(cell.prints, offers, shown, {each.name for each in there})
        adding.add(
            cell.module,
            [entry_from(cell.candidates[index], name, release.version) for index, name in choices],
        )
    return adding.entries, adding.write()


def _write_batches(disk: DiskLogs, release: Release, output: Path) -> tuple[int, int]:
    """Add batches as they are on disk; return the numbers of entries and files."""
    adding = CorpusWriter(output, partial(golden_head, release))
    for magic in disk.magics:
        cell = f"{release.version}/RecordBatch/{magic}"
        there = adding.existing(RECORDS_MODULE, cell, Provenance.CAPTURED)
        adding.add(RECORDS_MODULE, disk.entries(release.version, magic, there))
    return adding.entries, adding.write()


def golden_head(release: Release, module: str, message: str) -> CorpusHead:
    """The head of a new file of golden entries."""
    return CorpusHead(
        CorpusKind.GOLDEN,
        release.version,
        module,
        message,
        f"wireproof {own_version()}",
        jars_of(release, module),
    )


def capture_reasons(capture: Path) -> Reasons:
    """The reasons of the sweeps for unanswered pairs; empty without sweeps."""
    found: dict[tuple[str, str, int], str] = {}
    for each in captures_in(capture):
        try:
            facts: Mapping[str, Any] = parse_json(read_text(each / "capture.json"))
        except (OSError, ValueError):
            continue
        found |= _sweep_reasons(facts)
    return found


def _sweep_reasons(facts: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str, int], str]]:
    for workload in facts.get("workloads", ()):
        for book in workload.get("listeners", ()):
            for pair in book.get("pairs", ()):
                if "reason" in pair:
                    yield (book["listener"], pair["request"], pair["version"]), pair["reason"]


def _report_disk(disk: DiskLogs) -> None:
    if disk.batches:
        echo(f"disk: {disk.batches:,} batches", err=True)
    for reason, count in sorted(disk.quarantined.items()):
        echo(f"quarantined: {count:,} {reason}", err=True)


def _report(collector: CaptureCollector) -> None:
    for words in collector.damage:
        echo(f"damaged: {words}", err=True)
    for title, counts in (("quarantined", collector.quarantined), ("left out", collector.left_out)):
        for reason, count in sorted(counts.items()):
            echo(f"{title}: {count:,} {reason}", err=True)


_KEPT: Final = ("release", "node", "listener", "broker", "mode")
"""The facts of a segment file to keep. The others may contain paths of a machine."""


def write_sample(capture: Path, output: Path, word: str) -> None:
    """Write the segments of a capture with every frame redacted, and report the bytes that are left out.

    Args:
        word: the release, if the capture does not contain it; may be empty.
    """
    if output.exists():
        raise FatalError(f"{output} exists", "Name a new folder for the sample.")
    captures = captures_in(capture)
    if len(captures) > 1:
        words = f"{capture} holds {len(captures)} captures"
        raise FatalError(words, f"Name one of them, such as {captures[0]}.")
    segments = segment_files(capture)
    release = capture_release(segments, word)
    key = capture_key(segments)
    schemas = load_snapshot(release)
    redacted = SegmentRedactor(FrameIdentifier(schemas), InnerMessageReader(schemas), Pseudonymizer(key))
    with as_fatal(SegmentFormatError), as_fatal(OSError, exit_code=ExitCode.MISSING):
        (output / SEGMENTS).mkdir(parents=True)
        for number, path in enumerate(segments):
            _segment(path, output, redacted, key, number)
        facts = {
            "format": 1,
            "release": release.version,
            "redacted": True,
            "tool": f"wireproof {own_version()}",
        }
        (output / "capture.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    _report_sample(redacted, output)


def _segment(path: Path, output: Path, redacted: SegmentRedactor, key: bytes, number: int) -> None:
    """Write one file. Its marker depends only on the capture, so the same capture gives the same sample."""
    marker = Pseudonymizer(key).data(number.to_bytes(MARKER_BYTES, "big"))
    with path.open("rb") as source, (output / SEGMENTS / path.name).open("xb", buffering=0) as file:
        facts = segment_facts(source)
        writer = SegmentWriter(file, marker, _public(facts), 0)
        redacted.write(source, writer)


def _public(facts: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: facts[name] for name in _KEPT if name in facts}
    if str(kept.get("broker", "")).startswith("address:"):
        kept["broker"] = "address"
    return {**kept, "redacted": True}


def _report_sample(redacted: SegmentRedactor, output: Path) -> None:
    for reason, count in sorted(redacted.lost.items()):
        echo(f"left out: {counted(count, 'byte')}, {reason}", err=True)
    size = sum(each.stat().st_size for each in (output / SEGMENTS).iterdir())
    echo(f"{counted(redacted.frames, 'frame')}, {size / 1e6:.1f} MB in {output}", err=True)
