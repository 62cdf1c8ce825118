"""Schemas that Kafka refuses: an example for each error of its generator, and of javac after it.

The examples are in `refusals.toml`; this module gives them types.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import Any, Final, TypeAlias

from kafkawire.schema.rule_table import SchemaRule


@dataclass(frozen=True, slots=True)
class RefusedSchema:
    """One error of Kafka's generator.

    Attributes:
        number: the number of the error, with a letter for each case of it: ``9b``.
        pattern: a regular expression for the whole text of the generator's exception. It begins with the
            exception's class if that is not RuntimeException.
        rule: our rule that finds the same fault.
        refused: the texts of one or several message files, processed together, that the generator refuses.
        accepted: the same texts without the fault.
        since: the first release line whose generator has the error.
        until: the first release line without the error; (99, 0) if it still exists.
    """

    number: str
    pattern: str
    rule: SchemaRule
    refused: tuple[str, ...]
    accepted: tuple[str, ...]
    since: tuple[int, int] = (3, 9)
    until: tuple[int, int] = (99, 0)


class JavaStage(StrEnum):
    """The stage at which a schema fails that the generator accepts."""

    COMPILER = "javac"
    """The generated Java does not compile."""
    CLASS = "class"
    """The class compiles, and throws where an instance is made or written."""


@dataclass(frozen=True, slots=True)
class JavaRefusal:
    """One kind of schema that the generator accepts and Java does not.

    Attributes:
        name: the name of the row, in words.
        rule: our rule that finds the fault.
        refused, accepted: as in `RefusedSchema`.
        cause: the reason why Java refuses the schema.
    """

    name: str
    rule: SchemaRule
    refused: tuple[str, ...]
    accepted: tuple[str, ...]
    cause: str
    stage: JavaStage = JavaStage.COMPILER


def rules_of(cause: str) -> frozenset[SchemaRule]:
    """The rules that an exception of the generator may mean: several, if it has no text of its own.

    Args:
        cause: the text of a verdict of the generator.
    """
    return frozenset(row.rule for row in GENERATOR_ERRORS if re.fullmatch(row.pattern, cause, re.DOTALL))


_Keys: TypeAlias = Mapping[str, Any]

_MESSAGE: Final[_Keys] = {
    "name": "ProbeRequest",
    "type": "request",
    "apiKey": 1,
    "validVersions": "0-3",
    "flexibleVersions": "2+",
}
_STRUCT: Final[_Keys] = {"name": "Shared", "versions": "0+", "fields": [{"name": "B"}]}
_FIELD: Final[_Keys] = {"name": "A", "type": "int8", "versions": "0+"}


def _columns(row: _Keys) -> dict[str, Any]:
    """The columns of a row by the attributes of the dataclasses."""
    lines = {key: tuple(row[key]) for key in ("since", "until") if key in row}
    stage = {"stage": JavaStage(row["stage"])} if "stage" in row else {}
    texts = {key: tuple(map(_text, row[key])) for key in ("refused", "accepted")}
    return {**row, **lines, **stage, **texts, "rule": _RULES[row["rule"]]}


def _text(file: str | _Keys) -> str:
    if isinstance(file, str):
        return file
    return json.dumps(_whole(_MESSAGE, {**file, "fields": file.get("fields", [{}])}))


def _whole(plain: _Keys, different: _Keys) -> dict[str, Any]:
    keys = {key: _value(key, value) for key, value in {**plain, **different}.items()}
    return {key: value for key, value in keys.items() if value is not False}


def _value(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return value["text"] * value["times"]
    return [_whole(_PLAIN[key], each) for each in value] if key in _PLAIN else value


_RULES: Final = {rule.value: rule for rule in SchemaRule}
_PLAIN: Final = {"fields": _FIELD, "commonStructs": _STRUCT}
_ROWS: Final = tomllib.loads(files(__package__).joinpath("refusals.toml").read_text(encoding="utf-8"))

GENERATOR_ERRORS: Final[Sequence[RefusedSchema]] = tuple(
    RefusedSchema(number, **_columns(row)) for number, row in _ROWS["generator"].items()
)
"""In the order of their numbers."""
JAVA_REFUSALS: Final[Sequence[JavaRefusal]] = tuple(
    JavaRefusal(name, **_columns(row)) for name, row in _ROWS["java"].items()
)
