"""One JSON node as a string, a number, a truth value or a list: Jackson's scalar coercions.

Jackson's defaults let a string property take any scalar, a number property take text that spells a
number, a boolean property take ``"true"`` or a number. Schemas that were released rely on it. Left
out is what none can mean: an enum by the number of its place, digits that are not ASCII.
"""

from typing import Final

from kafkawire.schema.parsing._commented_json import JsonArray, JsonKind, JsonNode, JsonObject, JsonScalar

_TRUE: Final = frozenset({"true", "True", "TRUE"})
_FALSE: Final = frozenset({"false", "False", "FALSE", "", "null"})


class NotCoercible(ValueError):  # noqa: N818 - it is a verdict about a node, caught at once by the reader
    """A node that the wanted kind of property does not take; the text says what it takes."""


def as_text(node: JsonNode) -> str | None:
    """The node as a string; None for null."""
    if not isinstance(node, JsonScalar):
        raise NotCoercible(f"wants text, not {shown(node)}")
    return None if node.kind is JsonKind.NULL else node.text


def as_integer(node: JsonNode, bits: int) -> int | None:
    """The node as a signed whole number of so many bits; None for null, ``""`` and ``"null"``."""
    if not isinstance(node, JsonScalar) or node.kind is JsonKind.BOOLEAN:
        raise NotCoercible(f"wants a whole number, not {shown(node)}")
    text = node.text.strip()
    if node.kind is JsonKind.NULL or (node.kind is JsonKind.TEXT and text in ("", "null")):
        return None
    limit = 1 << (bits - 1)
    try:
        number = _whole(text, fraction_allowed=node.kind is JsonKind.FRACTION)
    except ValueError:
        raise NotCoercible(f"wants a whole number, not {shown(node)}") from None
    if not -limit <= number < limit:
        raise NotCoercible(f"wants a whole number from {-limit} to {limit - 1}, not {text}")
    return number


def _whole(text: str, *, fraction_allowed: bool) -> int:
    if fraction_allowed:
        return int(float(text)) if abs(float(text)) < 1e18 else 10**18
    digits = text.lstrip("+-")
    if len(text) - len(digits) > 1 or not (digits.isascii() and digits.isdigit()):
        raise ValueError(text)
    number = int(digits) if len(digits) <= 20 else 10**20
    return -number if text.startswith("-") else number


def as_boolean(node: JsonNode) -> bool:
    """The node as a truth value; null, ``""`` and ``"null"`` are false, any number but 0 is true."""
    if isinstance(node, JsonScalar):
        match node.kind:
            case JsonKind.NULL:
                return False
            case JsonKind.INTEGER:
                return node.text.lstrip("-") != "0"
            case JsonKind.BOOLEAN:
                return node.text == "true"
            case JsonKind.TEXT if (text := node.text.strip()) in _TRUE or text in _FALSE:
                return text in _TRUE
            case _:
                pass
    raise NotCoercible(f"wants true or false, not {shown(node)}")


def as_items(node: JsonNode) -> list[JsonNode]:
    """The node as a list: a single value means a list of one, null for an empty one."""
    if isinstance(node, JsonArray):
        return node.items
    if isinstance(node, JsonScalar) and node.kind is JsonKind.NULL:
        return []
    return [node]


def shown(node: JsonNode) -> str:
    """The node in a few words, for problems."""
    match node:
        case JsonObject():
            return "an object"
        case JsonArray():
            return "an array"
        case JsonScalar(kind=JsonKind.TEXT, text=text):
            return repr(text if len(text) <= 40 else text[:40] + "...")
        case JsonScalar(text=text):
            return text[:40]
