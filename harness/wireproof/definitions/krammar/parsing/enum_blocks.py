"""The blocks of an enums file: a name, an integer type, and a line for each named value."""

import re
from typing import Final

from wireproof.definitions.krammar.definition_model import INTEGER_RANGES, KrammarEnum, KrammarScalar
from wireproof.definitions.krammar.definition_problems import KrammarRule, ProblemList
from wireproof.definitions.krammar.parsing.definition_lines import Line, LineCursor

__all__ = ["read_enums"]

_HEAD: Final = re.compile(r"([A-Za-z]+) ([^ ]+) (camelcase )?\(", re.ASCII)
_VALUE: Final = re.compile(r" {2}(\d{1,6}): ([A-Z_a-z]+)", re.ASCII)


def read_enums(cursor: LineCursor, problems: ProblemList) -> tuple[KrammarEnum, ...]:
    """Read all blocks of a file; report what is between them."""
    enums: list[KrammarEnum] = []
    names: set[str] = set()
    while (line := cursor.peek()) is not None and not problems.full:
        cursor.advance()
        if line.blank or line.text.startswith("//"):
            continue
        enum = _enum(line, cursor, problems)
        if enum is None:
            continue
        if enum.name in names:
            words = f"the enum {enum.name} is defined before: choose another name"
            problems.error(cursor.source, line.number, KrammarRule.DUPLICATE_NAME, words)
        names.add(enum.name)
        enums.append(enum)
    return tuple(enums)


def _enum(line: Line, cursor: LineCursor, problems: ProblemList) -> KrammarEnum | None:
    match = _HEAD.fullmatch(line.text)
    if match is None:
        words = f"{line.text[:60]!r} does not begin an enum: write Name int8 ( and a line for each value"
        problems.error(cursor.source, line.number, KrammarRule.ENUM, words)
        return None
    scalar = next((each for each in INTEGER_RANGES if each.value == match[2]), None)
    if scalar is None:
        words = f"an enum is not of type {match[2][:40]!r}: write an integer type, such as int8"
        problems.error(cursor.source, line.number, KrammarRule.ENUM, words)
    values = _values(line, scalar or KrammarScalar.INT64, cursor, problems)
    if scalar is None:
        return None
    return KrammarEnum(match[1], scalar, values, bool(match[3]), cursor.source, line.number)


def _values(
    head: Line, scalar: KrammarScalar, cursor: LineCursor, problems: ProblemList
) -> tuple[tuple[int, str], ...]:
    values: dict[int, str] = {}
    comment: Line | None = None
    while (line := cursor.peek()) is not None and not problems.full:
        if line.text == ")":
            cursor.advance()
            if comment is not None:
                words = "a comment after the last value, which franz-go refuses: remove it"
                problems.error(cursor.source, comment.number, KrammarRule.ENUM, words)
            return tuple(values.items())
        if line.blank or line.indent == 0:
            break
        cursor.advance()
        if line.text.startswith("  //"):
            comment = line
            continue
        comment = None
        _add_value(line, scalar, values, cursor.source, problems)
    words = "the enum does not end: write ) on a line of its own after the last value"
    problems.error(cursor.source, head.number, KrammarRule.ENUM, words)
    return tuple(values.items())


def _add_value(
    line: Line, scalar: KrammarScalar, values: dict[int, str], source: str, problems: ProblemList
) -> None:
    match = _VALUE.fullmatch(line.text)
    if match is None:
        words = f"{line.text[:60]!r} is not a value: write two spaces, a number, a colon and letters"
        problems.error(source, line.number, KrammarRule.ENUM, words)
        return
    number, word = int(match[1]), match[2]
    lowest, highest = INTEGER_RANGES[scalar]
    if not lowest <= number <= highest:
        words = f"the value {number} does not fit into {scalar}: it holds {lowest} to {highest}"
        problems.error(source, line.number, KrammarRule.ENUM, words)
    elif number in values or word in values.values():
        words = f"the value {number} or the name {word} is there before: write each once"
        problems.error(source, line.number, KrammarRule.ENUM, words)
    else:
        values[number] = word
