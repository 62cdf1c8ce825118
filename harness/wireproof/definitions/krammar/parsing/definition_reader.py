"""`read_definitions`: the texts of definition files to their structs and enums, and all that is wrong."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from wireproof.definitions.krammar.definition_model import KrammarDefinitions, KrammarEnum, KrammarStruct
from wireproof.definitions.krammar.definition_problems import KrammarProblem, KrammarRule, ProblemList
from wireproof.definitions.krammar.parsing.definition_lines import LineCursor, split_lines
from wireproof.definitions.krammar.parsing.definition_rules import check_definitions
from wireproof.definitions.krammar.parsing.enum_blocks import read_enums
from wireproof.definitions.krammar.parsing.field_lines import read_fields
from wireproof.definitions.krammar.parsing.struct_heads import read_head
from wireproof.definitions.krammar.parsing.type_text import TextError

__all__ = ["ENUMS_FILE", "MOST_FILE_BYTES", "read_definitions", "read_files"]

ENUMS_FILE: Final = "enums"
"""The name of the file with the enums of a folder."""

MOST_FILE_BYTES: Final = 4 << 20
"""Of one file. franz-go's longest has 20 kB."""


def read_files(paths: Iterable[Path]) -> tuple[KrammarDefinitions | None, list[KrammarProblem]]:
    """Read the files of a folder, in the order of their names; see `read_definitions`.

    Raises:
        OSError: a file cannot be read.
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
            enums += read_enums(LineCursor(split_lines(text, source, problems), source), problems)
    for source, text in texts.items():
        if Path(source).name != ENUMS_FILE and not problems.full:
            structs += _structs(LineCursor(split_lines(text, source, problems), source), problems)
    definitions = KrammarDefinitions(tuple(structs), tuple(enums))
    check_definitions(definitions, problems)
    order = {source: number for number, source in enumerate(texts)}
    found = sorted(problems.found, key=lambda each: (order[each.source], each.line))
    return (None if problems.errors else definitions), found


def _structs(cursor: LineCursor, problems: ProblemList) -> list[KrammarStruct]:
    structs: list[KrammarStruct] = []
    before: KrammarStruct | None = None
    while (line := cursor.peek()) is not None and not problems.full:
        cursor.advance()
        if line.blank or line.text.startswith("//"):
            continue
        if line.text.startswith(" "):
            words = "the line belongs to no struct: a blank line ended the struct above"
            problems.error(cursor.source, line.number, KrammarRule.INDENTATION, words)
            continue
        try:
            head = read_head(line.text, line.number, cursor.source, before)
        except TextError as error:
            problems.error(cursor.source, line.number, error.rule, error.text)
            read_fields(cursor, problems)
            continue
        before = replace(head, fields=read_fields(cursor, problems))
        structs.append(before)
    return structs
