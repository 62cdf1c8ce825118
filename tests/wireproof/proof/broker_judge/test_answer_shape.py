"""The shape of an answer, and its differences."""

from kafkawire.records import Record, RecordBatch, RecordSet, encode_records
from tests.support.schemas.real_layouts import real
from wireproof.proof.broker_judge.answer_shape import shape_differences, shape_of

METADATA, PRODUCE, FETCH = real("MetadataResponse", 12), real("ProduceResponse", 9), real("FetchResponse", 12)


def topic(name: str, error: int = 0, partitions: int = 1) -> dict[str, object]:
    parts = [{"partitionIndex": number, "errorCode": 0, "replicaNodes": [1]} for number in range(partitions)]
    return {"name": name, "errorCode": error, "isInternal": False, "partitions": parts}


def test_names_and_numbers_do_not_matter() -> None:
    """Two answers that differ in names, ids and order have one shape."""
    left = {"topics": [topic("a"), topic("b", 3)], "controllerId": 1, "clusterId": "x"}
    right = {"topics": [topic("c", 3), topic("d")], "controllerId": 7, "clusterId": "y"}
    shapes = [shape_of(METADATA, each) for each in (left, right)]
    assert list(shape_differences(*shapes)) == []


def test_errors_nulls_and_counts_differ() -> None:
    """The first differing path is named, with the forms of both sides."""
    plain = shape_of(METADATA, {"topics": [topic("a")], "clusterId": "x"})
    for changed, path, left, right in (
        (
            {"topics": [topic("a", 3)], "clusterId": "x"},
            "topics[].errorCode",
            "NONE",
            "UNKNOWN_TOPIC_OR_PARTITION",
        ),
        ({"topics": [topic("a")], "clusterId": None}, "clusterId", "set", "null"),
        ({"topics": [topic("a")], "clusterId": ""}, "clusterId", "set", "empty"),
        (
            {"topics": [topic("a", partitions=2)], "clusterId": "x"},
            "topics[].partitions",
            "1 elements",
            "2 elements",
        ),
    ):
        other = shape_of(METADATA, changed)
        assert next(shape_differences(plain, other)) == (path, left, right)


def test_signs_differ_and_the_load_does_not() -> None:
    """A number is negative, zero or positive; a throttle time and a broker's id only negative or not."""
    plain = {"topics": [], "throttleTimeMs": 0, "controllerId": 0, "errorCode": 0}
    shape = shape_of(METADATA, plain)
    assert (
        list(shape_differences(shape, shape_of(METADATA, {**plain, "throttleTimeMs": 7, "controllerId": 2})))
        == []
    )
    for name in ("throttleTimeMs", "controllerId"):
        negative = shape_of(METADATA, {**plain, name: -1})
        assert list(shape_differences(shape, negative)) == [(name, "set", "negative")]
    produced = [{"partitionResponses": [{"baseOffset": offset}]} for offset in (0, 5)]
    zero, five = (shape_of(PRODUCE, {"responses": [each]}) for each in produced)
    assert list(shape_differences(zero, five)) == [
        ("responses[].partitionResponses[].baseOffset", "0", "positive")
    ]


def test_each_record_counts() -> None:
    """A batch that is answered twice shows, and a set that is cut off."""
    once = encode_records(RecordSet((RecordBatch.of([Record(value=b"v")]),)))
    plain, twice, cut = (
        shape_of(FETCH, {"responses": [{"partitions": [{"records": data}]}]})
        for data in (once, once * 2, once[:-1])
    )
    path = "responses[].partitions[].records.batches"
    assert next(shape_differences(plain, twice)) == (path, "1 elements", "2 elements")
    assert next(shape_differences(plain, cut)) == (path, "1 elements", "empty")
