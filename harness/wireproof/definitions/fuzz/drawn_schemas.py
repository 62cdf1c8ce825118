"""The schemas of a fuzz run: seed and number determine each one. It is valid, or breaks one rule."""

from dataclasses import dataclass
from typing import Final

from wireproof.proof.strategies.schemas.broken_messages import draw_broken
from wireproof.proof.strategies.schemas.choices import SeededChoices, chance
from wireproof.proof.strategies.schemas.message_drawing import draw_message
from wireproof.proof.strategies.schemas.schema_language import SchemaLanguage
from wireproof.proof.strategies.schemas.schema_text import SchemaTree, schema_text

_BROKEN_PERCENT: Final = 25


@dataclass(frozen=True, slots=True)
class Expectation:
    """The verdict that is expected of a schema by its construction; `valid` is None if only Kafka can tell.

    `violation` is the operator that broke a rule; ``""`` for none.
    """

    valid: bool | None
    violation: str = ""


@dataclass(frozen=True, slots=True)
class DrawnSchema:
    """A schema to compare, with the tree of its text. One from a file has no tree, and cannot be shrunk."""

    number: int
    text: str
    expectation: Expectation
    tree: SchemaTree | None = None


def draw_schema(seed: int, number: int, language: SchemaLanguage) -> DrawnSchema:
    """The schema of this number: the same in every process. Its message has the number in its name."""
    choices = SeededChoices(seed, number)
    stem = f"Drawn{number}"
    if chance(choices, _BROKEN_PERCENT):
        violation, tree = draw_broken(choices, stem, language)
        expectation = Expectation(False, violation.name)
    else:
        message = draw_message(choices, stem, language, odd_names=True)
        tree, expectation = message.tree, Expectation(True if message.certain else None)
    return DrawnSchema(number, schema_text(tree), expectation, tree)


def schema_of_file(text: str) -> DrawnSchema:
    """A schema that was not drawn; only Kafka can say if it is valid."""
    return DrawnSchema(0, text, Expectation(None))
