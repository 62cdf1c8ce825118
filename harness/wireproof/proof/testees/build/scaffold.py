"""New testees: a folder that works at once, in which the author puts the calls of another codec."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kafkawire.schema import MessageSpec
from wireproof.model import BOTH_DIRECTIONS, CodecDirection
from wireproof.proof.testees.build.message_scaffold import message_files
from wireproof.proof.testees.description.manifest import FILE, shipped, shipped_folder
from wireproof.proof.testees.testee_errors import TesteeError

LANGUAGES: Final = ("go", "java", "javascript", "python", "rust")
"""The languages that have a template."""

_NAME: Final = "my-codec"
"""The codec's name in the templates. They are testees themselves: nothing else in them is replaced."""
_EXCLUDED: Final = frozenset({"__pycache__", "env", "node_modules", "target"})


def start_testee(
    folder: Path,
    language: str,
    message: MessageSpec | None = None,
    directions: frozenset[CodecDirection] = BOTH_DIRECTIONS,
) -> list[Path]:
    """Write the files of a new testee, which has the name of its folder.

    Args:
        message: the message that it claims, with valid versions; None for that of the template.
        directions: those that it claims of `message`.

    Returns:
        the files: ``testee.toml``, the adapter, and the files that it needs, some of them in subfolders.

    Raises:
        TesteeError: the folder is not empty, its name cannot be that of a testee, or it cannot be written.
    """
    if str(folder) in shipped():
        raise TesteeError(
            f"{folder} is the name of a testee that comes with wireproof", "Give the folder another name."
        )
    name = re.sub(r"[^\w.-]+", "-", folder.resolve().name, flags=re.ASCII).strip("-.")
    if not name:
        raise TesteeError(f"{folder} gives no name to a testee", "Use ASCII letters, digits, - and _.")
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise TesteeError(f"{folder} is there already", "Nothing was written; name a new folder.")
        template = shipped_folder() / "templates" / language
        own = message_files(language, message, directions) if message else {}
        return _write(template, folder, name, own)
    except OSError as error:
        raise TesteeError(f"cannot write {folder}: {error.strerror}") from error


def _write(template: Path, folder: Path, name: str, own: Mapping[str, str]) -> list[Path]:
    files = [path.relative_to(template) for path in template.rglob("*") if path.is_file()]
    files = [path for path in files if not _EXCLUDED.intersection(path.parts)]
    files.sort(key=lambda path: (path.name != FILE, path.stem.lower() != "adapter", path))
    for path in files:
        text = own.get(str(path)) or (template / path).read_text(encoding="utf-8")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with open(folder / path, "x", encoding="utf-8") as file:
            file.write(text.replace(_NAME, name))
    return [folder / path for path in files]
