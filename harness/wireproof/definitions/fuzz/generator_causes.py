"""The rules of our front end that a refusal by Kafka's generator, or by javac after it, may be about."""

from typing import Final

from kafkawire.schema.rules.refusals import JAVA_REFUSALS, rules_of

__all__ = ["rules_of_cause"]

_NOT_COMPILED: Final = "not-compiled"
_JAVA_RULES: Final = frozenset(refusal.rule.value for refusal in JAVA_REFUSALS) | {"name-taken"}
"""With the rule that the generators before 4.0 leave to javac."""


def rules_of_cause(outcome: str, cause: str) -> frozenset[str]:
    """The ids of the rules that a refusal may mean; empty where its text is in no table.

    javac's texts are about Java, so that any rule about Java may be the cause.

    Args:
        outcome: of the verdict, ``refused`` or ``not-compiled``.
        cause: its text.
    """
    return _JAVA_RULES if outcome == _NOT_COMPILED else frozenset(rule.value for rule in rules_of(cause))
