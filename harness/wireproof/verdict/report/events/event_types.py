"""The types of an event's fields, checked: an event file may come from anywhere.

The annotations of the events' classes are the rules. Numbers are those that every report can print: integers
of 64 bits, and floats that are finite.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Final, TypeAlias, Union, get_args, get_origin, get_type_hints

__all__ = ["check_types"]

_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 63) - 1

_Test: TypeAlias = Callable[[Any], bool]


def check_types(event: object) -> None:
    """Check the fields of an event, those of the objects in it too.

    Raises:
        ValueError: a field has a value of another type.
    """
    kind: Any = type(event)
    for name, test in _tests_of(kind).items():
        value = getattr(event, name)
        if not test(value):
            raise ValueError(f"{name} cannot be {_shown(value)}")


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        text = f"a number of {type(value).__name__} beyond 64 bits"
    return text if len(text) <= 100 else f"{text[:100]}..."


@cache
def _tests_of(kind: Any) -> Mapping[str, _Test]:
    """Return the test of each field of a dataclass or a named tuple."""
    names = [each.name for each in fields(kind)] if is_dataclass(kind) else kind._fields
    hints = get_type_hints(kind)
    return {name: _test(hints[name]) for name in names}


@cache
def _test(hint: Any) -> _Test:
    """Return the test of a value by its annotation."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _any_of([_test(each) for each in inner])
    if origin is tuple and inner[-1:] != (Ellipsis,):
        return _fixed([_test(each) for each in inner])
    if origin in (tuple, Sequence, AbstractSet, frozenset, list):
        return _every(origin, _test(inner[0]))
    if origin in (Mapping, dict):
        return _every_item(_test(inner[0]), _test(inner[1]))
    if hint in _SCALARS:
        return _SCALARS[hint]
    if hint in (Any, object):
        return lambda value: True
    if is_dataclass(hint) or hasattr(hint, "_fields"):
        return _members(hint)
    return lambda value: isinstance(value, hint)


def _any_of(tests: Sequence[_Test]) -> _Test:
    return lambda value: any(test(value) for test in tests)


def _fixed(tests: Sequence[_Test]) -> _Test:
    return lambda value: (
        isinstance(value, tuple)
        and len(value) == len(tests)
        and all(test(each) for test, each in zip(tests, value, strict=True))
    )


def _every(kind: Any, test: _Test) -> _Test:
    return lambda value: (
        isinstance(value, kind) and not isinstance(value, str) and all(test(each) for each in value)
    )


def _every_item(key: _Test, member: _Test) -> _Test:
    return lambda value: (
        isinstance(value, Mapping) and all(key(name) and member(each) for name, each in value.items())
    )


def _members(kind: Any) -> _Test:
    def test(value: Any) -> bool:
        tests = _tests_of(kind)  # later: a class may have fields of its own kind
        return isinstance(value, kind) and all(each(getattr(value, name)) for name, each in tests.items())

    return test


_SCALARS: Final[Mapping[Any, _Test]] = {
    str: lambda value: isinstance(value, str),
    bool: lambda value: isinstance(value, bool),
    int: lambda value: type(value) is int and _LEAST <= value <= _MOST,
    float: lambda value: type(value) in (int, float) and abs(value) <= _MOST and math.isfinite(value),
    type(None): lambda value: value is None,
}
