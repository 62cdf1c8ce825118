"""Problems of definition files as data: file, line and rule of each, as a compiler gives them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kafkawire.schema.rule_table import Severity

MOST_PROBLEMS: Final = 1000
"""Problems of one reading; a file with more is not a definition file."""


class KrammarRule(StrEnum):
    """The rule that a line breaks. The value is stable: programs compare it."""

    FILE_SIZE = "file-size"
    ENCODING = "encoding"
    LINE_END = "line-end"
    FINAL_NEWLINE = "final-newline"
    TAB = "tab"
    SPACING = "spacing"
    INDENTATION = "indentation"
    DEPTH = "depth"
    LINE_LENGTH = "line-length"
    TOO_MANY = "too-many-problems"
    HEAD = "head"
    MODIFIER = "modifier"
    RESPONSE = "response"
    VERSION_FIELD = "version-field"
    DUPLICATE_NAME = "duplicate-name"
    DUPLICATE_FIELD = "duplicate-field"
    DUPLICATE_KEY = "duplicate-key"
    RESERVED_NAME = "reserved-name"
    EMPTY_STRUCT = "empty-struct"
    STRUCT_SIZE = "struct-size"
    FIELD = "field"
    FIELD_NAME = "field-name"
    TYPE = "type"
    UNKNOWN_TYPE = "unknown-type"
    UNKNOWN_ENUM = "unknown-enum"
    HINT = "hint"
    NULLABLE = "nullable"
    DEFAULT = "default"
    COMMENT = "comment"
    VERSION = "version"
    TAG = "tag"
    TAG_AND_VERSIONS = "tag-and-versions"
    SPECIAL_FIELD = "special-field"
    LENGTH_FIELD = "length-field"
    FLEXIBLE = "flexible"
    ENUM = "enum"


@dataclass(frozen=True, slots=True)
class KrammarProblem:
    """One problem of a definition file, with its line and rule.

    Attributes:
        source: the file, as the caller named it.
        line: the line, from 1; 0 for the file as a whole.
        severity: an error if franz-go's generator or the Go compiler refuses or drops the line; a warning if
            it is accepted with a meaning that its author hardly intended.
        text: the problem: what was expected or what to do.
    """

    source: str
    line: int
    severity: Severity
    rule: KrammarRule
    text: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.severity}: {self.text} [{self.rule}]"


class ProblemList:
    """Collects the problems of one reading, up to `MOST_PROBLEMS`."""

    def __init__(self) -> None:
        self.found: list[KrammarProblem] = []

    @property
    def full(self) -> bool:
        """True if there are so many problems that reading should end."""
        return len(self.found) > MOST_PROBLEMS

    @property
    def errors(self) -> bool:
        return any(each.severity is Severity.ERROR for each in self.found)

    def error(self, source: str, line: int, rule: KrammarRule, text: str) -> None:
        self._add(KrammarProblem(source, line, Severity.ERROR, rule, text))

    def warning(self, source: str, line: int, rule: KrammarRule, text: str) -> None:
        self._add(KrammarProblem(source, line, Severity.WARNING, rule, text))

    def _add(self, problem: KrammarProblem) -> None:
        if len(self.found) < MOST_PROBLEMS:
            self.found.append(problem)
        elif len(self.found) == MOST_PROBLEMS:
            text = f"more than {MOST_PROBLEMS} problems: the rest is not read"
            self.found.append(
                KrammarProblem(problem.source, problem.line, Severity.ERROR, KrammarRule.TOO_MANY, text)
            )
