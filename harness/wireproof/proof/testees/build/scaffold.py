"""New testees: a folder that works at once, in which the author puts the calls of another codec."""

import ast
import keyword
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Final
from uuid import UUID

from kafkawire.schema import (
    EMPTY,
    ArrayType,
    FieldSpec,
    FieldType,
    MessageSpec,
    ScalarType,
    StructType,
    VersionRange,
    parse_default,
)
from wireproof.model import BOTH_DIRECTIONS, CodecDirection
from wireproof.proof.testees.description.manifest import FILE, shipped, shipped_folder
from wireproof.proof.testees.testee_errors import TesteeError

_TYPES: Final = {
    ScalarType.BOOL: "bool",
    ScalarType.FLOAT64: "float",
    ScalarType.UUID: "uuid.UUID",
    ScalarType.STRING: "str",
    ScalarType.BYTES: "bytes",
    ScalarType.RECORDS: "bytes",
}
"""The Python types of scalars that are no integers."""
_FUNCTIONS: Final = {
    CodecDirection.DECODE: ("read", "to_json", "to_value"),
    CodecDirection.ENCODE: ("from_json", "from_value", "write"),
}
"""The functions and methods of the adapter that serve one direction."""
_SHAPES: Final = "SHAPES: dict[str, Shape] = {}"
_INDEX: Final = "index=dict.fromkeys(SHAPES, codec.VERSIONS)"
_RANGES: Final = 'VERSIONS, FLEXIBLE = "0", "0"'


def message_files(template: Path, spec: MessageSpec, directions: frozenset[CodecDirection]) -> dict[str, str]:
    """Return the texts of the adapter and the codec of a message in Python, by their names.

    Args:
        template: the folder with both files, in which the structs are missing.
        spec: a message with valid versions.
        directions: those that the adapter claims; at least one.
    """
    structs = dict(_structs(spec))
    operations = [str(each) for each in CodecDirection if each in directions]
    adapter, codec = ((template / name).read_text("utf-8") for name in ("adapter.py", "codec.py"))
    unused = {name for each in CodecDirection if each not in directions for name in _FUNCTIONS[each]}
    adapter = _without(adapter, unused)
    if len(operations) == 1:
        adapter = adapter.replace(
            _INDEX, _INDEX.replace("codec.VERSIONS", f'{{"{operations[0]}": codec.VERSIONS}}')
        )
    else:
        operations.append("reencode")
    adapter = adapter.replace(_SHAPES, _shapes(spec, structs)).replace("OPERATIONS", " ".join(operations))
    ranges = f'"{spec.valid_versions}", "{_text(spec, spec.flexible_versions)}"'
    codec = codec.replace(_RANGES, _RANGES.replace('"0", "0"', ranges))
    codec += "".join(_class(spec, name, fields) for name, fields in structs.items())
    texts = {"adapter.py": adapter, "codec.py": codec}
    return {name: text.replace("MESSAGE", spec.name) for name, text in texts.items()}


def _without(source: str, names: Collection[str]) -> str:
    """Return a module without the functions and methods of these names."""
    lines = source.splitlines(keepends=True)
    found = [each for each in ast.walk(ast.parse(source)) if isinstance(each, ast.FunctionDef)]
    for each in sorted(found, key=lambda each: each.lineno, reverse=True):
        if each.name in names:
            first = each.lineno - 1
            while not lines[first - 1].strip():
                first -= 1
            del lines[first : each.end_lineno]
    return "".join(lines)


def _structs(spec: MessageSpec) -> Iterator[tuple[str, tuple[FieldSpec, ...]]]:
    """Yield each struct of a message after those that it contains, the message itself at the end."""
    common = {each.name: each.fields for each in spec.common_structs}

    def inside(fields: tuple[FieldSpec, ...]) -> Iterator[tuple[str, tuple[FieldSpec, ...]]]:
        for field in fields:
            name = _struct_name(field.type)
            if name:
                own = common.get(name, field.fields)
                yield from inside(own)
                yield name, own

    yield from inside(spec.fields)
    yield spec.name, spec.fields


