"""The fields of a record that do not reach the release that reads it."""

from collections.abc import Iterator, Mapping

from kafkawire.schema import MessageLayout, StructLayout
from kafkawire.values import TAGS, StructValue, Value
from wireproof.definitions.evolution import value_differences

__all__ = ["changed_fields", "dropped_tags"]


def dropped_tags(writer: MessageLayout, read: StructValue) -> tuple[str, ...]:
    """Return the paths of the tagged fields that the reader read without a definition.

    Args:
        writer: the layout of the writer, for the names of the fields; a tag that it does not define is
            named by its number.
    """
    return tuple(dict.fromkeys(_dropped("", writer.root, read)))


def changed_fields(
    writer: MessageLayout, reader: MessageLayout, wrote: StructValue, read: StructValue
) -> tuple[str, ...]:
    """Return the fields that the reader has another value of, with that value, in words."""
    found = value_differences(writer.root, reader.root, wrote, read)
    return tuple(dict.fromkeys(f"{path} {words}" for path, words in found))


def _dropped(prefix: str, writer: StructLayout | None, read: Mapping[str, Value]) -> Iterator[str]:
    tagged = {field.tag: field.name for field in writer.tagged} if writer else {}
    structs = {field.name: field.struct for field in writer.all_fields} if writer else {}
    for name, value in read.items():
        if name == TAGS and isinstance(value, Mapping):
            for tag in value:
                yield f"{prefix}{tagged[tag]} (tag {tag})" if tag in tagged else f"{prefix}tag {tag}"
        elif isinstance(value, Mapping):
            yield from _dropped(f"{prefix}{name}.", structs.get(name), value)
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, Mapping):
                    yield from _dropped(f"{prefix}{name}[].", structs.get(name), each)
