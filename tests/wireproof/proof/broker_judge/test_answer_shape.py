"""The shape of an answer, and its differences."""

from tests.support.schemas.real_layouts import real
from wireproof.proof.broker_judge.answer_shape import shape_difference, shape_of

METADATA = real("MetadataResponse", 12)


def topic(name: str, error: int = 0, partitions: int = 1) -> dict[str, object]:
    parts = [{"partitionIndex": number, "errorCode": 0, "replicaNodes": [1]} for number in range(partitions)]
    return {"name": name, "errorCode": error, "isInternal": False, "partitions": parts}


def test_names_and_numbers_do_not_matter() -> None:
    """Two answers that differ in names, ids and order have one shape."""
    left = {"topics": [topic("a"), topic("b", 3)], "controllerId": 1, "clusterId": "x"}
    right = {"topics": [topic("c", 3), topic("d")], "controllerId": 7, "clusterId": "y"}
    shapes = [shape_of(METADATA, each, lambda _: False) for each in (left, right)]
    assert shape_difference(*shapes) is None


def test_errors_nulls_and_counts_differ() -> None:
    """The first differing path is named, with the forms of both sides."""
    plain = shape_of(METADATA, {"topics": [topic("a")], "clusterId": "x"}, lambda _: False)
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
        other = shape_of(METADATA, changed, lambda _: False)
        assert shape_difference(plain, other) == (path, left, right)


def test_an_ignored_path_hides_all_below_it() -> None:
    """Counts below an ignored array do not matter."""
    shapes = [
        shape_of(METADATA, {"topics": [topic("a", partitions=count)]}, "topics[].partitions".__eq__)
        for count in (1, 5)
    ]
    assert shape_difference(*shapes) is None
