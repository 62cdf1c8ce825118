"""``wireproof corpus add``: what a capture saw, as entries of a corpus."""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from kafkawire.errors import CodecError
from wireproof.cli.corpus_make import jars_of
from wireproof.cli.corpus_stats import reach_lines
from wireproof.cli.identity import own_version
from wireproof.cli.options import Fatal
from wireproof.corpus import (
    CorpusError,
    Gathering,
    Golden,
    Head,
    Kind,
    Part,
    Reasons,
    chosen,
    head_of,
    merged,
    part_path,
    read_part,
    read_reach,
    replace_part,
    replace_reach,
)
from wireproof.frames import Logs, Naming, NoSegmentError, Redactor, segment_facts, segment_marker
from wireproof.releases import Release, ReleaseError, load_snapshot, table
from wireproof.run import ExitCode

__all__ = ["add_capture", "capture_key", "capture_release", "capture_segments"]


def add_capture(capture: Path, output: Path, largest_bytes: int, word: str) -> str:
    """Add what a capture has to a corpus, and say on standard error what came of it; the release.

    Args:
        word: the release, where the capture does not say it; may be empty.

    Raises:
        Fatal: the folder holds no capture of a release that is known, or the corpus in the way is not whole.
    """
    segments = capture_segments(capture)
    try:
        release = capture_release(segments, word)
        schemas = load_snapshot(release)
        redactor = Redactor(capture_key(segments))
        gathering = Gathering(Naming(schemas), Logs(schemas), redactor, largest_bytes)
        for path in segments:
            with path.open("rb") as file:
                gathering.read(file, path.name)
            click.echo(f"{path.name}: {gathering.frames:,} frames so far", err=True)
        entries, files = _write(gathering, release, output)
        gathering.reach.explain(_reasons(capture))
        reach = read_reach(output, release.version)
        reach.add(gathering.reach)
        files += replace_reach(output, reach)
    except (NoSegmentError, CorpusError, CodecError) as error:
        raise Fatal(str(error), "", ExitCode.USAGE) from error
    except OSError as error:
        raise Fatal(f"{error.filename}: {error.strerror}", "", ExitCode.USAGE) from error
    _tell(gathering)
    for line in reach_lines(reach):
        click.echo(line, err=True)
    click.echo(f"{entries:,} entries added, {files:,} files changed in {output}", err=True)
    return release.version


def capture_segments(capture: Path) -> list[Path]:
    """The segment files of a capture.

    Raises:
        Fatal: there is none.
    """
    segments = sorted(capture.glob("segments/*.wpseg"))
    if not segments:
        raise Fatal(
            f"{capture} holds no segments/*.wpseg",
            "`wireproof capture` writes such a folder.",
            ExitCode.USAGE,
        )
    return segments


def capture_release(segments: Sequence[Path], word: str) -> Release:
    """The release that all segments are of."""
    words = {word} - {""}
    for path in segments:
        with path.open("rb") as file:
            words |= {str(segment_facts(file).get("release") or "")} - {""}
    try:
        said = {each.version: each for each in map(table().find, words)}
    except ReleaseError as error:
        raise Fatal(error.message, error.advice, ExitCode.USAGE) from error
    if len(said) > 1:
        several = f"the capture is of several releases: {', '.join(sorted(said))}"
        raise Fatal(several, "Add those of one release.", ExitCode.USAGE)
    for release in said.values():
        return release
    raise Fatal(
        "the segments do not say which release they are of", "Say it: --release 4.3.1.", ExitCode.USAGE
    )


def capture_key(segments: Sequence[Path]) -> bytes:
    """The key of the redaction: known to who has the capture, and to nobody else."""
    digest = sha256(b"redaction")
    for path in segments:
        with path.open("rb") as file:
            digest.update(segment_marker(file))
    return digest.digest()


def _write(gathering: Gathering, release: Release, output: Path) -> tuple[int, int]:
    """Add what is new, message by message; the numbers of entries and files."""
    there: dict[tuple[str, str], Part | None] = {}
    new: dict[tuple[str, str], list[Golden]] = {}
    for gathered in gathering.cells():
        key = gathered.module, gathered.layout.name
        if key not in there:
            there[key] = _read(output, _head(release, *key))
        part = there[key]
        cell = f"{release.version}/{gathered.layout.name}/{gathered.layout.version}"
        held = [
            each
            for each in (part.entries if part else ())
            if isinstance(each, Golden) and (each.cell, each.provenance) == (cell, gathered.provenance)
        ]
        added = chosen(gathered.candidates, gathered.fingerprint, gathered.header, release.version, held)
        new.setdefault(key, []).extend(added)
    files = 0
    for key, entries in sorted(new.items()):
        part = there[key]
        if entries:
            files += replace_part(output, _part(_head(release, *key), part, entries))
    return sum(map(len, new.values())), files


def _head(release: Release, module: str, message: str) -> Head:
    return Head(
        Kind.GOLDEN, release.version, module, message, f"wireproof {own_version()}", jars_of(release, module)
    )


def _read(output: Path, head: Head) -> Part | None:
    place = output / part_path(head)
    return read_part(place.read_text("utf-8"), str(place)) if place.exists() else None


def _part(head: Head, there: Part | None, new: Sequence[Golden]) -> Part:
    old = [each for each in there.entries if isinstance(each, Golden)] if there else []
    entries = merged(old, new)
    return Part(head_of(Kind.GOLDEN, there.head if there else head, entries), tuple(entries))


def _reasons(capture: Path) -> Reasons:
    """Why pairs were not answered, as the sweep wrote it down; nothing where there was none."""
    try:
        facts: Mapping[str, Any] = json.loads((capture / "capture.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return dict(_sweep_reasons(facts))


def _sweep_reasons(facts: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str, int], str]]:
    for workload in facts.get("workloads", ()):
        for book in workload.get("listeners", ()):
            for pair in book.get("pairs", ()):
                if "reason" in pair:
                    yield (book["listener"], pair["request"], pair["version"]), pair["reason"]


def _tell(gathering: Gathering) -> None:
    for words in gathering.damage:
        click.echo(f"damaged: {words}", err=True)
    for title, counts in (("quarantined", gathering.quarantined), ("left out", gathering.left_out)):
        for reason, count in sorted(counts.items()):
            click.echo(f"{title}: {count:,} {reason}", err=True)
