"""Copies of the nodes' record logs and metadata snapshots."""

import shutil
from pathlib import Path
from typing import Final

from wireproof.base.files import open_private
from wireproof.traffic.capture.capture_error import CaptureError

_SUFFIXES: Final = (".log", ".checkpoint")


def keep_logs(data: Path, target: Path) -> None:
    """Copy the files of a node that hold records, by log folder and partition, for their owner alone.

    Empty files are skipped.

    Args:
        data: the node's own folder.
        target: the folder of the copies; it is made with the first copy.

    Raises:
        CaptureError: a file cannot be copied.
    """
    try:
        for path in sorted(data.glob("*/*-*/*")):
            if path.suffix in _SUFFIXES and path.stat().st_size > 0:
                copy = target / path.relative_to(data)
                copy.parent.mkdir(parents=True, exist_ok=True)
                with path.open("rb") as source, open_private(copy, "xb") as target_file:
                    shutil.copyfileobj(source, target_file)
    except OSError as error:
        raise CaptureError(
            f"the logs of a node cannot be copied to {target}: {error.strerror}", "Make room."
        ) from error
