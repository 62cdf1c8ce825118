"""All errors of Kafka's message generator: its text, our rule, and a schema for each.

The numbers up to 41 are those of the project's notes on the generator; 33 and 36 are javac's and are among
`JAVA_REFUSALS`. Numbers from 42 on are errors of Jackson, which reads the JSON, and exceptions that the
generator throws by accident.
"""

import re
from typing import Final

from kafkawire.schema.rule_table import SchemaRule
from kafkawire.schema.rules.refusals._field_errors import DEFAULT_ERRORS, FIELD_ERRORS
from kafkawire.schema.rules.refusals._message_errors import MESSAGE_ERRORS, MODULE_ERRORS
from kafkawire.schema.rules.refusals._other_errors import OTHER_ERRORS
from kafkawire.schema.rules.refusals._struct_errors import STRUCT_ERRORS
from kafkawire.schema.rules.refusals.refused_schema import RefusedSchema

__all__ = ["GENERATOR_ERRORS", "rules_of"]


def _order(row: RefusedSchema) -> tuple[int, str]:
    digits = row.number.rstrip("abcdefgh")
    return int(digits), row.number


GENERATOR_ERRORS: Final[tuple[RefusedSchema, ...]] = tuple(
    sorted(
        (*FIELD_ERRORS, *STRUCT_ERRORS, *MESSAGE_ERRORS, *DEFAULT_ERRORS, *MODULE_ERRORS, *OTHER_ERRORS),
        key=_order,
    )
)
"""In the order of their numbers."""


def rules_of(cause: str) -> frozenset[SchemaRule]:
    """The rules that an exception of the generator may mean: several, if it has no text of its own.

    Args:
        cause: the text of a verdict of the generator.
    """
    found = {row.rule for row in GENERATOR_ERRORS if re.fullmatch(row.pattern, cause, re.DOTALL)}
    return frozenset(found)
