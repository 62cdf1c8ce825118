"""`read_definitions`: the texts of definition files to their structs and enums, and all problems."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from wireproof.definitions.krammar.definition_model import (
    INTEGER_RANGES,
    KrammarDefinitions,
    KrammarEnum,
    KrammarScalar,
    KrammarStruct,
    StructRole,
)
from wireproof.definitions.krammar.definition_problems import KrammarProblem, KrammarRule, ProblemList
from wireproof.definitions.krammar.parsing.definition_rules import check_definitions
from wireproof.definitions.krammar.parsing.field_lines import (
    Line,
    LineCursor,
    TextError,
    read_fields,
    version_number,
)

_HEAD: Final = re.compile(r"([A-Za-z]+) ([^ ]+) (camelcase )?\(", re.ASCII)
_VALUE: Final = re.compile(r" {2}(\d{1,6}): ([A-Z_a-z]+)", re.ASCII)


def read_enums(cursor: LineCursor) -> tuple[KrammarEnum, ...]:
    """Read all blocks of a file; report text between them."""
    enums: list[KrammarEnum] = []
    names: set[str] = set()
    while (line := cursor.peek()) is not None:
        cursor.advance()
        if line.blank or line.text.startswith("//"):
            continue
        enum = _enum(line, cursor)
        if enum is None:
            continue
        if enum.name in names:
            words = f"the enum {enum.name} is defined before: choose another name"
            cursor.error(line.number, KrammarRule.DUPLICATE_NAME, words)
        names.add(enum.name)
        enums.append(enum)
    return tuple(enums)


def _enum(line: Line, cursor: LineCursor) -> KrammarEnum | None:
    match = _HEAD.fullmatch(line.text)
    if match is None:
        words = f"{line.text[:60]!r} does not begin an enum: write Name int8 ( and a line for each value"
        cursor.error(line.number, KrammarRule.ENUM, words)
        return None
    scalar = next((each for each in INTEGER_RANGES if each.value == match[2]), None)
    if scalar is None:
        words = f"an enum is not of type {match[2][:40]!r}: write an integer type, such as int8"
        cursor.error(line.number, KrammarRule.ENUM, words)
    values = _values(line, scalar or KrammarScalar.INT64, cursor)
    if scalar is None:
        return None
    return KrammarEnum(match[1], scalar, values, bool(match[3]), cursor.source, line.number)


def _values(head: Line, scalar: KrammarScalar, cursor: LineCursor) -> tuple[tuple[int, str], ...]:
    values: dict[int, str] = {}
    comment: Line | None = None
    while (line := cursor.peek()) is not None:
        if line.text == ")":
            cursor.advance()
            if comment is not None:
                words = "a comment after the last value, which franz-go refuses: remove it"
                cursor.error(comment.number, KrammarRule.ENUM, words)
            return tuple(values.items())
        if line.blank or line.indent == 0:
            break
        cursor.advance()
        if line.text.startswith("  //"):
            comment = line
            continue
        comment = None
        _add_value(line, scalar, values, cursor)
    words = "the enum does not end: write ) on a line of its own after the last value"
    cursor.error(head.number, KrammarRule.ENUM, words)
    return tuple(values.items())


def _add_value(line: Line, scalar: KrammarScalar, values: dict[int, str], cursor: LineCursor) -> None:
    match = _VALUE.fullmatch(line.text)
    if match is None:
        words = f"{line.text[:60]!r} is not a value: write two spaces, a number, a colon and letters"
        cursor.error(line.number, KrammarRule.ENUM, words)
        return
    number, word = int(match[1]), match[2]
    lowest, highest = INTEGER_RANGES[scalar]
    if not lowest <= number <= highest:
        words = f"the value {number} does not fit into {scalar}: it holds {lowest} to {highest}"
        cursor.error(line.number, KrammarRule.ENUM, words)
    elif number in values or word in values.values():
        words = f"the value {number} or the name {word} is there before: write each once"
        cursor.error(line.number, KrammarRule.ENUM, words)
    else:
        values[number] = word


ROUTERS: Final = ("admin", "group coordinator", "txn coordinator", "share coordinator")
"""The modifiers that name the broker that handles a request."""

_NOT_TOP_LEVEL: Final = " => not top level"
_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9]*", re.ASCII)
_NUMBERED: Final = re.compile(r"(key|max version) (\d+)|flexible v(\d+)\+?", re.ASCII)
_NAMED: Final = (*ROUTERS, "no encoding", "with version field")


def read_head(text: str, line: int, source: str, before: KrammarStruct | None) -> KrammarStruct:
    """Read a head line; the fields of the result are empty.

    Args:
        before: the preceding struct; a response takes its key and versions from it.

    Raises:
        TextError: the line is not a head, or a modifier is unknown, twice or of another kind of struct.
    """
    if _NOT_TOP_LEVEL in text:
        name, rest = text.split(_NOT_TOP_LEVEL, 1)
        if rest and not rest.startswith(", "):
            raise TextError(KrammarRule.HEAD, f"{rest[:40]!r} follows 'not top level': write a comma first")
        return _not_top_level(
            KrammarStruct(_name(name), StructRole.PLAIN, (), source=source, line=line), rest
        )
    if text.endswith("Response =>"):
        return _response(_name(text.removesuffix(" =>")), line, source, before)
    name, arrow, rest = text.partition(" => ")
    if not arrow:
        words = f"{text[:60]!r} is not a head: write Name => key 0, max version 1, or Name => not top level"
        raise TextError(KrammarRule.HEAD, words)
    return _request(KrammarStruct(_name(name), StructRole.REQUEST, (), source=source, line=line), rest)


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        words = f"{text[:60]!r} is not a name for a struct: use letters and digits, a capital letter first"
        raise TextError(KrammarRule.HEAD, words)
    return text


def _not_top_level(struct: KrammarStruct, rest: str) -> KrammarStruct:
    modifiers = _modifiers(rest.removeprefix(", "), ("no encoding", "with version field", "flexible"))
    if "with version field" in modifiers:
        if "no encoding" in modifiers:
            words = "'with version field' and 'no encoding' exclude each other: remove one"
            raise TextError(KrammarRule.MODIFIER, words)
        struct = replace(struct, role=StructRole.VERSIONED)
    return replace(struct, flexible_since=modifiers.get("flexible"), encoded="no encoding" not in modifiers)


def _response(name: str, line: int, source: str, before: KrammarStruct | None) -> KrammarStruct:
    request = name.removesuffix("Response") + "Request"
    if before is None or before.name != request:
        words = f"{name} does not follow {request}, whose key and versions it takes: put it right after"
        raise TextError(KrammarRule.RESPONSE, words)
    return KrammarStruct(
        name, StructRole.RESPONSE, (), before.key, before.max_version, before.flexible_since, source=source,
        line=line,
    )  # fmt: skip


def _request(struct: KrammarStruct, rest: str) -> KrammarStruct:
    modifiers = _modifiers(rest, ("key", "max version", "flexible", *ROUTERS))
    for needed in ("key", "max version"):
        if needed not in modifiers:
            raise TextError(KrammarRule.HEAD, f"a request needs a {needed}: write {needed} 0")
    routers = [each for each in ROUTERS if each in modifiers]
    if len(routers) > 1:
        raise TextError(KrammarRule.MODIFIER, f"{' and '.join(routers)} exclude each other: remove one")
    flexible = modifiers.get("flexible")
    return replace(
        struct,
        key=modifiers["key"],
        max_version=modifiers["max version"],
        flexible_since=flexible,
        router=routers[0] if routers else "",
    )


def _modifiers(text: str, allowed: tuple[str, ...]) -> dict[str, int]:
    """The modifiers of a head with their numbers; 0 for those without."""
    found: dict[str, int] = {}
    for part in text.split(", ") if text else ():
        name, number = _modifier(part)
        if name not in allowed:
            words = f"there is no modifier {part[:40]!r} here: expected {', '.join(allowed)}"
            raise TextError(KrammarRule.MODIFIER, words)
        if name in found:
            raise TextError(KrammarRule.MODIFIER, f"the modifier {name!r} is given twice: remove one")
        found[name] = number
    return found


def _modifier(part: str) -> tuple[str, int]:
    if part in _NAMED:
        return part, 0
    match = _NUMBERED.fullmatch(part)
    if match is None:
        return part, 0
    return match[1] or "flexible", version_number(match[2] or match[3])


ENUMS_FILE: Final = "enums"
"""The name of the file with the enums of a folder."""

MOST_FILE_BYTES: Final = 4 << 20
"""The most bytes of one file. franz-go's longest has 20 kB."""


