"""Mutations of valid bytes: their kinds, their names, and that they are always the same."""

from collections import Counter

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.errors import DecodeError, Fault
from tests.support.schemas.kitchen_sink import VERSIONS
from tests.support.schemas.kitchen_sink import layout as kitchen_sink
from tests.support.schemas.real_layouts import real
from wireproof.model.malformed_input import Mutation
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.malformed.frame_mutations import frame_mutations
from wireproof.proof.strategies.malformed.message_mutations import mutations

PLACES = [("FetchRequest", 12), ("MetadataRequest", 1), ("ApiVersionsResponse", 3), ("FetchResponse", 4)]


def fullest(message: str, version: int) -> tuple[bytes, list[Mutation]]:
    layout = real(message, version)
    value = next(case.value for case in scenarios(layout) if case.name == "message/fullest")
    data = interpret_layout(layout).encode(value)
    return data, list(mutations(layout, data))


def kind(mutation: Mutation) -> str:
    return mutation.operator.partition("=")[0]


@pytest.mark.parametrize(("message", "version"), PLACES)
def test_each_mutation_makes_its_change(message: str, version: int) -> None:
    """The old bytes are at its offset, the new bytes replace them, and names are unique."""
    data, made = fullest(message, version)
    for each in made:
        end = each.offset + len(each.before)
        assert data[each.offset : end] == each.before
        assert each.apply(data) == data[: each.offset] + each.after + data[end:]
        assert each.before != each.after
    assert max(Counter(each.name for each in made).values()) == 1
    assert made == fullest(message, version)[1]


def test_a_flexible_message_has_every_kind() -> None:
    """Every operator occurs, and a cut at every byte."""
    data, made = fullest("FetchRequest", 12)
    kinds = Counter(map(kind, made))
    wanted = {"truncate", "append", "length", "count", "text", "tags", "tag", "tag-size", "tag-count"}
    assert wanted <= set(kinds)
    assert kinds["truncate"] == len(data)
    assert {each.offset for each in made if kind(each) == "truncate"} == set(range(len(data)))


@pytest.mark.parametrize(
    ("message", "version", "operator", "count"),
    [
        ("MetadataRequest", 4, "bool=two", 1),
        ("DescribeTopicPartitionsRequest", 0, "marker=127", 1),
        ("ConsumerGroupMemberMetadataValue", 0, "marker=minus-1", 1),
    ],
)
def test_markers_and_bools_get_hostile_values(message: str, version: int, operator: str, count: int) -> None:
    """Each marker and each bool gets each of its hostile values."""
    _, made = fullest(message, version)
    assert sum(each.operator.split("-at-")[0] == operator for each in made) == count


@pytest.mark.parametrize(
    ("operator", "fault"),
    [
        ("length=zero", Fault.NULL),
        ("length=endless", Fault.VARINT),
        ("text=surrogate", Fault.UTF8),
        ("tags=unknown-size-too-large-last", Fault.TRUNCATED),
        ("tags=doubled-0", Fault.TAG_ORDER),
        ("append=zero", Fault.TRAILING),
    ],
)
def test_a_mutation_is_refused_for_its_own_fault(operator: str, fault: Fault) -> None:
    """The codec refuses it for its own fault, also inside tagged fields, whose sizes are corrected."""
    data, made = fullest("ApiVersionsResponse", 3)
    codec = interpret_layout(real("ApiVersionsResponse", 3))
    chosen = [each for each in made if each.operator.split("-at-")[0] == operator]
    assert chosen
    for each in chosen:
        with pytest.raises(DecodeError) as refused:
            codec.decode(each.apply(data))
        assert refused.value.fault is fault, each


def test_a_tag_of_another_version_is_tried() -> None:
    """The struct has the tag only at other versions."""
    _, made = fullest("FetchRequest", 13)
    assert any("of-another-version" in each.operator for each in made)


@pytest.mark.parametrize("version", VERSIONS)
def test_all_types_are_walked(version: int) -> None:
    """A message with every type and trait is walked to its end."""
    layout = kitchen_sink(version)
    for case in scenarios(layout):
        if case.name in ("message/default", "message/fullest", "message/nulls"):
            data = interpret_layout(layout).encode(case.value)
            assert sum(1 for _ in mutations(layout, data)) > len(data)


def test_frames_have_mutations_of_size_header_and_identity() -> None:
    """The size is wrong, or the header is cut, of another version, or of another message."""
    headers = {version: real("RequestHeader", version) for version in (1, 2)}
    layout = real("ApiVersionsRequest", 3)
    header = interpret_layout(headers[2]).encode({"requestApiKey": 18, "requestApiVersion": 3})
    body = interpret_layout(layout).encode({})
    frame = (len(header) + len(body)).to_bytes(4) + header + body
    made = list(frame_mutations(headers, layout, header, body))
    for each in made:
        assert frame[each.offset : each.offset + len(each.before)] == each.before
    kinds = {kind(each).split("-at-")[0] for each in made}
    assert {"frame-size", "frame-append", "frame-truncate", "identity", "header-version"} <= kinds
    assert {"header-length", "header-tag-count", "header-text", "header-truncate"} <= kinds
    (other,) = [each.apply(frame) for each in made if each.operator == "header-version=1"]
    assert other[4:] == header[:-1] + body
    assert int.from_bytes(other[:4]) == len(other) - 4
