"""The kind of a difference, one stable word for how two sides differ, and operators of wrong bytes.

A ledger names known deviations by it, so that another kind of failure at the same place is new. The words:

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
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from kafkawire.annotate import Span, annotate
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import NO_VALUE, READ_PAST_END, STOPPED_EARLY, Crashed, Refused
from wireproof.model.codec_ends import MutationSite
from wireproof.model.divergence import DIFFERS, without_indices
from wireproof.model.malformed_input import DecodeOutcome, Mutation
from wireproof.proof.checks.evidence_text import field_at

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
        otherwise: the kind if the codec does answer.
    """
    match reply:
        case Crashed(error=error) if error == NO_VALUE and otherwise == ACCEPTED:
            return ACCEPTED  # it read a value that the message cannot hold
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
    """``refused:TRUNCATED``: the class in letters that need no quotes; the word alone if it has no class."""
    plain = _ODD.sub("-", error).strip("-")[:_CLASS_WIDTH]
    return f"{word}:{plain}" if plain else word


def _is_empty(value: object) -> bool:
    return isinstance(value, (str, bytes, list, tuple, dict)) and not value


def is_reordered(left: object, right: object) -> bool:
    """Return whether both are arrays of the same elements in another order, or so are their inner arrays."""
    if not (isinstance(left, list) and isinstance(right, list)):
        return False
    if left == right or len(left) != len(right):
        return False
    ours, theirs = ([_without_order(each) for each in side] for side in (left, right))
    return ours != theirs and Counter(ours) == Counter(theirs)


def _without_order(value: object) -> str:
    """Return a text that is the same for two values that differ only in the order of elements."""
    if isinstance(value, list):
        return f"[{','.join(sorted(map(_without_order, value)))}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{key!r}:{_without_order(each)}' for key, each in value.items())}}}"
    return struct.pack(">d", value).hex() if isinstance(value, float) else repr(value)


_LAST: Final = re.compile(r"-\d+$")
"""A place or a number at the end of a word: ``stream-byte-75``, ``swapped-1``."""


def _by_label(kinds: Mapping[str, str]) -> Mapping[str, str]:
    """Return the kind of each label, from the labels of each kind."""
    return {label: kind for kind, labels in kinds.items() for label in labels.split()}


_NUMBERS: Final = _by_label(
    {
        "null": "null null-alone",
        "negative": "minus-2 min beyond-max minus-as-int all-bits",
        "smaller": "zero one-less",
        "larger": "one-more 127 128 left left-and-1",
        "huge": "max",
        "padded": "padded padded-5",
        "overflow": "bits-dropped bit-32",
        "too-long": "six-bytes endless",
        "unfinished": "unfinished",
    }
)
"""The new value of a length, a count, a tag or a size, as the int32 that Kafka reads."""

_MARKERS: Final = _by_label(
    {
        "null": "null",
        "present": "present",
        "positive": "zero two 127",
        "negative": "minus-128 minus-2 minus-1",
        "padded": "padded-null padded-present",
        "unfinished": "unfinished",
    }
)

_TEXTS: Final = _by_label(
    {
        "invalid": "lone-continuation no-lead in-text",
        "overlong": "overlong-2 overlong-3 overlong-4",
        "cut": "cut-2 cut-3 cut-4",
        "surrogate": "surrogate surrogate-pair",
        "beyond-unicode": "beyond-unicode five-bytes",
        "too-long": "too-long",
    }
)

_TAGS: Final = _by_label(
    {
        "order": "swapped",
        "doubled": "doubled",
        "unknown": "unknown",
        "size": "unknown-size-too-large unknown-size-negative unknown-size-max",
        "number": "tag-max tag-negative tag-all-bits",
        "of-another-version": "of-another-version",
    }
)

_KINDS: Final[Mapping[str, Mapping[str, str]]] = {
    **dict.fromkeys(("length", "count", "tag-count", "tag", "tag-size", "frame-size", "identity"), _NUMBERS),
    "marker": _MARKERS,
    "text": _TEXTS,
    "tags": _TAGS,
}
_HEADER: Final = "header-"
_INT32_MAX: Final = 2**31 - 1


def operator_of(mutation: Mutation) -> str:
    """The operator of a mutation: ``count-negative``, ``header-tags-order``, ``truncate``."""
    whole, embedded, _ = mutation.operator.partition(",")[0].partition("-at-")
    name, _, label = whole.partition("=")
    prefix, inner = (_HEADER, name.removeprefix(_HEADER)) if name.startswith(_HEADER) else ("", name)
    kinds = _KINDS.get(inner)
    if kinds is None or not label:
        return _LAST.sub("", name)
    if inner in ("length", "count") and _compact_null(mutation, label, moved=bool(embedded)):
        return f"{prefix}{inner}-null"
    kind = kinds.get(label) or kinds.get(_stem(label)) or _of_number(label)
    return f"{prefix}{inner}-{kind}" if kind else f"{prefix}{inner}"


def _compact_null(mutation: Mutation, label: str, *, moved: bool) -> bool:
    """Return whether a varint of zero replaced a compact length or count: zero means null there.

    Args:
        moved: whether the change begins before the number, since sizes around it are corrected, too; only a
            varint changes its width.
    """
    return label == "zero" and (moved or len(mutation.after) == 1)


def _stem(label: str) -> str:
    """``of-another-version-3-first`` is ``of-another-version``."""
    return _LAST.sub("", label.removesuffix("-first").removesuffix("-last"))


def _of_number(label: str) -> str:
    """Return the kind of a length or count of a record set; its mutations name the number itself."""
    try:
        number = int(label)
    except ValueError:
        return ""
    if number == -1:
        return "null"
    if number < 0:
        return "negative"
    return "huge" if number == _INT32_MAX else "wrong"


def sites_of(layout: MessageLayout | None, named: Iterable[tuple[Mutation, str]]) -> list[MutationSite]:
    """Return the operator and the site of each mutation.

    Args:
        layout: the layout of the message; None for record sets.
        named: mutations with the names of their cases in the cell: ``PHASE/NAME``.
    """
    kinds: dict[str, str] = {}
    sites = []
    for mutation, name in named:
        path = without_indices(mutation.path)
        if path not in kinds:
            words = "" if layout is None else field_at(layout, mutation.path)
            kinds[path] = words.partition(",")[0] or path
        sites.append(MutationSite(operator_of(mutation), path, kinds[path], name))
    return sites


def cut_sites(layout: MessageLayout | None, data: bytes, name: str) -> Callable[[int], MutationSite]:
    """Return a function from the number of bytes left to the site of the cut: the field that is cut short.

    Args:
        layout: the layout of the message; None for record sets.
        name: the name of the case in its cell: ``PHASE/NAME``.
    """
    spans = () if layout is None else annotate(layout, data).spans
    ends = [span.end for span in spans]

    def at(length: int) -> MutationSite:
        index = bisect_right(ends, length)
        path = without_indices(spans[index].path) if index < len(spans) else ""
        field = spans[index].field if index < len(spans) else None
        return MutationSite("truncate", path, path if field is None else str(field.type), name)

    return at
