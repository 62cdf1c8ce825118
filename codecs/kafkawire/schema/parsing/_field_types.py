"""The types of fields, read as Kafka's `FieldType.parse` reads them, and their encodings (KIP-625)."""

from collections.abc import Callable
from typing import Final, TypeAlias

from kafkawire.schema.model import ArrayType, FieldType, IntegerEncoding, ScalarType, StructType, VersionRange
from kafkawire.schema.parsing._commented_json import JsonKind, JsonNode, JsonObject, JsonScalar
from kafkawire.schema.parsing._key_reading import NotCoercible, as_text, shown
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


_SYNTAX: Final = SchemaRule.ENCODING_SYNTAX
Fail: TypeAlias = Callable[[int, SchemaRule, str], None]
Encodings: TypeAlias = tuple[tuple[VersionRange, IntegerEncoding], ...]


def read_encodings(node: JsonNode | None, versions: VersionRange, fail: Fail) -> Encodings:
    """Read the key's value.

    Args:
        node: the value; None if the key is absent. JSON null means the same, as for Kafka's keys.
        versions: the versions of the field; an encoding without a range applies to all of them.
        fail: called with the offset, the rule and the text of each problem.

    Returns:
        The ranges in the order of the file. Empty if nothing could be read.
    """
    match node:
        case None | JsonScalar(kind=JsonKind.NULL):
            return ()
        case JsonScalar():
            name = _name(node, fail)
            return () if name is None else ((versions, name),)
        case JsonObject():
            return tuple(_ranges(node, fail))
        case _:
            fail(node.offset, _SYNTAX, f"encoding is a name or an object with names, not {shown(node)}")
            return ()


def _ranges(node: JsonObject, fail: Fail) -> list[tuple[VersionRange, IntegerEncoding]]:
    if not node.members:
        fail(node.offset, _SYNTAX, "encoding has no range of versions: write 0+, and the name of an encoding")
    for key, offset, _ in node.repeated:
        fail(offset, SchemaRule.ENCODING_OVERLAP, f"encoding has the range {key!r} twice: remove one of them")
    found = []
    for key, item in node.members.items():
        name = _name(item, fail)
        try:
            versions = VersionRange.parse(key)
        except ValueError:
            fail(
                item.offset,
                SchemaRule.VERSIONS_SYNTAX,
                f"encoding: {key!r} is not a range: write 3, 2-5 or 7+",
            )
            continue
        if name is not None:
            found.append((versions, name))
    return found


def _name(node: JsonNode, fail: Fail) -> IntegerEncoding | None:
    try:
        text = as_text(node)
    except NotCoercible as error:
        fail(node.offset, _SYNTAX, f"encoding {error}")
        return None
    try:
        return IntegerEncoding(text or "")
    except ValueError:
        known = "fixed, packed or upacked, and 16, 32 or 64"
        what = f"there is no encoding {shown(node)}: expected {known}, such as packed32"
        fail(node.offset, SchemaRule.ENCODING_NAME, what)
        return None
