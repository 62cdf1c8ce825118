"""Isolation of the field of a record set that makes a codec fail without an answer and without a path.

The codec is asked again with one field after the other made plain, in every record or batch. The first field
with which the codec answers is at fault. Fields of records are tried before those of batches.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from kafkawire.schema.layout import EMPTY, FieldLayout, MessageLayout, StructLayout
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.evidence_text import field_at
from wireproof.proof.run.attribution.field_isolation import lacks_place
from wireproof.proof.run.attribution.unknown_tags import question_of

_FIXED: Final = frozenset({"magic", "tail"})
"""Fields that decide about the form of all others."""

JudgeSets: TypeAlias = Callable[[str, Sequence[dict[str, Any]]], Sequence[tuple[Divergence, ...] | None]]
"""The divergences of other sets, for the codec of this name; None of one that it may not be asked for."""


def isolate_record_fields(
    layout: MessageLayout, found: Sequence[Divergence], value: Mapping[str, Any], judge: JudgeSets
) -> tuple[Divergence, ...]:
    """The divergences of a record set; where the codec gives no answer and names no field, that at fault."""
    return tuple(_placed(layout, each, value, judge) if lacks_place(each) else each for each in found)


def _placed(
    layout: MessageLayout, divergence: Divergence, value: Mapping[str, Any], judge: JudgeSets
) -> Divergence:
    plainer = list(_plainer(layout.root, value))
    same, *others = judge(divergence.subject, [dict(value), *(each for _, each in plainer)])
    if not _fails(same, divergence):
        return divergence  # it takes other bytes than those of this value to show it
    for (path, _), judged in zip(plainer, others, strict=True):
        if judged is not None and not _fails(judged, divergence):
            codec = f"{divergence.codec}; not where this field is plain"
            return replace(divergence, path=path, field=field_at(layout, path), codec=codec)
    return divergence


def _fails(judged: Sequence[Divergence] | None, like: Divergence) -> bool:
    """True if the same question gets no answer, or one without information."""
    return any(
        (each.subject, question_of(each)) == (like.subject, question_of(like))
        and (each.unanswered or each.unsupported)
        for each in judged or ()
    )


def _plainer(struct: StructLayout, value: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each field's first path, with the value in which the field is plain everywhere."""
    for field in struct.all_fields:
        if field.name in _FIXED or field.name not in value:
            continue
        if field.struct is not None:
            yield from _in_elements(field, field.struct, value)
        plain = _plain(field, value[field.name])
        if plain != value[field.name]:
            yield field.name, {**value, field.name: plain}


def _in_elements(
    field: FieldLayout, struct: StructLayout, value: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields of all elements of an array."""
    elements = value[field.name]
    seen: dict[str, str] = {}
    changes: list[dict[str, dict[str, Any]]] = []
    for index, element in enumerate(elements):
        changes.append({})
        for path, changed in _plainer(struct, element):
            changes[-1][_name(path)] = changed
            seen.setdefault(_name(path), f"{field.name}[{index}].{path}")
    for name, path in sorted(seen.items(), key=lambda each: -each[0].count(".")):
        pairs = zip(changes, elements, strict=True)
        yield path, {**value, field.name: [changed.get(name, element) for changed, element in pairs]}


def _name(path: str) -> str:
    """The fields on the way, without indices."""
    return ".".join(part.partition("[")[0] for part in path.split("."))


def _plain(field: FieldLayout, value: Any) -> Any:
    """The plainest value of a field: its default, or a text of one letter where the default is null."""
    if field.is_array:
        return []
    if field.nullable and field.default is None:
        return value if value is not None and len(value) == 1 else b"x"
    return value if field.default is EMPTY else field.default
