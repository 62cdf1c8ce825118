"""``wireproof corpus sample``: a redacted capture, small enough to be shown."""

from hashlib import sha256
from pathlib import Path

import click

from wireproof.cli.capture_folder import capture_key, release_of, segments_of
from wireproof.cli.options import Fatal
from wireproof.corpus import Sampling
from wireproof.frames import FrameRedaction, Logs, Naming, NoSegmentError, Redactor
from wireproof.releases import load_snapshot
from wireproof.run import ExitCode

__all__ = ["write_sample"]

_MARKER_BYTES = 16


def write_sample(capture: Path, output: Path, most_bytes: int, word: str) -> None:
    """Write the redacted segments of a capture into a new folder, and say what was left out.

    Args:
        most_bytes: of all files together.
        word: the release, where the capture does not say it; may be empty.

    Raises:
        Fatal: there is no capture of a known release, or the folder is there already.
    """
    segments = segments_of(capture)
    try:
        schemas = load_snapshot(release_of(segments, word))
        key = capture_key(segments)
        naming = Naming(schemas)
        redaction = FrameRedaction(naming, Logs(schemas), Redactor(key))
        sampling = Sampling(naming, redaction, most_bytes // len(segments))
        folder = output / "segments"
        folder.mkdir(parents=True)
        for path in segments:
            marker = sha256(key + path.name.encode()).digest()[:_MARKER_BYTES]
            with path.open("rb") as source, (folder / path.name).open("xb", buffering=0) as target:
                sampling.copy(source, target, marker)
    except NoSegmentError as error:
        raise Fatal(str(error), "", ExitCode.USAGE) from error
    except OSError as error:
        raise Fatal(f"{error.filename}: {error.strerror}", "", ExitCode.USAGE) from error
    for reason, count in sorted(sampling.left_out.items()):
        click.echo(f"left out: {count:,} {reason}", err=True)
    size = sum(each.stat().st_size for each in folder.iterdir())
    click.echo(f"{sampling.exchanges:,} exchanges, {size / 1e6:.1f} MB in {output}", err=True)
