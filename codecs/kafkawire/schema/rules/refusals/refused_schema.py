"""The rows of the tables of refused schemas, and the small messages that they are made of."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeAlias

from kafkawire.schema.rule_table import SchemaRule

__all__ = ["JavaRefusal", "JavaStage", "Json", "RefusedSchema", "coordinator", "field", "message", "struct"]

Json: TypeAlias = Mapping[str, Any]

_HEAD: Final[Json] = {
    "name": "ProbeRequest",
    "type": "request",
    "apiKey": 1,
    "validVersions": "0-3",
    "flexibleVersions": "2+",
}


def field(type_: str | None = "int8", **keys: Any) -> Json:
    """A field A of versions 0+, with other keys; a key that is None is left out."""
    return _without_none({"name": "A", "type": type_, "versions": "0+", **keys})


def struct(*fields: Json, **keys: Any) -> Json:
    """A common struct Shared of versions 0+."""
    return _without_none(
        {"name": "Shared", "versions": "0+", "fields": list(fields or (field(name="B"),)), **keys}
    )


def message(*fields: Json, common: Sequence[Json] = (), **keys: Any) -> str:
    """The text of a request of versions 0-3, flexible from 2 on, with these fields."""
    head = _without_none({**_HEAD, **keys})
    structs = {"commonStructs": list(common)} if common else {}
    return json.dumps({**head, "fields": list(fields or (field(),)), **structs})


def coordinator(kind: str, **keys: Any) -> str:
    """A key or value record of a coordinator."""
    head = {"type": f"coordinator-{kind}", "validVersions": "0", "flexibleVersions": "none", **keys}
    return message(**head)


def _without_none(keys: Json) -> Json:
    return {key: value for key, value in keys.items() if value is not None}


@dataclass(frozen=True, slots=True)
class RefusedSchema:
    """One error of Kafka's generator.

    Attributes:
        number: of the error, with a letter for each case of it: ``9b``.
        pattern: a regular expression for the whole text of the generator's exception. It begins with the
            exception's class where that is not RuntimeException.
        rule: the rule of ours that finds the same.
        refused: the text of a message file that the generator refuses, or of several, processed together.
        accepted: the same without the fault.
        since: the release line from which the generator has the error.
        until: the release line from which it has not; empty where it still has it.
    """

    number: str
    pattern: str
    rule: SchemaRule
    refused: tuple[str, ...]
    accepted: tuple[str, ...]
    since: tuple[int, int] = (3, 9)
    until: tuple[int, int] = (99, 0)

    def of_release(self, release: str) -> bool:
        """True if the generator of a release such as ``4.3.1`` has the error."""
        line = tuple(int(part) for part in release.split(".")[:2])
        return self.since <= line < self.until


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
        name: of the row, in words.
        rule: the rule of ours that finds it.
        refused, accepted: as of `RefusedSchema`.
        cause: why Java refuses it.
    """

    name: str
    rule: SchemaRule
    refused: tuple[str, ...]
    accepted: tuple[str, ...]
    cause: str
    stage: JavaStage = JavaStage.COMPILER
