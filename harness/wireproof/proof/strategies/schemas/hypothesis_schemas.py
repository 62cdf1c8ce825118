"""The strategies of Hypothesis for message definitions, with the procedure of `message_drawing`."""

import copy
from collections.abc import Callable
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.message_drawing import DrawnMessage, draw_message
from wireproof.proof.strategies.schemas.schema_language import NEWEST, SchemaLanguage
from wireproof.proof.strategies.schemas.schema_text import SchemaTree, schema_text
from wireproof.proof.strategies.schemas.violations.field_violations import (
    DEFAULT_VIOLATIONS,
    FIELD_VIOLATIONS,
    RuleViolation,
)
from wireproof.proof.strategies.schemas.violations.message_violations import (
    COORDINATOR_VIOLATIONS,
    MESSAGE_VIOLATIONS,
    STRUCT_VIOLATIONS,
)

_T = TypeVar("_T")


class _DrawnChoices:
    """Choices that Hypothesis draws."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def below(self, count: int) -> int:
        return self._draw(st.integers(0, count - 1))

    def group(self, make: Callable[[], _T]) -> _T:
        return self._draw(st.builds(make))


@st.composite
def drawn_messages(
    draw: DrawFn, language: SchemaLanguage = NEWEST, *, plain: bool = False, odd_names: bool = False
) -> DrawnMessage:
    """Draw the trees of messages that Kafka's generator accepts; see `draw_message` for the options."""
    return draw_message(_DrawnChoices(draw), "Drawn", language, plain=plain, odd_names=odd_names)


def schemas(language: SchemaLanguage = NEWEST) -> st.SearchStrategy[str]:
    """Draw message definitions that Kafka's generator accepts, as the JSON text of a file."""
    return drawn_messages(language).map(lambda message: schema_text(message.tree))


_ALWAYS = (*FIELD_VIOLATIONS, *STRUCT_VIOLATIONS, *MESSAGE_VIOLATIONS, *DEFAULT_VIOLATIONS)


def violations_in(language: SchemaLanguage = NEWEST) -> tuple[RuleViolation, ...]:
    """The operators for a release's language."""
    return _ALWAYS + (COORDINATOR_VIOLATIONS if language.coordinator_kinds else ())


def draw_broken(
    choices: Choices, stem: str = "Drawn", language: SchemaLanguage = NEWEST
) -> tuple[RuleViolation, SchemaTree]:
    """Draw a valid message, and break one rule in it."""
    violation = pick(choices, violations_in(language))
    return violation, broken(choices, violation, draw_message(choices, stem, language, plain=True).tree)


def broken(choices: Choices, violation: RuleViolation, tree: SchemaTree) -> SchemaTree:
    """A copy of the tree of a valid message with the rule broken."""
    changed = copy.deepcopy(tree)
    violation.apply(choices, changed)
    return changed