def _struct_name(kind: FieldType) -> str:
    inner = kind.element if isinstance(kind, ArrayType) else kind
    return inner.name if isinstance(inner, StructType) else ""


def _text(spec: MessageSpec, versions: VersionRange) -> str:
    """Return the valid versions in a range: ``3-5``, ``3``, or nothing."""
    both = versions.intersect(spec.valid_versions)
    return "" if both.empty else str(both)


def _there(spec: MessageSpec, fields: tuple[FieldSpec, ...]) -> Iterator[tuple[FieldSpec, str]]:
    for field in fields:
        if versions := _text(spec, field.versions):
            yield field, versions


def _attribute(field: FieldSpec) -> str:
    name = _constant(field.name).lower()
    return f"{name}_" if keyword.iskeyword(name) else name


def _kind(kind: FieldType, named: Callable[[str], str]) -> str:
    inner = kind.element if isinstance(kind, ArrayType) else kind
    text = named(inner.name) if isinstance(inner, StructType) else f'"{inner}"'
    return f"[{text}]" if isinstance(kind, ArrayType) else text


def _shapes(spec: MessageSpec, structs: Mapping[str, tuple[FieldSpec, ...]]) -> str:
    """Return the shapes of the adapter, and the table that names the message's own."""
    lines = []
    for name, fields in structs.items():
        lines.append(f"{_constant(name)} = Shape(\n    codec.{name},")
        for field, versions in _there(spec, fields):
            kind = _kind(field.type, _constant)
            lines.append(f'    ("{field.json_name}", "{_attribute(field)}", "{versions}", {kind}),')
        lines.append(")")
    return "\n".join([*lines, f'SHAPES = {{"{spec.name}": {_constant(spec.name)}}}'])


def _constant(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


def _class(spec: MessageSpec, name: str, fields: tuple[FieldSpec, ...]) -> str:
    lines = [f"\n\n@dataclasses.dataclass\nclass {name}:"]
    for field, versions in _there(spec, fields):
        lines.append(
            f"    {_attribute(field)}: {_annotation(spec, field)} = wire({_wire(spec, field, versions)})"
        )
    lines.append("    unknown_tags: dict[int, bytes] = dataclasses.field(default_factory=dict)\n")
    return "\n".join(lines)


def _annotation(spec: MessageSpec, field: FieldSpec) -> str:
    inner = field.type.element if isinstance(field.type, ArrayType) else field.type
    text = inner.name if isinstance(inner, StructType) else _TYPES.get(inner, "int")
    text = f"list[{text}]" if isinstance(field.type, ArrayType) else text
    nullable = _text(spec, field.nullable_versions) or _default(field) == "None"
    return f"{text} | None" if nullable else text


def _wire(spec: MessageSpec, field: FieldSpec, versions: str) -> str:
    """Return the arguments of ``wire``."""
    words = [_kind(field.type, str), f'"{versions}"']
    default = _default(field)
    words += [default] if default else []
    if nullable := _text(spec, field.nullable_versions):
        words.append(f'nullable="{nullable}"')
    if tagged := _text(spec, field.tagged_versions):
        words.append(f'tag={field.tag}, tagged="{tagged}"')
    if field.flexible_versions is not None:
        words.append(f'compact="{_text(spec, field.flexible_versions)}"')
    return ", ".join(words)


def _default(field: FieldSpec) -> str:
    """Return the expression of a default; empty for an empty array and for a struct of defaults."""
    default = parse_default(field.type, field.default)
    if default is EMPTY:
        return ""
    if isinstance(default, UUID):
        return f"uuid.UUID(int={default.int})"
    return repr(default).replace("'", '"')


LANGUAGES: Final = ("go", "java", "javascript", "python", "rust")
"""The languages that have a template."""
MESSAGE_LANGUAGES: Final = ("python",)
"""The languages in which an adapter is generated for a message."""

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
        own = message_files(shipped_folder() / "message-template", message, directions) if message else {}
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
