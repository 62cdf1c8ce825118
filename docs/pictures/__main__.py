"""Make the pictures of README and of the documentation from real runs.

python -m docs.pictures             makes those that are not current
python -m docs.pictures NAME...     makes these
python -m docs.pictures --check     runs the commands again, and exits with 1 if a picture differs
python -m docs.pictures --force     writes the pictures again, though only times differ
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from docs.pictures.manifest import is_current, picture_record, read_manifest, write_manifest
from docs.pictures.recipes import FOLDER, RECIPES, Cast, Recipe, Screenshot
from docs.pictures.screens import session, text_of
from docs.pictures.screenshots import take
from docs.pictures.svg import draw
from docs.pictures.terminal import prepare, record


def main(arguments: Sequence[str]) -> int:
    """Make or check the pictures, and return the exit code."""
    parser = argparse.ArgumentParser(
        "docs.pictures", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="pictures to make; default: all")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--force", action="store_true", help="replace pictures that are current")
    given = parser.parse_args(arguments)
    if unknown := sorted(set(given.names) - {each.name for each in RECIPES}):
        parser.error(f"no picture {', '.join(unknown)}: expected {', '.join(each.name for each in RECIPES)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    chosen = [each for each in RECIPES if not given.names or each.name in given.names]
    outdated = [each.name for each in chosen if not _make(each, check=given.check, force=given.force)]
    if given.check and outdated:
        print(f"outdated: {', '.join(outdated)}: make them again: python -m docs.pictures")
        return 1
    return 0


def _make(recipe: Recipe, *, check: bool, force: bool) -> bool:
    """Make a picture if it is not current. Return true if it was current."""
    files, shown = _picture(recipe)
    records = read_manifest()
    current = is_current(recipe, records.get(recipe.name), shown)
    print(f"{recipe.name}: {'current' if current else 'differs' if check else 'made'}", flush=True)
    if (force or not current) and not check:
        for name, data in files.items():
            (FOLDER / name).write_bytes(data)
        names = {each.name for each in RECIPES}
        kept = {name: record for name, record in records.items() if name in names}
        write_manifest({**kept, recipe.name: picture_record(recipe, shown)})
    return current


def _picture(recipe: Recipe) -> tuple[dict[str, bytes], str]:
    """Return the files of a picture, and the text that it shows."""
    with tempfile.TemporaryDirectory(prefix="wireproof-pictures-") as folder:
        if isinstance(recipe, Screenshot):
            return take(recipe, Path(folder))
        return _cast(recipe, Path(folder))


def _cast(cast: Cast, folder: Path) -> tuple[dict[str, bytes], str]:
    prepare(cast.setup, folder)
    parts = [(each, record(each, folder, columns=cast.columns)) for each in cast.commands]
    screens = session(parts, cast.columns)
    shown = text_of(screens[-1].screen)
    if str(folder) in shown:
        raise ValueError(
            f"{cast.name} shows the temporary folder {folder}: expected relative paths: repair the recipe"
        )
    return {cast.files[0]: draw(cast, screens).encode()}, shown


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
