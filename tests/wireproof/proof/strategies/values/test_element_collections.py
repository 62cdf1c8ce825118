"""The collections of a layout: one of each kind and element type, with a given number of elements."""

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.schemas.real_layouts import real
from wireproof.model.case_source import CollectionKind
from wireproof.proof.strategies.layout_source import collections_of

CELLS = [
    ("MetadataResponse", 13),
    ("MetadataRequest", 1),
    ("SaslAuthenticateRequest", 2),
    ("JoinGroupRequest", 9),
]


@pytest.mark.parametrize("cell", CELLS)
def test_four_times_the_elements_take_four_times_the_bytes(cell: tuple[str, int]) -> None:
    """So a linear codec has four times the work."""
    layout = real(*cell)
    codec = compile_layout(layout)
    for each in collections_of(layout):
        sizes = [len(codec.encode(each.make(count))) for count in (0, 500, 2000)]
        assert sizes[2] - sizes[0] == pytest.approx(4 * (sizes[1] - sizes[0]), rel=0.05)


def test_each_kind_and_type_occurs_once() -> None:
    """A flexible message has unknown tagged fields too."""
    found = [(each.path, each.kind) for each in collections_of(real("MetadataRequest", 13))]
    assert found == [
        ("topics", CollectionKind.STRUCTS),
        ("topics[].name", CollectionKind.TEXT),
        ("_tags", CollectionKind.TAGS),
    ]


def test_elements_with_keys_have_different_keys() -> None:
    """Kafka's own collections search through all elements with equal keys."""
    for layout in (real("CreateTopicsRequest", 7), real("ApiVersionsResponse", 3)):
        (structs, *_) = (each for each in collections_of(layout) if each.kind is CollectionKind.STRUCTS)
        elements = structs.make(2048)[structs.path]
        assert len({str(element) for element in elements}) == 2048


def test_a_legacy_layout_has_no_tagged_fields() -> None:
    """It has no section for them."""
    layout: MessageLayout = real("MetadataRequest", 1)
    assert CollectionKind.TAGS not in {each.kind for each in collections_of(layout)}
