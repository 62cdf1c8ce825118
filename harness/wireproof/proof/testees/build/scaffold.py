"""New testees: a folder that works at once, in which the author puts the calls of another codec."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from uuid import UUID

from kafkawire.schema import EMPTY, ArrayType, FieldSpec, MessageSpec, StructType, VersionRange, parse_default
from wireproof.model.repertoire import BOTH_DIRECTIONS, CodecDirection
from wireproof.proof.testees.build.message_texts import MESSAGE_TEXTS, Declared, MessageTexts
from wireproof.proof.testees.build.testee_build import EXCLUDED_FOLDERS
from wireproof.proof.testees.description.manifest import TESTEE_FILE, shipped, shipped_folder
from wireproof.proof.testees.testee_errors import TesteeError


def message_files(language: str, spec: MessageSpec, directions: frozenset[CodecDirection]) -> dict[str, str]:
    """Return the texts of the adapter and the codec of a message, by their paths.

    Args:
        spec: a message with valid versions.
        directions: the directions that the adapter claims; at least one.
    """
    texts, template = MESSAGE_TEXTS[language], shipped_folder() / "message-template" / language
    structs = {name: [*_declared(spec, fields)] for name, fields in _structs(spec)}
    ways = [str(each) for each in CodecDirection if each in directions]
    both = [*ways, "reencode"] if len(ways) > 1 else ways
    versions = str(spec.valid_versions)
    filled = {
        "OPERATIONS": texts.joined(texts.operation, both, versions),
        "WAYS": texts.joined(texts.way, ways, versions),
        "ROOT": texts.shape_name(spec.name),
        "VERSIONS_TEXT": versions,
        "FLEXIBLE_TEXT": _text(spec, spec.flexible_versions),
        "MESSAGE": spec.name,
    }
    made = {
        "SHAPES": _structs_text(texts, texts.shape, texts.row, structs),
        "STRUCTS": _structs_text(texts, texts.struct, texts.field, structs),
    }
    files = {}
    for path in _files_of(template):
        text = _of_directions((template / path).read_text("utf-8"), directions)
        text = re.sub("|".join(filled), lambda found: filled[found[0]], text)
        text = re.sub(r"(?m)^.*\b(SHAPES|STRUCTS)\n", lambda found: made[found[1]], text)
        files[str(path)] = text
    return files


def _of_directions(text: str, directions: frozenset[CodecDirection]) -> str:
    """Return a text without the parts of other directions, and without the lines that mark parts."""
    unclaimed = {str(each) for each in CodecDirection if each not in directions}
    unclaimed |= {"both"} if unclaimed else set()
    for part in sorted(unclaimed):
        text = re.sub(rf"(?ms)^[ \t/#]*<{part}>$.*?^[ \t/#]*</{part}>\n", "", text)
    return re.sub(r"(?m)^[ \t/#]*</?(?:decode|encode|both)>\n", "", text)


def _structs_text(texts: MessageTexts, outer: str, inner: str, structs: Mapping[str, list[Declared]]) -> str:
    """Return the text of each struct, with a line for each field."""
    made = []
    for name, fields in structs.items():
        lines = "".join(inner.format_map(texts.words(each)) for each in fields)
        walk = "".join(texts.walk.format_map(texts.words(each)) for each in fields)
        made.append(outer.format(name=name, shape=texts.shape_name(name), fields=lines, walk=walk))
    return "".join(made)


def _structs(spec: MessageSpec) -> Iterator[tuple[str, tuple[FieldSpec, ...]]]:
    """Yield each struct of a message after those that it contains, the message itself at the end."""
    common = {each.name: each.fields for each in spec.common_structs}

    def inside(fields: tuple[FieldSpec, ...]) -> Iterator[tuple[str, tuple[FieldSpec, ...]]]:
        for field in fields:
            inner = field.type.element if isinstance(field.type, ArrayType) else field.type
            if isinstance(inner, StructType):
                own = common.get(inner.name, field.fields)
                yield from inside(own)
                yield inner.name, own

    yield from inside(spec.fields)
    yield spec.name, spec.fields


def _text(spec: MessageSpec, versions: VersionRange) -> str:
    """Return the valid versions in a range: ``3-5``, ``3``, or nothing."""
    both = versions.intersect(spec.valid_versions)
    return "" if both.empty else str(both)


def _declared(spec: MessageSpec, fields: tuple[FieldSpec, ...]) -> Iterator[Declared]:
    """Yield the fields of the valid versions."""
    for field in fields:
        there = _text(spec, field.versions)
        inner = field.type.element if isinstance(field.type, ArrayType) else field.type
        default = parse_default(field.type, field.default)
        nullable = _text(spec, field.nullable_versions)
        if there:
            yield Declared(
                field.json_name,
                inner.name if isinstance(inner, StructType) else str(inner),
                isinstance(inner, StructType),
                isinstance(field.type, ArrayType),
                there,
                nullable,
                bool(nullable) or default is None,
                field.tag if field.tagged_versions and _text(spec, field.tagged_versions) else None,
                _text(spec, field.tagged_versions),
                None if field.flexible_versions is None else _text(spec, field.flexible_versions),
                0 if isinstance(default, UUID) else default,
                default is EMPTY,
            )


LANGUAGES: Final = ("go", "java", "javascript", "python", "rust")
"""The languages that have a template."""

_NAME: Final = "my-codec"
"""The codec's name in the templates. They are testees themselves: nothing else in them is replaced."""


def _files_of(template: Path) -> list[Path]:
    """Return the paths in a template, in order, without those that installers made: pip compiles Python."""
    files = (path.relative_to(template) for path in template.rglob("*") if path.is_file())
    return sorted(path for path in files if not EXCLUDED_FOLDERS.intersection(path.parts))


def start_testee(
    folder: Path,
    language: str,
    message: MessageSpec | None = None,
    directions: frozenset[CodecDirection] = BOTH_DIRECTIONS,
) -> list[Path]:
    """Write the files of a new testee, which has the name of its folder.

    Args:
        message: the message that it claims, with valid versions; None for that of the template.
        directions: the directions that it claims for `message`.

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
    files = _files_of(template)
    files.sort(key=lambda path: (path.name != TESTEE_FILE, path.stem.lower() != "adapter"))
    for path in files:
        text = own.get(str(path)) or (template / path).read_text(encoding="utf-8")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with open(folder / path, "x", encoding="utf-8") as file:
            file.write(text.replace(_NAME, name))
    return [folder / path for path in files]
