"""The structural shrinker: it turns a failing value into a small value with the same fault.

It needs a layout and a value from any source: a seeded source, a captured frame, another codec. Hypothesis
shrinks only values that it drew itself.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ScalarType
from kafkawire.values import TAGS, StructValue
from wireproof.proof.strategies.shrinking.scalar_shrinking import (
    Accept,
    least_accepted,
    remove_chunks,
    smaller_scalar,
)
from wireproof.proof.strategies.values.whole_instances import plain_element, required, taken_tags

_Path: TypeAlias = tuple[str, ...]
"""Names of fields from the root; a path through an array means all elements of it."""


class _SpentError(Exception):
    """The time budget is used up."""


def shrink(
    layout: MessageLayout,
    value: StructValue,
    still_fails: Callable[[StructValue], bool],
    *,
    budget_s: float,
    clock: Callable[[], float] = time.monotonic,
) -> StructValue:
    """The smallest value found that still fails; `value` itself if there is none.

    Fields get their defaults, nullable ones become null, arrays, text, bytes and unknown tags get shorter,
    and numbers get nearer to zero, until no step makes the value smaller. Every tried value is valid, and
    plainer than the one before. The result is deterministic, except for the budget.

    Args:
        value: a valid value that fails; it is not changed.
        still_fails: returns whether a value has the fault, too. It must not change the value.
        budget_s: seconds after which no further value is tried.
    """
    keep_apart = not _has_equal_keys(layout.root, value)
    attempts = _Attempts(value, still_fails, clock() + budget_s, clock, layout.root if keep_apart else None)
    try:
        before: StructValue | None = None
        while attempts.best is not before:
            before = attempts.best
            _one_pass(layout.root, attempts)
    except _SpentError:
        pass
    return attempts.best


@dataclass(slots=True)
class _Attempts:
    """Tries whole values, and keeps the latest that failed.

    Attributes:
        keyed: the struct in which no equal keys are tried, since the value had none; None if it had some.
            Kafka's keyed collections take quadratic time with equal keys.
    """

    best: StructValue
    still_fails: Callable[[StructValue], bool]
    deadline: float
    clock: Callable[[], float]
    keyed: StructLayout | None = None

    def __call__(self, value: StructValue) -> bool:
        if self.clock() >= self.deadline:
            raise _SpentError
        if self.keyed is not None and _has_equal_keys(self.keyed, value):
            return False
        if not self.still_fails(value):
            return False
        self.best = value
        return True


def _has_equal_keys(struct: StructLayout, value: StructValue) -> bool:
    """Return True if any keyed array holds two elements with the same key."""
    for field in struct.all_fields:
        held = value.get(field.name)
        if field.struct is None or held is None:
            continue
        elements = held if field.is_array else [held]
        keys = [inner for inner in field.struct.all_fields if inner.map_key]
        if keys:
            shown = [repr([each.get(key.name, key.default) for key in keys]) for each in elements]
            if len(set(shown)) < len(shown):
                return True
        if any(_has_equal_keys(field.struct, each) for each in elements):
            return True
    return False


def _one_pass(root: StructLayout, attempts: _Attempts) -> None:
    paths = list(_paths(root))
    for path in paths:
        _drop_everywhere(root, path, attempts)
    _smaller_struct(root, attempts.best, attempts)
    for path in paths:
        _change_together(root, path, attempts)


def _paths(struct: StructLayout, prefix: _Path = ()) -> Iterator[_Path]:
    """The path of each field, an outer one before those inside it, and of each struct's unknown tags."""
    for field in struct.all_fields:
        path = (*prefix, field.name)
        yield path
        if field.struct is not None:
            yield from _paths(field.struct, path)
    if struct.flexible:
        yield (*prefix, TAGS)


def _drop_everywhere(root: StructLayout, path: _Path, attempts: _Attempts) -> None:
    """Reset a field to its default in all elements at once: the fault may need equal elements."""
    dropped = False

    def drop(struct: StructLayout, value: StructValue) -> StructValue:
        nonlocal dropped
        name = path[-1]
        if name not in value or name in required(struct):
            return value
        dropped = True
        return {key: item for key, item in value.items() if key != name}

    changed = _at_path(root, attempts.best, path, drop)
    if dropped:
        attempts(changed)


def _change_together(root: StructLayout, path: _Path, attempts: _Attempts) -> None:
    """Make a field that has the same value in several elements smaller in all of them at once."""
    field = _field_at(root, path)
    if field is None or len(path) == 1:
        return
    for sample in _repeated(root, path, attempts.best):
        base, old = attempts.best, repr(sample)

        def accept(new: Any, base: StructValue = base, old: str = old) -> bool:
            def replace(_: StructLayout, value: StructValue) -> StructValue:
                name = path[-1]
                same = name in value and repr(value[name]) == old
                return {**value, name: new} if same else value

            return attempts(_at_path(root, base, path, replace))

        _smaller_field(field, sample, accept)


