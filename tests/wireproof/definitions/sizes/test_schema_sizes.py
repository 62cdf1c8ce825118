"""Sizes by field: choices of encodings, distributions, traffic; and the sums are those of the codec."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kafkawire import bundled
from kafkawire.compiler import compile_layout
from kafkawire.compiler._interpreted_decode import holds_free_elements
from kafkawire.schema import IntegerEncoding, MessageLayout, SchemaSet
from kafkawire.values import TAGS
from tests.laws.test_codec_laws import LAW
from tests.support.schemas.random_encodings import encoded_layouts
from tests.support.schemas.random_layouts import values
from wireproof.definitions.sizes.size_table import (
    SizeRequestError,
    choose_encodings,
    matching_paths,
    measure_sizes,
    with_encodings,
)
from wireproof.definitions.sizes.traffic_values import read_traffic
from wireproof.definitions.sizes.value_distribution import Distribution, distributed_message
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.proof.strategies.cases.scenarios import scenarios

CORPUS = Path(__file__).parents[4] / "corpus"


@pytest.fixture(name="metadata")
def _metadata() -> MessageLayout:
    return bundled.layout("MetadataResponse", 12)


def paths_of(layout: MessageLayout) -> list[str]:
    return [path for path, _, _ in layout.walk()]


def test_a_selector_is_a_path_a_name_a_type_or_all(metadata: MessageLayout) -> None:
    """A name means all fields of it; a type means arrays of it, too."""
    every = [path for path, _, field in metadata.walk() if field.struct is None]
    assert matching_paths(metadata, "topics[].partitions[].leaderId", every) == [
        "topics[].partitions[].leaderId"
    ]
    assert matching_paths(metadata, "errorCode", every) == [
        "topics[].errorCode",
        "topics[].partitions[].errorCode",
    ]
    assert "topics[].partitions[].isrNodes" in matching_paths(metadata, "int32", every)
    assert "topics[].name" not in matching_paths(metadata, "int32", every)
    assert matching_paths(metadata, "*", every) == every
    with pytest.raises(SizeRequestError) as refused:
        matching_paths(metadata, "leaderid", every)
    assert refused.value.advice.startswith("Did you mean leaderId")


def test_a_type_never_means_a_number_of_elements(metadata: MessageLayout) -> None:
    """Of an array of integers, it means the elements."""
    candidates = ["topics[].partitions[].isrNodes", "topics[].partitions[].isrNodes[]"]
    for selector in ("int32", "*"):
        assert matching_paths(metadata, selector, candidates) == candidates[1:]
    assert matching_paths(metadata, "isrNodes", candidates) == candidates[:1]
    assert matching_paths(metadata, "isrNodes[]", candidates) == candidates[1:]


def test_choices_give_each_field_its_width(metadata: MessageLayout) -> None:
    """A later choice overrides an earlier one."""
    chosen = choose_encodings(metadata, ["*=upacked", "leaderId=packed", "int16=packed16"])
    assert chosen["topics[].partitions[].leaderId"] is IntegerEncoding.PACKED32
    assert chosen["topics[].errorCode"] is IntegerEncoding.PACKED16
    assert chosen["topics[].partitions[].isrNodes"] is IntegerEncoding.UPACKED32
    assert set(chosen) <= set(paths_of(metadata))
    layout = with_encodings(metadata, chosen)
    found = {path: field.encoding for path, _, field in layout.walk() if field.encoding}
    assert found == chosen
    assert with_encodings(layout, dict.fromkeys(chosen, IntegerEncoding.FIXED64)) != layout


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("leaderId", "is not FIELD=ENCODING"),
        ("leaderId=varint", "is not FIELD=ENCODING"),
        ("leaderId=packed8", "is not FIELD=ENCODING"),
        ("leaderId=packed64", "packed64 is wider than int32"),
        ("name=packed32", "no such field: name"),
        ("isInternal=packed", "no such field: isInternal"),
        ("topicAuthorizedOperations=packed16", "the default -2147483648 does not fit packed16"),
    ],
)
def test_a_choice_is_refused(metadata: MessageLayout, choice: str, words: str) -> None:
    """The text names the field and what it cannot have."""
    with pytest.raises(SizeRequestError, match=words):
        choose_encodings(metadata, [choice])


@pytest.mark.parametrize(
    ("words", "count", "expected"),
    [
        ("5", 3, [5, 5, 5]),
        ("0..2", 7, [0, 1, 2, 0, 1, 2, 0]),
        ("-1..1", 1, [-1]),
        ("0..99", 5, [0, 24, 49, 74, 99]),
        ("1,null", 4, [1, None, 1, None]),
        ("7*3,9", 4, [7, 7, 7, 9]),
        ("0..1*2,5", 5, [0, 1, 0, 1, 5]),
        ("0..9223372036854775807", 3, [0, 2**62 - 1, 2**63 - 1]),
        ("3", 0, []),
    ],
)
def test_a_distribution_is_a_sequence(words: str, count: int, expected: list[int | None]) -> None:
    """In turn where there is room, else at equal distances from the first to the last."""
    assert Distribution.parse(words).take(count) == expected


@LAW
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9), st.integers(1, 5)), min_size=1), st.data())
def test_weights_hold(items: list[tuple[int, int, int]], data: st.DataObject) -> None:
    """As many places as the sequence has give each number its weight."""
    words = ",".join(f"{low}..{low + more}*{times}" for low, more, times in items)
    distribution, expected = Distribution.parse(words), Counter[int | None]()
    for low, more, times in items:
        expected.update(dict.fromkeys(range(low, low + more + 1), times))
    total = sum(expected.values())
    assert Counter(distribution.take(total)) == expected
    some = distribution.take(data.draw(st.integers(0, 2 * total)))
    assert set(some) <= set(expected)


@pytest.mark.parametrize("words", ["", "x", "1..", "3..1", "1*0", "1;2", "0x10", "1.5"])
def test_a_distribution_is_refused(words: str) -> None:
    """The advice shows the forms."""
    with pytest.raises(SizeRequestError) as refused:
        Distribution.parse(words)
    assert "0..99" in refused.value.advice


def test_a_message_holds_its_distributions(metadata: MessageLayout) -> None:
    """Counts, values, lengths and nulls are as given; the rest is left at its default."""
    value = distributed_message(
        metadata,
        [
            *("topics=2", "partitions=3", "partitionIndex=0..2", "replicaNodes=2", "replicaNodes[]=7,8"),
            *("topics[].name=5,null", "clusterId=3"),
        ],
    )
    assert value["clusterId"] == "abc"
    assert [topic["name"] for topic in value["topics"]] == ["abcde", None]
    for topic in value["topics"]:
        assert [each["partitionIndex"] for each in topic["partitions"]] == [0, 1, 2]
        assert all(each["replicaNodes"] == [7, 8] for each in topic["partitions"])
        assert all("leaderId" not in each for each in topic["partitions"])
    assert compile_layout(metadata).decode(compile_layout(metadata).encode(value))


def test_something_inside_makes_an_element() -> None:
    """An array of which only an inner field is named has one element; records have their length."""
    layout = bundled.layout("ProduceRequest", 9)
    value = distributed_message(layout, ["records=100"])
    assert value == {"topicData": [{"partitionData": [{"records": bytes(range(100))}]}]}
    fetch = bundled.layout("FetchResponse", 16)
    tagged = distributed_message(fetch, ["currentLeader.leaderId=4"])
    assert tagged["responses"][0]["partitions"][0]["currentLeader"] == {"leaderId": 4}


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ("isInternal=1", "the size of bool does not depend on its value"),
        ("topicId=1", "the size of uuid does not depend on its value"),
        ("topics=-1", "a number of elements is negative"),
        ("topics=5000000", "elements are too many"),
        ("clusterId=-1", "-1 is not a length"),
        ("clusterId=99999999999", "is not a length"),
        ("topics", "is not FIELD=DISTRIBUTION"),
        ("gone=1", "no such field"),
    ],
)
def test_a_value_is_refused(metadata: MessageLayout, choice: str, words: str) -> None:
    """Before any memory is taken for it."""
    with pytest.raises(SizeRequestError, match=words):
        distributed_message(metadata, [choice])


@settings(LAW, max_examples=50)
@given(st.data())
def test_the_fields_add_up(data: st.DataObject) -> None:
    """For any layout with encodings and any value: by field, in all, and as the codec sizes it."""
    layout = data.draw(encoded_layouts())
    assume(not holds_free_elements(layout.root))  # no codec decodes arrays of elements without bytes
    drawn = data.draw(st.lists(values(layout), max_size=3))
    measured = measure_sizes(layout, drawn)
    assert measured.messages == len(drawn)
    assert measured.bytes == sum(len(compile_layout(layout).encode(value)) for value in drawn)
    assert sum(each.bytes for each in measured.fields) == measured.bytes
    assert sum(each.fixed_bytes for each in measured.fields) == measured.fixed_bytes
    for each in measured.fields:
        if each.encoding.startswith("packed") and each.encoding[-2:] == each.type[-2:]:
            assert each.bytes == each.packed_bytes
        if each.encoding.startswith("upacked") and each.encoding[-2:] == each.type[-2:]:
            assert each.bytes == each.upacked_bytes
        if not each.encoding:
            assert each.bytes == each.fixed_bytes


def test_values_too_wide_are_counted_by_field() -> None:
    """They are left out of both columns; values of another definition are counted apart."""
    layout = bundled.layout("FetchRequest", 12)
    narrow = with_encodings(layout, choose_encodings(layout, ["fetchOffset=fixed32"]))
    partition = [{"fetchOffset": 2**31}, {"fetchOffset": 1}]
    wrong: dict[str, Any] = {"topics": [{"partitions": [{}, *partition[:1]]}]}
    right: dict[str, Any] = {"topics": [{"partitions": partition[1:]}]}
    measured = measure_sizes(narrow, [right, wrong, wrong, {"noField": 1}])
    assert measured.messages == 1
    assert measured.refused == {"out-of-range: topics[].partitions[].fetchOffset": 2}
    assert measured.foreign == {"unknown-field: noField": 1}
    assert measured.fixed_bytes - measured.bytes == 4


def schemas_of(release: str) -> SchemaSet:
    return load_snapshot(table().find(release))


def test_a_capture_is_traffic() -> None:
    """Each frame of the message is a value, of the version that client and broker agreed on."""
    found = read_traffic(CORPUS / "sample", "MetadataResponse", schemas_of)
    assert found.undecoded == 0
    assert found.by_version
    (segment, *_) = sorted((CORPUS / "sample" / "segments").glob("*CLIENT*"))
    one = read_traffic(segment, "MetadataResponse", schemas_of)
    for version, held in one.by_version.items():
        layout = bundled.layout("MetadataResponse", version)
        measured = measure_sizes(layout, held)
        assert measured.messages == len(held) <= len(found.by_version[version])
        assert not measured.refused
        assert not measured.foreign


def test_a_corpus_is_traffic() -> None:
    """Its golden entries are values, those of all its releases."""
    name = "golden/4.3.1/clients/HeartbeatResponse.ndjson"
    one = read_traffic(CORPUS / name, "HeartbeatResponse", schemas_of)
    folder = read_traffic(CORPUS / "golden" / "4.3.1", "HeartbeatResponse", schemas_of)
    assert one.by_version == folder.by_version
    assert len(one.by_version) > 2
    assert read_traffic(CORPUS / name, "FetchRequest", schemas_of).by_version == {}


def test_a_corpus_with_captures_beside_it_is_a_corpus(tmp_path: Path) -> None:
    """Its entries are read, and the segment files are not; a single file needs no folder of its kind."""
    whole = read_traffic(CORPUS, "DescribeAclsRequest", schemas_of)
    one = read_traffic(CORPUS / "golden", "DescribeAclsRequest", schemas_of)
    assert whole == one
    assert whole.by_version
    source = CORPUS / "golden" / "4.3.1" / "clients" / "HeartbeatResponse.ndjson"
    alone = tmp_path / "HeartbeatResponse.ndjson"
    alone.write_bytes(source.read_bytes())
    assert read_traffic(alone, "HeartbeatResponse", schemas_of).by_version
    (tmp_path / "clients").mkdir()
    alone.rename(tmp_path / "clients" / alone.name)
    assert read_traffic(tmp_path, "HeartbeatResponse", schemas_of).by_version


def test_traffic_of_an_unknown_release_is_refused() -> None:
    """The error names what was not found."""

    def none(release: str) -> SchemaSet:
        raise LookupError(f"no {release}")

    with pytest.raises(SizeRequestError, match="no 4"):
        read_traffic(CORPUS / "sample", "MetadataResponse", none)


def test_boundary_cases_are_measured() -> None:
    """The cases of a layout with encodings fit its encodings; tag sections have a line."""
    layout = bundled.layout("HeartbeatRequest", 4)
    packed = with_encodings(layout, choose_encodings(layout, ["*=packed16"]))
    measured = measure_sizes(packed, (each.value for each in scenarios(packed)))
    assert not measured.refused
    assert measured.messages == sum(1 for _ in scenarios(packed))
    assert TAGS in {each.path for each in measured.fields}
