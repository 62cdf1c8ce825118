"""Isolation of the field at fault, or of unknown tags, if a codec gives no answer and names no field.

A codec that crashes reports an exception class and no field, so each message with such a field would be a
separate cause. The field at fault is the first one that causes the failure alone, with all other fields at
their defaults. If a value at its defaults fails, too, the codec misreads the struct.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, TypeVar

from kafkawire.schema.layout import EMPTY, FieldLayout, MessageLayout, StructLayout
from kafkawire.values import TAGS
from wireproof.model.divergence import DIFFERS, TAGS_TYPE, Divergence
from wireproof.model.layout_parts import without_unknown_tags
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.difference_kinds import INVALID, UNREADABLE
from wireproof.proof.checks.evidence_text import field_at

_DEADLY: Final = frozenset({"crashed:hang", "crashed:process", "crashed:protocol"})
"""Kinds that end a process each time: a path is not worth another process."""

Judge: TypeAlias = Callable[[Sequence[dict[str, Any]]], Sequence[tuple[Divergence, ...]]]
"""The divergences of values of the cell."""


def isolate_fields(
    layout: MessageLayout,
    found: Sequence[tuple[Divergence, ...]],
    value_of: Callable[[int], Mapping[str, Any] | None],
    judge: Judge,
) -> list[tuple[Divergence, ...]]:
    """The divergences of each case; the field is added if the codec gives no answer and names no field.

    Args:
        value_of: returns the value of the case at an index; None if the case has none.
        judge: asks all codecs for other values; it is not called if every divergence names a field.
    """
    parts = _Parts(layout, judge)
    return [
        tuple(parts.placed(each, value_of(index)) if lacks_place(each) else each for each in divergences)
        for index, divergences in enumerate(found)
    ]


def lacks_place(divergence: Divergence) -> bool:
    """Test if a codec gave no answer and named no field."""
    return (
        not (divergence.path or divergence.excused or divergence.unsupported)
        and divergence.unanswered
        and divergence.kind not in _DEADLY
        and divergence.subject not in NO_CODEC
    )


@dataclass(slots=True)
class _Parts:
    """The parts of the values of one cell; the codecs are asked for each part once."""

    layout: MessageLayout
    judge: Judge
    known: dict[str, tuple[Divergence, ...]] = field(default_factory=dict)

    def placed(self, divergence: Divergence, value: Mapping[str, Any] | None) -> Divergence:
        """The divergence, placed at the field that causes it alone; unchanged if no field does."""
        names = () if value is None else self._at_fault(value, divergence)
        if not names:
            return divergence
        path = ".".join(_steps(self.layout.root, names))
        codec = f"{divergence.codec}; with this field alone, too"
        return replace(divergence, path=path, field=field_at(self.layout, path), codec=codec)

    def _at_fault(self, value: Mapping[str, Any], like: Divergence) -> tuple[str, ...]:
        """The field names on the path to the smallest part that causes the failure; none if a value at its
        defaults fails, too, or if only several fields together cause it."""
        names: tuple[str, ...] = ()
        struct: StructLayout | None = self.layout.root
        while (
            struct is not None
            and not self._does([self._part(value, names, without_versions=True)], like, _unanswered)[0]
        ):
            inner = [(*names, each.name) for each in struct.all_fields]
            parts = [self._part(value, each, without_versions=False) for each in inner]
            # A field that gets no answer in another way is at fault only if no field fails in the same way.
            done = [*self._does(parts, like, _alike), *self._does(parts, like, _unanswered)]
            if True not in done:
                break
            first = done.index(True) % len(parts)
            names, struct = inner[first], struct.all_fields[first].struct
        return names

    def _part(
        self, value: Mapping[str, Any], names: Sequence[str], *, without_versions: bool
    ) -> dict[str, Any]:
        """A value with one field of one struct alone, in each element of the arrays on the path to it, and
        with the fields that no value can lack.

        Args:
            without_versions: if the field is a struct or an array of structs, leave its fields at defaults.
        """
        return _completed(self.layout.root, _kept(value, names, without_versions))

    def _does(
        self,
        values: Sequence[dict[str, Any]],
        like: Divergence,
        same: Callable[[Divergence, Divergence], bool],
    ) -> list[bool]:
        """Return for each value whether it fails as the given divergence does."""
        new = {repr(value): value for value in values if repr(value) not in self.known}
        self.known.update(zip(new, self.judge(list(new.values())), strict=True) if new else ())
        return [any(same(each, like) for each in self.known[repr(value)]) for value in values]


def _unanswered(one: Divergence, other: Divergence) -> bool:
    """True if the same question gets no answer, in any way: a codec that reads at the wrong offset refuses in
    arbitrary ways."""
    same = (one.subject, question_of(one)) == (other.subject, question_of(other))
    return same and one.unanswered and not (one.excused or one.unsupported)


def _alike(one: Divergence, other: Divergence) -> bool:
    """True if the same question is refused in the same way."""
    return _unanswered(one, other) and one.kind == other.kind


def _kept(item: Any, names: Sequence[str], without_versions: bool) -> Any:
    match item:
        case list():
            return [_kept(each, names, without_versions) for each in item]
        case Mapping() if names:
            return {names[0]: _kept(item[names[0]], names[1:], without_versions)} if names[0] in item else {}
        case Mapping():
            return (
                {}
                if without_versions
                else {name: _kept(each, (), without_versions) for name, each in item.items() if name != TAGS}
            )
        case _:
            return item


def _completed(struct: StructLayout, value: Mapping[str, Any]) -> dict[str, Any]:
    """The value with its required fields: ``records`` have null as their default even if null is refused."""
    whole = dict(value)
    for each in struct.all_fields:
        held = whole.get(each.name)
        if each.struct is None and each.default is None and not each.nullable and held is None:
            whole[each.name] = [] if each.is_array else b""
        elif each.struct is not None and isinstance(held, list):
            whole[each.name] = [_completed(each.struct, item) for item in held]
        elif each.struct is not None and (held is not None or _is_always_there(each)):
            inner = _completed(each.struct, held or {})
            whole |= {each.name: inner} if inner else {}
    return whole


def _is_always_there(layout: FieldLayout) -> bool:
    return not (layout.is_array or layout.nullable or layout.tag is not None)


def _steps(struct: StructLayout | None, names: Sequence[str]) -> Iterator[str]:
    for place, name in enumerate(names, 1):
        known = next(each for each in (struct.all_fields if struct else ()) if each.name == name)
        yield f"{name}[]" if known.is_array and place < len(names) else name
        struct = known.struct


_FIXED: Final = frozenset({"magic", "tail"})
"""Fields that decide about the form of all others."""

JudgeSets: TypeAlias = Callable[[str, Sequence[dict[str, Any]]], Sequence[tuple[Divergence, ...] | None]]
"""The divergences of other sets, for the codec of this name; None for a set that it may not be asked for."""


def isolate_record_fields(
    layout: MessageLayout, found: Sequence[Divergence], value: Mapping[str, Any], judge: JudgeSets
) -> tuple[Divergence, ...]:
    """The divergences of a record set; the field is added if the codec gives no answer and names no field."""
    return tuple(_placed(layout, each, value, judge) if lacks_place(each) else each for each in found)


def _placed(
    layout: MessageLayout, divergence: Divergence, value: Mapping[str, Any], judge: JudgeSets
) -> Divergence:
    plainer = list(_plainer(layout.root, value))
    same, *others = judge(divergence.subject, [dict(value), *(each for _, each in plainer)])
    if not _fails(same, divergence):
        return divergence  # the bytes of this value alone do not show the failure
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
    """Yield the first path of each field, with the value in which that field is plain everywhere."""
    for each in struct.all_fields:
        if each.name in _FIXED or each.name not in value:
            continue
        if each.struct is not None:
            yield from _in_elements(each, each.struct, value)
        plain = _plain(each, value[each.name])
        if plain != value[each.name]:
            yield each.name, {**value, each.name: plain}


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
    """The path without indices."""
    return ".".join(part.partition("[")[0] for part in path.split("."))


def _plain(field: FieldLayout, value: Any) -> Any:
    """The plainest value of a field: its default, or a text of one letter if the default is null."""
    if field.is_array:
        return []
    if field.nullable and field.default is None:
        return value if value is not None and len(value) == 1 else b"x"
    return value if field.default is EMPTY else field.default


NO_CODEC: Final = frozenset({"layout", "oracle"})
"""Subjects of divergences that are not codecs."""

T = TypeVar("T")


def attribute_to_tags(
    found: Sequence[tuple[Divergence, ...]],
    without: Callable[[int], T | None],
    judge: Callable[[Sequence[T]], Sequence[tuple[Divergence, ...]]],
    key: Callable[[T], bytes],
) -> list[tuple[Divergence, ...]]:
    """The divergences of each case; those that vanish without unknown tagged fields are placed at `_tags`.

    Only failed cases are asked again. Cases with the same key are asked once.

    Args:
        without: returns the case at an index without unknown tagged fields; None if it has none of them.
        judge: returns the divergences of such cases.
        key: returns bytes that are the same for cases that are equal without unknown tagged fields.
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
    """The value without unknown tagged fields, at any depth; None if it has none."""
    plain: dict[str, Any] = without_unknown_tags(value)
    return None if plain == value else plain


def _may_be_theirs(divergence: Divergence) -> bool:
    known = divergence.erratum or divergence.unsupported or divergence.subject in NO_CODEC
    return not known and divergence.field_type != TAGS_TYPE


def question_of(divergence: Divergence) -> str:
    """The check that failed; a round trip counts as a decode: the codec's bytes are often Kafka's bytes."""
    return Check.DECODE if divergence.check == Check.ROUND_TRIP else divergence.check


def _is_no_answer(divergence: Divergence) -> bool:
    return divergence.unanswered or divergence.kind == INVALID


def _marked(divergence: Divergence, without: Sequence[Divergence]) -> Divergence:
    """The divergence at `_tags`, unless the same check fails without unknown tagged fields, too.

    If the codec then gives an answer, though a wrong one, there are two causes: the fields are why it gave
    none. A divergence after another one stays if the same cause occurs without the fields.
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
