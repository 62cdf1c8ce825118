"""Fields that another release calls otherwise are renamed by their position."""

from dataclasses import replace

from kafkawire.schema.layout import StructLayout
from tests.support.schemas.real_layouts import real
from wireproof.adapters.testee.field_renaming import renaming

FETCH = real("FetchRequest", 12)


def called(old: str, new: str) -> StructLayout:
    """The layout of a release that calls a field of a topic otherwise."""
    topics = next(each for each in FETCH.root.fields if each.name == "topics")
    assert topics.struct is not None
    inner = tuple(replace(each, name=new) if each.name == old else each for each in topics.struct.fields)
    struct = replace(topics, name="themes", struct=replace(topics.struct, fields=inner))
    fields = tuple(struct if each.name == "topics" else each for each in FETCH.root.fields)
    return replace(FETCH.root, fields=fields)


def test_names_alike() -> None:
    """Nothing is to be done."""
    assert renaming(FETCH.root, FETCH.root) is None


def test_names_that_differ() -> None:
    """In structs and below them, there and back; what is unknown stays as it is."""
    other = called("topic", "name")
    value = {"maxWaitMs": 1, "topics": [{"topic": "a", "partitions": []}, "odd"], "_tags": {"1": ""}}
    there, back = renaming(FETCH.root, other), renaming(other, FETCH.root)
    assert there is not None
    assert back is not None
    renamed = there.apply(value)
    assert renamed == {"maxWaitMs": 1, "themes": [{"name": "a", "partitions": []}, "odd"], "_tags": {"1": ""}}
    assert back.apply(renamed) == value


def test_layouts_that_differ_in_more() -> None:
    """Where a field is missing or of another type, no position tells what is meant."""
    assert renaming(FETCH.root, real("FetchRequest", 4).root) is None
