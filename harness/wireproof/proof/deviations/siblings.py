"""Fields that depend on other fields of their struct: a codec may drop a name if there is an id."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations
from typing import Any, Final

from kafkawire.compiler.defaults import default_value
from kafkawire.schema.layout import FieldLayout, StructLayout
from wireproof.proof.deviations.catalogue.trigger import AND, SIBLING, condition_parts
from wireproof.proof.deviations.field_values import constant_text, same
from wireproof.proof.deviations.rules import Rules, struct_names
from wireproof.proof.deviations.value_changes import VALUE_CHANGES

_LONGEST: Final = 60
"""Most characters of a value in a condition."""


def dependent_fields(
    rules: Rules, layout: StructLayout, value: dict[str, Any], prefix: str
) -> dict[str, Any]:
    """Return the value of a struct, with the codec's values of fields that depend on others."""
    if not rules.concern(SIBLING):
        return value
    struct = struct_names(layout, prefix)
    places = struct.fields + struct.tagged
    if rules.met is not None:
        rules.met.update({(SIBLING, kind, path): None for _, kind, path in places})
    changed = value
    for deviation in rules.of(SIBLING):
        change = VALUE_CHANGES[deviation.action]
        for field, kind, path in places if _holds(deviation.value, layout, value) else ():
            if not (deviation.is_at(kind, path) and field.name in value and change.fits(field)):
                continue
            with suppress(ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
                other = change.change(value[field.name], field)
                if not same(other, value[field.name]):
                    changed = {**changed, field.name: other}
                    rules.note(deviation, kind, path)
    return changed


def conditions_of(layout: StructLayout, value: dict[str, Any], field: FieldLayout) -> Iterator[str]:
    """Yield conditions that a struct meets; those about the field that depends on them come last."""
    simple = []
    for each in sorted(layout.all_fields, key=lambda each: each == field):
        text = "" if each.struct else constant_text(value.get(each.name, default_value(each)))
        if text and AND not in text and len(text) <= _LONGEST:
            default = constant_text(default_value(each))
            if text != default:
                yield f"{each.name} != {default}"
            simple.append(f"{each.name} = {text}")
    yield from simple
    yield from map(AND.join, combinations(simple, 2))


def _holds(condition: str, layout: StructLayout, value: dict[str, Any]) -> bool:
    """Test if a struct meets a condition; a field that it leaves out has its default."""
    fields = {each.name: each for each in layout.all_fields}
    return all(
        name in fields and (constant_text(value.get(name, default_value(fields[name]))) in values) == wanted
        for name, wanted, values in condition_parts(condition)
    )
