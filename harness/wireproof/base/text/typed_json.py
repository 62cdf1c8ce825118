"""Dataclasses as objects of JSON and back, by the annotations of their fields.

The input may come from anywhere, so a value that has not the type of its field is refused. Numbers are
limited to those that every report can print: integers of 64 bits, and finite floats.
"""

import math
import re
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

_T = TypeVar("_T")

_LEAST: Final = -(1 << 63)
_MOST: Final = (1 << 63) - 1
_DIGITS: Final = 4
"""Digits of a float after the point."""


class JsonForm(NamedTuple):
    """Both directions of a type.

    Attributes:
        write: returns the JSON of a value.
        read: returns the value of JSON. JSON of another type raises ValueError, TypeError or AttributeError.
    """

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class ClassRule:
    """The differences of a class from the default rule: a member for each field, its name in camelCase.

    Attributes:
        keys: names of members that are not the field's name in camelCase, by field.
        brief: fields that have no member if they are at their default.
        unwritten: fields that have no member.
        forms: special forms of fields.
        check: a function that gets each object that was read; raises ValueError if the object is not valid.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    brief: Collection[str] = ()
    unwritten: Collection[str] = ()
    forms: Mapping[str, JsonForm] = field(default_factory=dict)
    check: Callable[[Any], object] | None = None


class TypedJson:
    """The JSON of some classes.

    Args:
        rules: the differences of classes from the default rule.
        inline: classes whose members are written directly into the object that has them as a field.
        forms: special forms of types.
    """

    def __init__(
        self,
        rules: Mapping[type, ClassRule],
        inline: Collection[type] = (),
        forms: Mapping[type, JsonForm] = {},
    ) -> None:
        self._rules = rules
        self._inline = frozenset(inline)
        self._forms: dict[Any, JsonForm] = {**_SCALARS, **forms}

    def write(self, value: object) -> Any:
        """Return the JSON of an object."""
        return self._form(type(value)).write(value)

    def read(self, kind: type[_T], parsed: Any) -> _T:
        """Return the object of a class in JSON.

        Raises:
            ValueError, TypeError, AttributeError: the JSON has another shape.
        """
        found: _T = self._form(kind).read(parsed)
        return found

    def _form(self, hint: Any) -> JsonForm:
        if hint not in self._forms:
            self._forms[hint] = self._made(hint)
        return self._forms[hint]

    def _made(self, hint: Any) -> JsonForm:
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            (some,) = (each for each in inner if each is not NoneType)
            return _optional(self._form(some))
        if origin is tuple and inner[-1] is not Ellipsis:
            return _fixed([self._form(each) for each in inner])
        if origin in (tuple, frozenset):
            return _each(origin, inner[0], self._form(inner[0]))
        if origin is not None:
            return _items(self._form(inner[0]), self._form(inner[1]))
        return _enum(hint) if issubclass(hint, Enum) else self._object(hint)

    def _object(self, kind: Any) -> JsonForm:
        rule, hints = self._rules.get(kind, ClassRule()), get_type_hints(kind)
        members = [
            (
                each,
                rule.keys.get(each.name, camel_case(each.name)),
                rule.forms.get(each.name) or self._form(hint),
            )
            for each in fields(kind)
            if each.name not in rule.unwritten
            for hint in [hints[each.name]]
        ]
        inline = {each.name for each, _, _ in members if hints[each.name] in self._inline}

        def write(value: Any) -> dict[str, Any]:
            written: dict[str, Any] = {}
            for each, key, form in members:
                found = getattr(value, each.name)
                if each.name in inline:
                    written.update(form.write(found))
                elif each.name not in rule.brief or found != each.default:
                    written[key] = form.write(found)
            return written

        def read(parsed: Any) -> Any:
            if not isinstance(parsed, dict):
                raise TypeError(f"{_shown(parsed)} is no object")
            found: dict[str, Any] = {}
            for each, key, form in members:
                if each.name in inline:
                    found[each.name] = form.read(parsed)
                elif key in parsed:
                    found[each.name] = _member(key, form, parsed[key])
                elif _is_required(each):
                    raise ValueError(f"{key} is missing")
            made = kind(**found)
            if rule.check is not None:
                rule.check(made)
            return made

        return JsonForm(write, read)


def camel_case(name: str) -> str:
    """Return a Python name, such as ``api_key``, as a key of JSON."""
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def _is_required(each: "Field[Any]") -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def _member(key: str, form: JsonForm, parsed: Any) -> Any:
    try:
        return form.read(parsed)
    except (AttributeError, TypeError) as error:
        raise ValueError(f"{key} cannot be {_shown(parsed)}") from error


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        text = f"a number of {type(value).__name__} beyond 64 bits"
    return text if len(text) <= 100 else f"{text[:100]}..."


def _same(value: Any) -> Any:
    return value


def _scalar(test: Callable[[Any], bool], write: Callable[[Any], Any] = _same) -> JsonForm:
    def read(parsed: Any) -> Any:
        if not test(parsed):
            raise TypeError(f"a value cannot be {_shown(parsed)}")
        return parsed

    return JsonForm(write, read)


def _optional(form: JsonForm) -> JsonForm:
    return JsonForm(
        lambda value: None if value is None else form.write(value),
        lambda parsed: None if parsed is None else form.read(parsed),
    )


def _listed(parsed: Any) -> list[Any]:
    if not isinstance(parsed, list):
        raise TypeError(f"{_shown(parsed)} is no list")
    return parsed


def _fixed(forms: list[JsonForm]) -> JsonForm:
    return JsonForm(
        lambda value: [form.write(each) for form, each in zip(forms, value, strict=True)],
        lambda parsed: tuple(form.read(each) for form, each in zip(forms, _listed(parsed), strict=True)),
    )


def _each(kind: Callable[[Any], Any], inner: Any, form: JsonForm) -> JsonForm:
    read = sys.intern if inner is str else form.read  # names of the same things repeat in each event
    listed: Callable[[Any], list[Any]] = sorted if kind is frozenset else list
    return JsonForm(
        lambda value: listed(map(form.write, value)), lambda parsed: kind(map(read, _listed(parsed)))
    )


def _items(key: JsonForm, member: JsonForm) -> JsonForm:
    return JsonForm(
        lambda value: {key.write(name): member.write(each) for name, each in value.items()},
        lambda parsed: {key.read(name): member.read(each) for name, each in parsed.items()},
    )


def _enum(kind: type[Enum]) -> JsonForm:
    return JsonForm(lambda value: value.value, kind)


_SCALARS: Final[Mapping[Any, JsonForm]] = {
    str: _scalar(lambda value: isinstance(value, str), str),
    bool: _scalar(lambda value: isinstance(value, bool)),
    int: _scalar(lambda value: type(value) is int and _LEAST <= value <= _MOST),
    float: _scalar(
        lambda value: type(value) in (int, float) and abs(value) <= _MOST and math.isfinite(value),
        lambda value: round(value, _DIGITS),
    ),
}
