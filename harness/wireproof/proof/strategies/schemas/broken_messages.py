"""Message definitions in which one rule is broken."""

import copy

from wireproof.proof.strategies.schemas.choices import Choices, pick
from wireproof.proof.strategies.schemas.message_drawing import draw_message
from wireproof.proof.strategies.schemas.schema_language import NEWEST, SchemaLanguage
from wireproof.proof.strategies.schemas.schema_text import SchemaTree
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
