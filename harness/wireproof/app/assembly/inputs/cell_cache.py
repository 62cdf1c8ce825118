"""The cells that a testee claims, kept in the cache: to know them it has to be started, after long imports.

An entry is kept under a digest of all that decides about its cells: the testee's files, the configuration,
wireproof's version and its table of releases. A testee whose claims may depend on other files has no entry.
"""

import contextlib
import json
import os
import time
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final

from wireproof.base.files import remove_file, replace_file
from wireproof.base.text.parsing import MISSHAPEN
from wireproof.base.version import own_version
from wireproof.kafka.releases import ReleaseError, cache_folder
from wireproof.model import Cell
from wireproof.proof.config import RunConfig
from wireproof.proof.testees import TesteeError, claims_key

_UNUSED_S: Final = 7 * 86_400
"""Seconds after which an entry that no session used is removed: each edit of an adapter makes one."""


def cell_file(config: RunConfig) -> Path | None:
    """Return the file of the cells that a configuration selects; None if they cannot be kept."""
    if config.testee is None or config.schemas or config.no_java or config.last_failed or config.cause:
        return None
    try:
        folder = cache_folder()
        key = claims_key(config.testee, folder)
        releases = files("wireproof.kafka.releases").joinpath("table.toml").read_bytes()
    except (OSError, ReleaseError, TesteeError):
        return None  # the run itself says what is wrong
    if key is None:
        return None
    hashed = sha256(f"{key}\0{own_version()}\0{config!r}\0".encode() + releases)
    return folder / "cells" / f"{hashed.hexdigest()}.json"


def kept_cells(file: Path) -> tuple[Cell, ...]:
    """Return the cells of an entry, in their order; empty if there is none that can be read."""
    try:
        cells = tuple(
            Cell(str(release), str(module), str(message), int(version))
            for release, module, message, version in json.loads(file.read_bytes())
        )
        os.utime(file)
    except (OSError, *MISSHAPEN):
        return ()
    return cells


def keep_cells(file: Path, cells: Sequence[Cell]) -> None:
    """Write an entry, and remove those that no session used for a week. A cache that is read only stays."""
    rows = [[cell.release, cell.module, cell.message, cell.version] for cell in cells]
    oldest = time.time() - _UNUSED_S
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, json.dumps(rows), mode=0o600)
        for other in file.parent.glob("*.json"):
            if other.lstat().st_mtime < oldest:
                remove_file(other)
