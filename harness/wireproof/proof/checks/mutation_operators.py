"""The mutation operators of malformed bytes: what was done to them, in one stable word.

A mutation says in full what was done: ``count=minus-2``. Its operator leaves out the number, and keeps how a
codec has to meet it: ``count-negative``. Two mutations of one operator at one field come to the same code of
a codec; two operators do not, so that a known failure of one hides nothing of the other.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from kafkawire.annotate import annotate
from kafkawire.schema.layout import MessageLayout
from wireproof.model.codec_ends import MutationSite
from wireproof.model.divergence import without_indices
from wireproof.model.malformed_input import Mutation
from wireproof.proof.checks.evidence_text import field_at

_LAST: Final = re.compile(r"-\d+$")
"""A place or a number at the end of a word: ``stream-byte-75``, ``swapped-1``."""

_NUMBERS: Final[Mapping[str, str]] = {
    "null": "null",
    "null-alone": "null",
    "minus-2": "negative",
    "min": "negative",
    "beyond-max": "negative",
    "minus-as-int": "negative",
    "all-bits": "negative",
    "zero": "smaller",
    "one-less": "smaller",
    "one-more": "larger",
    "127": "larger",
    "128": "larger",
    "left": "larger",
    "left-and-1": "larger",
    "max": "huge",
    "padded": "padded",
    "padded-5": "padded",
    "bits-dropped": "overflow",
    "bit-32": "overflow",
    "six-bytes": "too-long",
    "endless": "too-long",
    "unfinished": "unfinished",
}
"""The new value of a length, a count, a tag or a size, as the int32 that Kafka takes it for."""

_MARKERS: Final[Mapping[str, str]] = {
    "null": "null",
    "present": "present",
    "zero": "positive",
    "two": "positive",
    "127": "positive",
    "minus-128": "negative",
    "minus-2": "negative",
    "minus-1": "negative",
    "padded-null": "padded",
    "padded-present": "padded",
    "unfinished": "unfinished",
}

_TEXTS: Final[Mapping[str, str]] = {
    "lone-continuation": "invalid",
    "no-lead": "invalid",
    "in-text": "invalid",
    "overlong-2": "overlong",
    "overlong-3": "overlong",
    "overlong-4": "overlong",
    "cut-2": "cut",
    "cut-3": "cut",
    "cut-4": "cut",
    "surrogate": "surrogate",
    "surrogate-pair": "surrogate",
    "beyond-unicode": "beyond-unicode",
    "five-bytes": "beyond-unicode",
    "too-long": "too-long",
}

_TAGS: Final[Mapping[str, str]] = {
    "swapped": "order",
    "doubled": "doubled",
    "unknown": "unknown",
    "unknown-size-too-large": "size",
    "unknown-size-negative": "size",
    "unknown-size-max": "size",
    "tag-max": "number",
    "tag-negative": "number",
    "tag-all-bits": "number",
    "of-another-version": "of-another-version",
}

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
    """Return whether a varint of zero was written where a compact length or count stood: that is null.

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
        layout: of the message; None for record sets.
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
    """The site of a cut, by how many bytes are left: the field that is cut short.

    Args:
        layout: None for record sets.
        name: of the case in its cell: ``PHASE/NAME``.
    """
    spans = () if layout is None else annotate(layout, data).spans
    ends = [span.end for span in spans]

    def at(length: int) -> MutationSite:
        index = bisect_right(ends, length)
        path = without_indices(spans[index].path) if index < len(spans) else ""
        field = spans[index].field if index < len(spans) else None
        return MutationSite("truncate", path, path if field is None else str(field.type), name)

    return at
