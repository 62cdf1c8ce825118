"""What nodes leave on disk: their logs and the snapshots of the metadata log, copied before they are gone."""

import shutil
from pathlib import Path
from typing import Final

from wireproof.capture.capture_error import CaptureError

__all__ = ["keep_logs"]

_SUFFIXES: Final = (".log", ".checkpoint")


def keep_logs(data: Path, target: Path) -> None:
    """Copy the files of a node that hold records, by log folder and partition; empty ones are left.

    Args:
        data: the node's own folder.
        target: a folder of the node's, made where there is something to copy.

    Raises:
        CaptureError: they cannot be copied.
    """
    try:
        for path in sorted(data.glob("*/*-*/*")):
            if path.suffix in _SUFFIXES and path.stat().st_size > 0:
                place = target / path.relative_to(data)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
    except OSError as error:
        raise CaptureError(
            f"the logs of a node cannot be copied to {target}: {error.strerror}", "Make room."
        ) from error
