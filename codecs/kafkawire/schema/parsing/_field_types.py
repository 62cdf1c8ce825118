"""The types of fields, read from their names as Kafka's `FieldType.parse` reads them."""

from typing import Final

from kafkawire.schema.model import ArrayType, FieldType, ScalarType, StructType
from kafkawire.schema.rule_table import SchemaRule

_SCALARS: Final = {scalar.value: scalar for scalar in ScalarType}


class FieldTypeError(ValueError):
    """A field has an unknown type; `rule` is the rule that is broken."""

    def __init__(self, rule: SchemaRule, text: str) -> None:
        super().__init__(text)
        self.rule = rule


def parse_type(text: str) -> FieldType:
    """Read a type's name as Kafka's `FieldType.parse` does.

    Raises:
        FieldTypeError: no such type; the text says what to write.
    """
    arrays, rest = 0, text.strip()
    while rest.startswith("[]"):
        arrays, rest = arrays + 1, rest[2:]
        if not rest:
            what = "an array needs the type of its elements: write []int32, say"
            raise FieldTypeError(SchemaRule.ARRAY_ELEMENT_MISSING, what)
        rest = rest.strip()
    element = _element_type(rest)
    if arrays > 1:
        what = "an array cannot hold arrays: make it an array of structs that hold an array each"
        raise FieldTypeError(SchemaRule.ARRAY_OF_ARRAYS, what)
    return ArrayType(element) if arrays else element


def _element_type(text: str) -> ScalarType | StructType:
    if text in _SCALARS:
        return _SCALARS[text]
    if text[:1].isupper():
        return StructType(text)
    what = f"there is no type {text!r}; a struct's name begins with a capital letter"
    raise FieldTypeError(SchemaRule.FIELD_TYPE_UNKNOWN, what)
