"""Text that is not UTF-8: the protocol has no rule for the characters that replace its bytes.

Java, Go, JavaScript and Rust replace the same bytes by different numbers of U+FFFD, and an adapter's JSON may
hold a surrogate where Kafka's class holds U+FFFD.
"""

import re
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import Value
from wireproof.model import Answer, Mutation, OracleFrame, OracleValue
from wireproof.proof.checks.mutation_operators import operator_of

__all__ = ["same_but_for_replacements"]

_TEXT: Final = "text-"
_REPLACEMENTS: Final = re.compile("[\ud800-\udfff\ufffd]+")


def same_but_for_replacements(
    layout: MessageLayout | None, mutation: Mutation, answer: Answer, reply: OracleValue | OracleFrame
) -> bool:
    """Return whether a codec and Kafka read ill-formed text alike, but for the characters that replace it.

    Every other character counts, and so does a text that begins or ends elsewhere.
    """
    if layout is None or isinstance(reply, OracleFrame) or not operator_of(mutation).startswith(_TEXT):
        return False
    form = canonical(layout)
    try:
        ours, theirs = (form.from_binary(each) for each in (answer.value, reply.value))
    except CodecError:
        return False
    return bool(_replaced(ours) == _replaced(theirs))


def _replaced(value: Value) -> Value:
    """Return the value with one U+FFFD in place of each run of replacements."""
    match value:
        case str():
            return _REPLACEMENTS.sub("\ufffd", value)
        case list():
            return [_replaced(each) for each in value]
        case dict():
            return {name: _replaced(each) for name, each in value.items()}
        case _:
            return value
