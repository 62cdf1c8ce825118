"""The key `encoding` of a field (KIP-625): a name, or an object from ranges of versions to names."""

from collections.abc import Callable
from typing import TypeAlias

from kafkawire.schema.model import IntegerEncoding, VersionRange
from kafkawire.schema.parsing._coercion import NotCoercible, as_text, shown
from kafkawire.schema.parsing._commented_json import JsonKind, JsonNode, JsonObject, JsonScalar

__all__ = ["Encodings", "read_encodings"]

Encodings: TypeAlias = tuple[tuple[VersionRange, IntegerEncoding], ...]


def read_encodings(
    node: JsonNode | None, versions: VersionRange, fail: Callable[[int, str], None]
) -> Encodings:
    """Read the key's value.

    Args:
        node: the value; None where the key is absent. JSON null means the same, as for Kafka's keys.
        versions: those of the field: a name alone holds for all of them.
        fail: takes the offset and the text of each problem.

    Returns:
        The ranges in the order of the file. Empty where nothing could be read.
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
            fail(node.offset, f"encoding is a name or an object from ranges to names, not {shown(node)}")
            return ()


def _ranges(node: JsonObject, fail: Callable[[int, str], None]) -> list[tuple[VersionRange, IntegerEncoding]]:
    if not node.members:
        fail(node.offset, "encoding has no range of versions: write 0+, say, and the name of an encoding")
    for key, offset in node.repeated:
        fail(offset, f"encoding has the range {key!r} twice: each version has one encoding")
    found = []
    for key, item in node.members.items():
        name = _name(item, fail)
        try:
            versions = VersionRange.parse(key)
        except ValueError:
            fail(item.offset, f"encoding: {key!r} is not a range: write 3, 2-5 or 7+")
            continue
        if name is not None:
            found.append((versions, name))
    return found


def _name(node: JsonNode, fail: Callable[[int, str], None]) -> IntegerEncoding | None:
    try:
        text = as_text(node)
    except NotCoercible as error:
        fail(node.offset, f"encoding {error}")
        return None
    try:
        return IntegerEncoding(text or "")
    except ValueError:
        known = "fixed, packed or upacked, and 16, 32 or 64"
        fail(node.offset, f"there is no encoding {shown(node)}: expected {known}, such as packed32")
        return None
