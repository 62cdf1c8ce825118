"""A capture as a command is handed it: its segments, their release, the key of their redaction."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from wireproof.cli.options import Fatal
from wireproof.frames import segment_facts, segment_marker
from wireproof.releases import Release, ReleaseError, table
from wireproof.run import ExitCode

__all__ = ["capture_key", "release_of", "segments_of"]


def segments_of(capture: Path) -> list[Path]:
    """The segment files of a capture's folder, by name.

    Raises:
        Fatal: there are none.
    """
    segments = sorted(capture.glob("segments/*.wpseg"))
    if not segments:
        words = f"{capture} holds no segments/*.wpseg"
        raise Fatal(words, "`wireproof capture` writes such a folder.", ExitCode.USAGE)
    return segments


def release_of(segments: Sequence[Path], word: str) -> Release:
    """The release that all segments are of.

    Args:
        word: what the user says it is; may be empty.

    Raises:
        Fatal: they are of several, or of none that is known.
        NoSegmentError: a file is no segment file.
    """
    said = {word} - {""}
    for path in segments:
        with path.open("rb") as file:
            said |= {str(segment_facts(file).get("release") or "")} - {""}
    if len(said) > 1:
        words = f"the capture is of several releases: {', '.join(sorted(said))}"
        raise Fatal(words, "Add those of one release.", ExitCode.USAGE)
    if not said:
        words = "the segments do not say which release they are of"
        raise Fatal(words, "Say it: --release 4.3.1.", ExitCode.USAGE)
    try:
        return table().find(said.pop())
    except ReleaseError as error:
        raise Fatal(error.message, error.advice, ExitCode.USAGE) from error


def capture_key(segments: Sequence[Path]) -> bytes:
    """The key of the redaction: known to who has the capture, and to nobody else."""
    digest = sha256(b"redaction")
    for path in segments:
        with path.open("rb") as file:
            digest.update(segment_marker(file))
    return digest.digest()
