"""The origin of each picture: `docs/assets/pictures/recorded.json`, by name of the picture."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final

from docs.pictures.recipes import FOLDER, Recipe, recipe_hash
from wireproof import __version__

MANIFEST: Final = FOLDER / "recorded.json"

_TIMES: Final = re.compile(r"[\d.,]+ ?m?s\b|\d+:\d\d(:\d\d)?|--:--|[\d,.]+/s|\d{4}-\d\d-\d\d|[━╸╺]+|/tmp/\S+")
"""Texts that differ from run to run: durations, rates, dates, progress bars and temporary files."""


@dataclass(frozen=True, slots=True)
class PictureRecord:
    """The origin of a picture.

    Attributes:
        recipe: hash of the recipe that made it.
        shows: hash of the text that it shows, without times.
        version: the version of wireproof that ran.
        files: by file of the picture, the SHA-256 of its bytes.
    """

    recipe: str
    shows: str
    version: str
    files: Mapping[str, str]


def read_manifest() -> dict[str, PictureRecord]:
    """Return the records by name of the picture; none if there is no manifest yet."""
    if not MANIFEST.exists():
        return {}
    return {name: PictureRecord(**row) for name, row in json.loads(MANIFEST.read_text("utf-8")).items()}


def write_manifest(records: Mapping[str, PictureRecord]) -> None:
    """Write the records, sorted by name."""
    rows = {name: asdict(record) for name, record in records.items()}
    MANIFEST.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", "utf-8")


def text_hash(text: str) -> str:
    """Return the hash of a text, without what differs from run to run: 16 hex digits."""
    return hashlib.sha256(_TIMES.sub("", text).encode()).hexdigest()[:16]


def picture_record(recipe: Recipe, shown: str) -> PictureRecord:
    """Return the record of a picture whose files are written.

    Args:
        recipe: its recipe.
        shown: the text that it shows.
    """
    files = {name: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for name in recipe.files}
    return PictureRecord(recipe_hash(recipe), text_hash(shown), __version__, files)


def is_current(recipe: Recipe, record: PictureRecord | None, shown: str) -> bool:
    """Return true if a picture of this recipe that shows this text is already there."""
    return (
        record is not None
        and record.recipe == recipe_hash(recipe)
        and record.shows == text_hash(shown)
        and all((FOLDER / name).exists() for name in recipe.files)
    )
