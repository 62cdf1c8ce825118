"""The kind of a difference: one stable word for how two sides differ, the same in every run.

A ledger names what is known by it, so that what fails otherwise at the same place is new. The words:

- ``differs``: both sides answer, and otherwise;
- ``refused:CLASS``, ``crashed:CLASS``: the codec gives no answer, by the class of its refusal or its error;
- ``accepted``: the codec answers where it has to refuse;
- ``unreadable``: Kafka refuses what the codec wrote;
- ``invalid``: what the codec decoded is not a value of the layout;
- ``null-for-empty``, ``empty-for-null``: the codec's side and Kafka's of a value, or of the bytes of one;
- ``reordered``: an array has the same elements in another order;
- ``default:KIND``: a field that the value leaves out differs in that way: the codec's own default is not the
  schema's. The kind says nothing of values that are given;
- ``hashes-differ``, ``seen-equal``, ``seen-unequal``: objects of the codec that are equal with other hashes;
  that are equal though their values are not; that are not though their values are;
- ``tags-lost``, ``tags-added``: fewer or more tagged fields on the codec's side than on Kafka's;
- ``extra-bytes``, ``missing-bytes``: bytes that only the codec or only Kafka writes, found after a
  difference that is known;
- ``read-past-end``: the codec says that it read more bytes than there are;
- ``stopped-early``: the codec gives a value and leaves bytes that it should have read;
- ``early``: the codec gives a value before it has the last byte of the frame;
- ``faster-than-linear:encode``, ``faster-than-linear:decode``: four times the elements take at least eight
  times the processor time;
- ``laxer:OPERATOR``, ``different:OPERATOR``, ``stopped-early:OPERATOR``, ``hang:OPERATOR``,
  ``death:OPERATOR``, ``blow-up:OPERATOR``: of malformed bytes, by the mutation operator. A death is the end
  of the codec's process. See `operator_of` for the names of operators;
- ``state:VERDICT``: of malformed bytes that a fresh process of the codec answers rightly: its state is at
  fault, and no byte. The verdict is ``laxer``, ``different``, ``stricter`` or ``crash``.
"""

import re
import struct
from collections import Counter
from typing import Final

from kafkawire.annotate import Span
from wireproof.model.adapter import NO_VALUE, READ_PAST_END, STOPPED_EARLY, Crashed, Refused
from wireproof.model.divergence import DIFFERS
from wireproof.model.malformed_input import DecodeOutcome, Mutation
from wireproof.proof.checks.mutation_operators import operator_of

TAGS_ADDED: Final = "tags-added"
TAGS_LOST: Final = "tags-lost"
EXTRA_BYTES: Final = "extra-bytes"
MISSING_BYTES: Final = "missing-bytes"
ACCEPTED: Final = "accepted"
REORDERED: Final = "reordered"
INVALID: Final = "invalid"
UNREADABLE: Final = "unreadable"
HASHES_DIFFER: Final = "hashes-differ"
EARLY: Final = "early"
SEEN_EQUAL: Final = "seen-equal"
SEEN_UNEQUAL: Final = "seen-unequal"

DEATH: Final = "death"
"""The word of a kind: malformed bytes ended the codec's process."""
_PROCESS: Final = "process"
_DEFAULT: Final = "default"
_STATE: Final = "state"
_ODD: Final = re.compile(r"[^A-Za-z0-9_.$]+")
_CLASS_WIDTH: Final = 60
_OF_THEIR_OWN: Final = frozenset({READ_PAST_END, STOPPED_EARLY})
"""Outcomes that are neither a refusal nor a crash of the codec."""


def kind_of(reply: object, otherwise: str = DIFFERS) -> str:
    """The kind of a difference, by the codec's reply.

    Args:
        otherwise: what it is where the codec does answer.
    """
    match reply:
        case Crashed(error=error) if error == NO_VALUE and otherwise == ACCEPTED:
            return ACCEPTED  # it read a value, and none that the message can hold
        case Refused(error=error) | Crashed(error=error) if error in _OF_THEIR_OWN:
            return error
        case Refused(error):
            return with_class("refused", error)
        case Crashed(error):
            return with_class("crashed", error)
        case _:
            return otherwise


def kind_of_values(codec: object, oracle: object) -> str:
    """The kind of a difference of two values at one field."""
    if codec is None and _is_empty(oracle):
        return "null-for-empty"
    if oracle is None and _is_empty(codec):
        return "empty-for-null"
    if isinstance(codec, dict) and isinstance(oracle, dict) and codec.keys() != oracle.keys():
        return TAGS_ADDED if codec.keys() > oracle.keys() else TAGS_LOST
    return REORDERED if is_reordered(codec, oracle) else DIFFERS


def kind_of_default(kind: str) -> str:
    """The kind of a difference at a field that the value leaves out."""
    return f"{_DEFAULT}:{kind}"


def kind_of_spans(codec: Span, oracle: Span) -> str:
    """Return the kind of a difference of bytes, by the spans at one place on both sides."""
    if (codec.path, codec.role) != (oracle.path, oracle.role):
        return DIFFERS
    if codec.role == "tag count" and isinstance(codec.value, int) and isinstance(oracle.value, int):
        return TAGS_ADDED if codec.value > oracle.value else TAGS_LOST
    if codec.role not in ("value", "count"):
        return DIFFERS
    counts = codec.role == "count"
    return kind_of_values(*((() if counts and side.value == 0 else side.value) for side in (codec, oracle)))


def kind_of_mutation(verdict: str, mutation: Mutation, outcome: DecodeOutcome, error: str) -> str:
    """The kind of a failure on malformed bytes."""
    if error == READ_PAST_END:
        return READ_PAST_END
    if outcome is DecodeOutcome.CRASHED and error == _PROCESS:
        return f"{DEATH}:{operator_of(mutation)}"
    if outcome in (DecodeOutcome.REFUSED, DecodeOutcome.CRASHED):
        return with_class(str(outcome), error)
    word = STOPPED_EARLY if outcome is DecodeOutcome.STOPPED else verdict
    return f"{word}:{operator_of(mutation)}"


def kind_of_state(verdict: str) -> str:
    """The kind of a failure on malformed bytes that a fresh process answers rightly."""
    return f"{_STATE}:{verdict}"


def is_of_state(kind: str) -> bool:
    """Return whether a kind says that the state of the codec is at fault."""
    return kind.partition(":")[0] == _STATE


def with_class(word: str, error: str) -> str:
    """``refused:TRUNCATED``: the class in letters that need no quotes; the word alone where there is none."""
    plain = _ODD.sub("-", error).strip("-")[:_CLASS_WIDTH]
    return f"{word}:{plain}" if plain else word


def _is_empty(value: object) -> bool:
    return isinstance(value, (str, bytes, list, tuple, dict)) and not value


def is_reordered(left: object, right: object) -> bool:
    """Return whether both are arrays of the same elements in another order; so may be the arrays inside."""
    if not (isinstance(left, list) and isinstance(right, list)):
        return False
    if left == right or len(left) != len(right):
        return False
    ours, theirs = ([_without_order(each) for each in side] for side in (left, right))
    return ours != theirs and Counter(ours) == Counter(theirs)


def _without_order(value: object) -> str:
    """A text that is the same for two values that differ in the order of elements alone."""
    if isinstance(value, list):
        return f"[{','.join(sorted(map(_without_order, value)))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{key!r}:{_without_order(each)}' for key, each in value.items())}}}"
    return struct.pack(">d", value).hex() if isinstance(value, float) else repr(value)