def _repeated(root: StructLayout, path: _Path, value: StructValue) -> list[Any]:
    """The values that occur more than once at a path."""
    found: dict[str, Any] = {}
    repeated: dict[str, Any] = {}

    def look(_: StructLayout, value: StructValue) -> StructValue:
        if path[-1] in value:
            item = value[path[-1]]
            (repeated if repr(item) in found else found)[repr(item)] = item
        return value

    _at_path(root, value, path, look)
    return list(repeated.values())


def _at_path(
    struct: StructLayout,
    value: StructValue,
    path: _Path,
    change: Callable[[StructLayout, StructValue], StructValue],
) -> StructValue:
    """The value with `change` made to each struct that may hold the last field of the path."""
    if len(path) == 1:
        return change(struct, value)
    name, rest = path[0], path[1:]
    inner, field = value.get(name), _field_of(struct, name)
    if inner is None or field is None or field.struct is None:
        return value
    if not field.is_array:
        return {**value, name: _at_path(field.struct, inner, rest, change)}
    return {**value, name: [_at_path(field.struct, each, rest, change) for each in inner]}


def _field_at(root: StructLayout, path: _Path) -> FieldLayout | None:
    """The field that a path leads to; None for unknown tags."""
    struct: StructLayout | None = root
    field = None
    for name in path:
        field = None if struct is None else _field_of(struct, name)
        struct = None if field is None else field.struct
    return field


def _field_of(struct: StructLayout, name: str) -> FieldLayout | None:
    return next((field for field in struct.all_fields if field.name == name), None)


def _smaller_field(field: FieldLayout, value: Any, accept: Accept) -> None:
    """Make a field's value null if possible, else as small as possible; the default is tried elsewhere."""
    if value is None or (field.nullable and accept(None)):
        return
    if field.is_array:
        _smaller_array(field, value, accept)
    else:
        _smaller_item(field, value, accept)


def _smaller_item(field: FieldLayout, value: Any, accept: Accept) -> None:
    if field.struct is not None:
        _smaller_struct(field.struct, value, accept)
    elif field.range_type is not None:
        smaller_scalar(field.range_type, value, accept)


def _smaller_array(field: FieldLayout, value: list[Any], accept: Accept) -> None:
    """Make an array empty, or give it few minimal elements, or remove elements and shrink the others."""
    if not value or accept([]):
        return
    least = plain_element(field)
    if all(_same(each, least) for each in value) or accept([least] * len(value)):
        least_accepted(0, len(value), lambda count: accept([least] * count))
        return
    value = remove_chunks(value, accept)
    for index in range(len(value)):

        def accept_one(element: Any, index: int = index) -> bool:
            nonlocal value
            changed = [*value[:index], element, *value[index + 1 :]]
            if accept(changed):
                value = changed
                return True
            return False

        _smaller_item(field, value[index], accept_one)


def _smaller_struct(struct: StructLayout, value: StructValue, accept: Accept) -> None:
    """Accept the struct without the fields that the fault does not need, and with the others made smaller."""
    least = required(struct)
    if _same(value, least) or accept(least):
        return
    value = _fewer_fields(value, least, accept)
    for name in list(value):

        def accept_one(changed: Any, name: str = name) -> bool:
            nonlocal value
            candidate = {**value, name: changed}
            if accept(candidate):
                value = candidate
                return True
            return False

        field = _field_of(struct, name)
        if field is not None:
            _smaller_field(field, value[name], accept_one)
        elif name == TAGS:
            _smaller_tags(struct, value[TAGS], accept_one)


def _fewer_fields(value: StructValue, least: StructValue, accept: Accept) -> StructValue:
    """Reset fields to their defaults, many at once and then one by one."""

    def keeping(names: tuple[str, ...]) -> StructValue:
        kept = {name: item for name, item in value.items() if name in names or name in least}
        return {**kept, **{name: item for name, item in least.items() if name not in names}}

    free = tuple(name for name in value if name not in least or not _same(value[name], least[name]))
    return keeping(remove_chunks(free, lambda names: accept(keeping(names))))


def _smaller_tags(struct: StructLayout, tags: dict[int, bytes], accept: Accept) -> None:
    """Remove unknown tags, shorten their data, and lower their numbers."""

    def take(changed: dict[int, bytes]) -> bool:
        nonlocal tags
        if not accept(changed):
            return False
        tags = changed
        return True

    remove_chunks(tuple(tags), lambda kept: bool(kept) and take({number: tags[number] for number in kept}))
    for number in list(tags):

        def take_data(data: bytes, number: int = number) -> bool:
            return take({**tags, number: data})

        smaller_scalar(ScalarType.BYTES, tags[number], take_data)
        _lower_number(number, tags, taken_tags(struct), take)


def _lower_number(
    number: int, tags: dict[int, bytes], reserved: set[int], take: Callable[[dict[int, bytes]], bool]
) -> None:
    """Move one unknown tag to a lower free number."""
    held = {*tags, *reserved}

    def renumbered(lower: int) -> bool:
        renamed = {lower if key == number else key: data for key, data in sorted(tags.items())}
        return lower not in held and take(renamed)

    lowest = next(free for free in range(len(held) + 1) if free not in held)
    if lowest < number and not renumbered(lowest):
        least_accepted(lowest, number, renumbered)


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal bit by bit: -0.0 differs from 0.0, a NaN equals itself."""
    return repr(one) == repr(other)
