"""The names that franz-go's generator gives to the structs inside others."""

from typing import Final

from wireproof.definitions.krammar.definition_model import (
    InlineStruct,
    KrammarArray,
    KrammarField,
    KrammarType,
)

_LONG_ENDINGS: Final = ("ches", "shes", "sses", "xes", "zes")


def inline_name(owner: str, field: KrammarField) -> str:
    """The name of an inline struct: that of the struct around it, then the field's or its hint's.

    The result does not depend on anything but the two, so that it is the same in each reading.
    """
    inner: KrammarType = field.type
    while isinstance(inner, KrammarArray):
        inner = inner.element
    if not isinstance(field.type, KrammarArray):
        return owner + field.name
    if isinstance(inner, InlineStruct) and inner.hint:
        return owner + inner.hint
    return singular(owner + field.name)


def singular(name: str) -> str:
    """The singular of a name in the plural, by its ending alone."""
    if name.endswith("us"):
        return name
    if name.endswith(_LONG_ENDINGS):
        return name.removesuffix("es")
    if name.endswith("ies"):
        return name.removesuffix("ies") + "y"
    return name.removesuffix("s")