def read_files(paths: Iterable[Path]) -> tuple[KrammarDefinitions | None, list[KrammarProblem]]:
    """Read the files of a folder, in the order of their names; see `read_definitions`.

    Raises OSError if a file cannot be read.
    """
    texts: dict[str, str] = {}
    problems = ProblemList()
    for path in sorted(paths):
        size = path.stat().st_size
        if size > MOST_FILE_BYTES:
            words = f"the file has {size:,} bytes: a definition file has at most {MOST_FILE_BYTES:,}"
            problems.error(str(path), 0, KrammarRule.FILE_SIZE, words)
            continue
        data = path.read_bytes()
        try:
            texts[str(path)] = data.decode()
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            problems.error(str(path), line, KrammarRule.ENCODING, f"byte {error.start} is not UTF-8")
    definitions, found = read_definitions(texts)
    return (None if problems.errors else definitions), problems.found + found


def read_definitions(texts: Mapping[str, str]) -> tuple[KrammarDefinitions | None, list[KrammarProblem]]:
    """Read the definitions of several files, in the order in which they define names.

    Args:
        texts: file name to text, in the order in which the files are read; a file called ``enums`` comes
            first wherever it is.

    Returns:
        The definitions, and all problems in order of file and line. The definitions are None if a problem
        is an error.
    """
    problems = ProblemList()
    structs: list[KrammarStruct] = []
    enums: list[KrammarEnum] = []
    for source, text in texts.items():
        if Path(source).name == ENUMS_FILE:
            enums += read_enums(LineCursor(text, source, problems))
    for source, text in texts.items():
        if Path(source).name != ENUMS_FILE and not problems.full:
            structs += _structs(LineCursor(text, source, problems))
    definitions = KrammarDefinitions(tuple(structs), tuple(enums))
    check_definitions(definitions, problems)
    order = {source: number for number, source in enumerate(texts)}
    found = sorted(problems.found, key=lambda each: (order[each.source], each.line))
    return (None if problems.errors else definitions), found


def _structs(cursor: LineCursor) -> list[KrammarStruct]:
    structs: list[KrammarStruct] = []
    before: KrammarStruct | None = None
    while (line := cursor.peek()) is not None:
        cursor.advance()
        if line.blank or line.text.startswith("//"):
            continue
        if line.text.startswith(" "):
            words = "the line belongs to no struct: a blank line ended the struct above"
            cursor.error(line.number, KrammarRule.INDENTATION, words)
            continue
        try:
            head = read_head(line.text, line.number, cursor.source, before)
        except TextError as error:
            cursor.error(line.number, error.rule, error.text)
            read_fields(cursor)
            continue
        before = replace(head, fields=read_fields(cursor))
        structs.append(before)
    return structs
