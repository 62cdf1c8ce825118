"""Operators for the errors of a set of messages: 39 to 41."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from wireproof.proof.strategies.schemas.choices import Choices
from wireproof.proof.strategies.schemas.schema_text import SchemaTree


@dataclass(frozen=True, slots=True)
class SetViolation:
    """An operator that makes a set of messages, each of which is valid alone.

    Attributes:
        error: the number of the generator's error, 39 to 41; 0 for a set that it accepts.
    """

    error: int
    name: str
    make: Callable[[SchemaTree], list[SchemaTree]]


def _message(body: SchemaTree, name: str, kind: str, api_key: int = 7) -> SchemaTree:
    """A message of this kind with the versions and fields of another."""
    keys = ("validVersions", "flexibleVersions", "fields", "commonStructs")
    kept: SchemaTree = {key: body[key] for key in keys if key in body}
    return {"name": name, "type": kind, "apiKey": api_key, **kept}


def valid_pair(_: Choices, body: SchemaTree) -> list[SchemaTree]:
    """A request and its response, which the generator accepts together."""
    return [_message(body, "PairRequest", "request"), _message(body, "PairResponse", "response")]


def _twice(kind: str, suffix: str) -> Callable[[SchemaTree], list[SchemaTree]]:
    other = "response" if kind == "request" else "request"

    def make(body: SchemaTree) -> list[SchemaTree]:
        names = [(f"Pair{suffix}", kind), (f"Other{suffix}", kind), (f"Pair{other.capitalize()}", other)]
        return [_message(body, *each) for each in names]

    return make


def _request_alone(body: SchemaTree) -> list[SchemaTree]:
    return [_message(body, "PairRequest", "request")]


def _records_twice(body: SchemaTree) -> list[SchemaTree]:
    return [_message(body, name, "metadata") for name in ("FirstRecord", "SecondRecord")]


def _suffix(body: SchemaTree) -> list[SchemaTree]:
    return [_message(body, "PairQuestion", "request"), _message(body, "PairResponse", "response")]


SET_VIOLATIONS: Final = (
    SetViolation(39, "requests-with-one-key", _twice("request", "Request")),
    SetViolation(39, "responses-with-one-key", _twice("response", "Response")),
    SetViolation(39, "request-alone", _request_alone),
    SetViolation(40, "records-with-one-key", _records_twice),
    SetViolation(41, "name-without-suffix", _suffix),
)
