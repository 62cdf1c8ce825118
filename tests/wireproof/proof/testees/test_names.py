"""Fields with other names in another release are renamed by their position."""

from dataclasses import replace

from kafkawire.schema.layout import StructLayout
from tests.support.schemas.real_layouts import real
from wireproof.proof.adapters.testee.protocol_values import renaming

FETCH = real("FetchRequest", 12)


def called(old: str, new: str) -> StructLayout:
    """Return the layout of a release with another name for a field of a topic."""
    topics = next(each for each in FETCH.root.fields if each.name == "topics")
    assert topics.struct is not None
    inner = tuple(replace(each, name=new) if each.name == old else each for each in topics.struct.fields)
    struct = replace(topics, name="themes", struct=replace(topics.struct, fields=inner))
    fields = tuple(struct if each.name == "topics" else each for each in FETCH.root.fields)
    return replace(FETCH.root, fields=fields)


def test_equal_names_are_not_renamed() -> None:
    """There is nothing to rename."""
    assert renaming(FETCH.root, FETCH.root) is None


def test_different_names_are_renamed() -> None:
    """Fields of structs are renamed in both directions; unknown fields stay as they are."""
    other = called("topic", "name")
    value = {"maxWaitMs": 1, "topics": [{"topic": "a", "partitions": []}, "odd"], "_tags": {"1": ""}}
    there, back = renaming(FETCH.root, other), renaming(other, FETCH.root)
    assert there is not None
    assert back is not None
    renamed = there.apply(value)
    assert renamed == {"maxWaitMs": 1, "themes": [{"name": "a", "partitions": []}, "odd"], "_tags": {"1": ""}}
    assert back.apply(renamed) == value


def test_layouts_with_other_differences_are_not_renamed() -> None:
    """If a field is missing or has another type, the position does not identify it."""
    assert renaming(FETCH.root, real("FetchRequest", 4).root) is None
