"""Attribution of failures to unknown tagged fields: the case is asked again without them.

A codec that stumbles over them seldom says so: it crashes and names no field, or reads on at the wrong byte
and shows a later field. That would be a cause for each message, and it is one for all.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from kafkawire.values import TAGS
from wireproof.model.cell import DIFFERS, TAGS_TYPE, Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.difference_kinds import INVALID, UNREADABLE

NO_CODEC: Final = frozenset({"layout", "oracle"})
"""Subjects of divergences that are no codec's."""

T = TypeVar("T")


def attribute_to_tags(
    found: Sequence[tuple[Divergence, ...]],
    without: Callable[[int], T | None],
    judge: Callable[[Sequence[T]], Sequence[tuple[Divergence, ...]]],
    key: Callable[[T], bytes],
) -> list[tuple[Divergence, ...]]:
    """The divergences of each case; those that vanish without unknown tagged fields are placed at `_tags`.

    Only cases that failed are asked again, alike ones once.

    Args:
        without: the case at an index without unknown tagged fields; None where it has none of them.
        judge: the divergences of such cases.
        key: what cases share that are the same without them.
    """
    again: dict[bytes, T] = {}
    keys: dict[int, bytes] = {}
    for index, divergences in enumerate(found):
        if any(map(_may_be_theirs, divergences)) and (item := without(index)) is not None:
            keys[index] = key(item)
            again.setdefault(keys[index], item)
    judged = dict(zip(again, judge(list(again.values())), strict=True)) if again else {}
    return [
        tuple(_marked(each, judged[keys[index]]) for each in divergences) if index in keys else divergences
        for index, divergences in enumerate(found)
    ]


def without_tags(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """The value without unknown tagged fields, at any depth; None where it has none."""
    plain: dict[str, Any] = _plain(value)
    return None if plain == value else plain


def _plain(value: Any) -> Any:
    match value:
        case Mapping():
            return {name: _plain(item) for name, item in value.items() if name != TAGS}
        case list():
            return [_plain(item) for item in value]
        case _:
            return value


def _may_be_theirs(divergence: Divergence) -> bool:
    known = divergence.erratum or divergence.unsupported or divergence.subject in NO_CODEC
    return not known and divergence.field_type != TAGS_TYPE


def question_of(divergence: Divergence) -> str:
    """The check that asks what failed: where the codec's bytes are Kafka's, to read them is to read both."""
    return Check.DECODE if divergence.check == Check.ROUND_TRIP else divergence.check


def _is_no_answer(divergence: Divergence) -> bool:
    return divergence.unanswered or divergence.kind == INVALID


def _marked(divergence: Divergence, without: Sequence[Divergence]) -> Divergence:
    """The divergence at `_tags`, unless the same check fails without unknown tagged fields, too.

    A codec that gives an answer then, though a wrong one, has two causes: they are why it gave none. What
    comes after another difference stays where the very same is there without them.
    """
    stays = (
        any(each.cause == divergence.cause for each in without)
        if divergence.rank
        else any(
            (question_of(each), each.subject) == (question_of(divergence), divergence.subject)
            and not each.unsupported
            and (_is_no_answer(each) or not _is_no_answer(divergence))
            for each in without
        )
    )
    if stays or not _may_be_theirs(divergence):
        return divergence
    named = ":" in divergence.kind or divergence.kind in (INVALID, UNREADABLE)
    return replace(
        divergence,
        path=TAGS,
        field="",
        codec=f"{divergence.codec}; not without unknown tagged fields",
        kind=divergence.kind if named else DIFFERS,
    )
