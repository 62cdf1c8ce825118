"""The rules that keep the pictures current, without running a command: each returns its problems as lines."""

import hashlib
import re
import shlex
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Final

import click

from docs.pictures.manifest import MANIFEST, PictureRecord
from docs.pictures.recipes import Cast, Recipe, recipe_hash

ROOT: Final = Path(__file__).parents[2]
AGAIN: Final = "python -m docs.pictures"

_LARGEST: Final = {".svg": 200_000, ".png": 250_000}
"""Bytes of the largest file, by suffix."""
_WIDEST: Final = 2400
"""Pixels of the widest PNG."""
_ELEMENTS: Final = frozenset({"svg", "title", "desc", "style", "rect", "g", "text"})
_FOREIGN: Final = re.compile(
    r"https?:(?!//www\.w3\.org/2000/svg$)|//[\w.-]+\.\w|@import|@font-face|url\(|javascript:|data:"
)
_NAMESPACE: Final = "{http://www.w3.org/2000/svg}"
_IMAGE: Final = re.compile(
    r"!\[(?P<alt>[^]]*)\]\((?P<file>[^)\s]+)\)|<img\b(?P<tag>[^>]*)>|<source\b(?P<source>[^>]*)>", re.DOTALL
)
_PNG_HEADER: Final = b"\x89PNG\r\n\x1a\n"


def file_problems(
    recipes: Sequence[Recipe], records: Mapping[str, PictureRecord], folder: Path
) -> Iterator[str]:
    """Yield the recipes without a picture, and the files and records without a recipe."""
    wanted = {name for recipe in recipes for name in recipe.files}
    there = {path.name for path in folder.iterdir()} - {MANIFEST.name}
    yield from (f"{name}: no such picture: make it: {AGAIN}" for name in sorted(wanted - there))
    yield from (f"{name}: a picture without a recipe: delete it" for name in sorted(there - wanted))
    gone = sorted(records.keys() - {recipe.name for recipe in recipes})
    yield from (f"{name}: a record without a recipe: {AGAIN}" for name in gone)


def record_problems(recipe: Recipe, record: PictureRecord | None, folder: Path) -> Iterator[str]:
    """Yield why a picture is not the one that its recipe makes: the recipe or the file was changed since."""
    if record is None or record.recipe != recipe_hash(recipe):
        yield f"{recipe.name}: the recipe changed after the picture was made: make it again: {AGAIN}"
        return
    for name, digest in record.files.items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            yield f"{name}: changed by hand: expected the file that the recipe makes: {AGAIN}"


def page_problems(recipe: Recipe) -> Iterator[str]:
    """Yield the pages of a recipe that do not show each of its files with its alternative text."""
    for page in recipe.pages:
        shown = images((ROOT / page).read_text("utf-8"))
        for name in recipe.files:
            alts = [alt for file, alt in shown if Path(file.partition("#")[0]).name == name]
            if not alts:
                yield f"{page} does not show {name}"
            elif any(alt not in (None, recipe.alt) for alt in alts):
                yield f"{page}: the alternative text of {name} differs: expected {recipe.alt!r}"


def images(markdown: str) -> list[tuple[str, str | None]]:
    """Return the pictures of a page: file and alternative text; None for a `<source>`, which has none."""
    found: list[tuple[str, str | None]] = []
    for match in _IMAGE.finditer(markdown):
        if match["file"]:
            found.append((match["file"], match["alt"]))
        elif match["tag"]:
            found.append((_attribute("src", match["tag"]), _attribute("alt", match["tag"])))
        else:
            found.append((_attribute("srcset", match["source"]), None))
    return found


def _attribute(name: str, tag: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return " ".join(unescape(found[1]).split()) if found else ""


def svg_problems(svg: bytes) -> Iterator[str]:
    """Yield what an SVG has that a picture must not have, and what it lacks."""
    if len(svg) > _LARGEST[".svg"]:
        yield f"{len(svg)} bytes: expected {_LARGEST['.svg']} at most"
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        name = element.tag.removeprefix(_NAMESPACE)
        if name not in _ELEMENTS:
            yield f"an element {name}: expected one of {', '.join(sorted(_ELEMENTS))}"
        for key, value in element.attrib.items():
            if key.lower().startswith("on") or key.endswith("href") or _FOREIGN.search(value):
                yield f"an attribute {key}={value!r}"
        if name == "style" and _FOREIGN.search(element.text or ""):
            yield "a style that loads something"
    for name in ("title", "desc"):
        if not (root.findtext(_NAMESPACE + name) or "").strip():
            yield f"no {name}"


def png_problems(png: bytes) -> Iterator[str]:
    """Yield why a PNG is too large for a page."""
    if not png.startswith(_PNG_HEADER):
        yield "not a PNG"
        return
    if len(png) > _LARGEST[".png"]:
        yield f"{len(png)} bytes: expected {_LARGEST['.png']} at most"
    width, height = struct.unpack(">II", png[16:24])
    if max(width, height) > _WIDEST:
        yield f"{width} by {height} pixels: expected {_WIDEST} at most"


def command_problems(line: str, program: click.Command) -> Iterator[str]:
    """Yield the names and options of a line that begins with `wireproof` which the program does not have."""
    words = shlex.split(line, comments=True)
    if words[:1] != ["wireproof"]:
        return
    command, context, rest = program, click.Context(program, info_name="wireproof"), words[1:]
    try:
        while isinstance(command, click.Group):
            command.make_parser(context)
            name, found, rest = command.resolve_command(context, rest)
            if found is None:
                yield f"{line}: no command {name}"
                return
            command, context = found, click.Context(found, info_name=name, parent=context)
        command.make_parser(context).parse_args(args=list(rest))
    except click.UsageError as error:
        yield f"{line}: {error.format_message()}"


def cast_text(svg: bytes) -> str:
    """Return the text of the last screen of a cast, a line for each row, without spaces."""
    groups = ElementTree.fromstring(svg).iter(_NAMESPACE + "g")
    rows = ["".join(group.itertext()) for group in groups if "gone" not in group.get("class", "").split()]
    return "\n".join(row.replace(" ", "") for row in rows)


def text_problems(cast: Cast, svg: bytes) -> Iterator[str]:
    """Yield the commands of a cast that its picture does not show."""
    shown = cast_text(svg).replace("\n", "")
    for command in cast.commands:
        if command.line.replace(" ", "") not in shown:
            yield f"{cast.name} does not show {command.line!r}"
