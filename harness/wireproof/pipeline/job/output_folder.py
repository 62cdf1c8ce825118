"""The output folder of a job: its lock, the job that it belongs to, and whether it is complete.

The job decides what the folder contains besides ``job.json``; see `job` and `campaign`.
"""

import fcntl
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from wireproof.base.files.replacement import open_private, replace_file
from wireproof.base.text.parsing import parse_json, read_text
from wireproof.pipeline.job_plan import OutputError, StageError

_JOB: Final = "job.json"
_LOCK: Final = ".lock"
_FORMAT: Final = 2
"""The format of job folders. In format 1, tables `readings` and `fingerprints` were `looks` and `shown`."""

AGAIN: Final = "What was made before is whole: type the same again when the cause is gone."
"""The advice after an interrupted job."""


@contextmanager
def open_output(folder: Path, about: Mapping[str, Any]) -> Iterator[None]:
    """Lock the output folder of a job against other processes. The folder is new, or of the interrupted job.

    Raises:
        OutputError: the folder is complete, of another job, in use, no output folder, or cannot be written.
        StageError: a later write failed, for example because the disk is full.
    """
    with ExitStack() as stack:
        try:
            _enter(stack, folder, about)
        except OSError as error:
            raise OutputError(f"{error.filename or folder}: {error.strerror}") from error
        try:
            yield
        except OSError as error:
            raise StageError(f"{error.filename or folder}: {error.strerror}", AGAIN) from error


def _enter(stack: ExitStack, folder: Path, about: Mapping[str, Any]) -> None:
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _JOB).is_file():
        raise OutputError(f"{folder} exists, and is not the output of a job", "Name a new folder.")
    if links := [path for path in folder.glob("**/*") if path.is_symlink()]:
        raise OutputError(f"{links[0]} is a link, which no job makes", "Remove it, or name a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    _lock(stack.enter_context(open_private(folder / _LOCK, "ab")), folder)
    _claim(folder, about)


def read_job(folder: Path) -> Mapping[str, Any]:
    """Read the `job.json` of an output folder. `OutputError` if there is none, or it is not readable."""
    try:
        said = parse_json(read_text(folder / _JOB))
    except (OSError, ValueError) as error:
        raise OutputError(
            f"{folder} is not the output of a job: {error}",
            "`wireproof pipeline run` and `wireproof campaign` write one.",
        ) from error
    written = said.get("job") if isinstance(said, dict) else None
    if not isinstance(said, dict) or written != _FORMAT:
        raise OutputError(
            f"{folder / _JOB} has format {written}, written by another version of wireproof: expected format "
            f"{_FORMAT}, whose tables and columns have other names",
            "Run the job again in a new folder, or read it with the version that wrote it.",
        )
    return said


def close_job(folder: Path, counts: Mapping[str, Any]) -> None:
    """Record that the job in the locked folder is complete, with its counts.

    Raises:
        OSError: the record cannot be written.
    """
    _write_job(folder, {**read_job(folder), "counts": counts})


def _lock(lock: BinaryIO, folder: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OutputError(
            f"{folder} is in use by another job", "Wait for it, or give a new folder."
        ) from None


def _claim(folder: Path, about: Mapping[str, Any]) -> None:
    if (folder / _JOB).is_file():
        said = read_job(folder)
        if "counts" in said:
            raise OutputError(f"{folder} holds the output of a job that is whole", "Give a new folder.")
        if said["about"] != json.loads(json.dumps(about)):
            words = " and ".join(name for name, was in said["about"].items() if about.get(name) != was)
            raise OutputError(
                f"{folder} holds another job that was broken off: it has other {words or 'settings'}",
                "Type the command of that job, or give a new folder.",
            )
    else:
        _write_job(folder, {"job": _FORMAT, "about": about})


def _write_job(folder: Path, said: Mapping[str, Any]) -> None:
    replace_file(folder / _JOB, json.dumps(said, indent=1) + "\n")
