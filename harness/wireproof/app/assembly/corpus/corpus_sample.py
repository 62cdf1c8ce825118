"""``wireproof corpus sample``: a redacted capture to publish."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from wireproof.app.assembly.corpus.corpus_add import capture_key, capture_release, captures_in, segment_files
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.base.text.wording import counted
from wireproof.base.version import own_version
from wireproof.kafka.releases import load_snapshot
from wireproof.proof.run import ExitCode
from wireproof.traffic.redaction import Pseudonymizer, SegmentRedactor
from wireproof.traffic.wire import (
    FrameIdentifier,
    InnerMessageReader,
    SegmentFormatError,
    SegmentWriter,
    segment_facts,
)
from wireproof.traffic.wire.segment_format import MARKER_BYTES

_KEPT: Final = ("release", "node", "listener", "broker", "mode")
"""The facts of a segment file to keep. The others may contain paths of a machine."""


def write_sample(capture: Path, output: Path, word: str) -> None:
    """Write the segments of a capture with every frame redacted, and report the bytes that are left out.

    Args:
        word: the release, if the capture does not contain it; may be empty.

    Raises:
        FatalError: the capture does not exist, or the output does.
    """
    if output.exists():
        raise FatalError(f"{output} exists", "Name a new folder for the sample.", ExitCode.USAGE)
    captures = captures_in(capture)
    if len(captures) > 1:
        words = f"{capture} holds {len(captures)} captures"
        raise FatalError(words, f"Name one of them, such as {captures[0]}.", ExitCode.USAGE)
    segments = segment_files(capture)
    release = capture_release(segments, word)
    key = capture_key(segments)
    schemas = load_snapshot(release)
    redacted = SegmentRedactor(FrameIdentifier(schemas), InnerMessageReader(schemas), Pseudonymizer(key))
    try:
        (output / "segments").mkdir(parents=True)
        for number, path in enumerate(segments):
            _segment(path, output, redacted, key, number)
        facts = {
            "format": 1,
            "release": release.version,
            "redacted": True,
            "tool": f"wireproof {own_version()}",
        }
        (output / "capture.json").write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    except SegmentFormatError as error:
        raise FatalError(str(error), "", ExitCode.USAGE) from error
    except OSError as error:
        raise FatalError(f"{error.filename}: {error.strerror}", "", ExitCode.MISSING) from error
    _report(redacted, output)


def _segment(path: Path, output: Path, redacted: SegmentRedactor, key: bytes, number: int) -> None:
    """Write one file. Its marker depends only on the capture, so the same capture gives the same sample."""
    marker = Pseudonymizer(key).data(number.to_bytes(MARKER_BYTES, "big"))
    with path.open("rb") as source, (output / "segments" / path.name).open("xb", buffering=0) as file:
        facts = segment_facts(source)
        writer = SegmentWriter(file, marker, _public(facts), 0)
        redacted.write(source, writer)


def _public(facts: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: facts[name] for name in _KEPT if name in facts}
    if str(kept.get("broker", "")).startswith("address:"):
        kept["broker"] = "address"
    return {**kept, "redacted": True}


def _report(redacted: SegmentRedactor, output: Path) -> None:
    for reason, count in sorted(redacted.lost.items()):
        echo(f"left out: {counted(count, 'byte')}, {reason}", err=True)
    size = sum(each.stat().st_size for each in (output / "segments").iterdir())
    echo(f"{counted(redacted.frames, 'frame')}, {size / 1e6:.1f} MB in {output}", err=True)
